"""The surface of NATRIX: head, neck, cores and shells, each on its own body."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import xarray as xr
from jaxtyping import Float

from anguilla.view.surface import Mesh, join, rgb

from .tree import HEAD, MODULE, NECK, PITCHING, SNOUT, sections

SHELL, KEEL, CORE, NOSE, CAMERA = "#E9B44C", "#B5471B", "#3B4650", "#5B7083", "#1B2126"
CORNERS = 48
GAP = 0.008  # gap between two shells [m]


def natrix_mesh(dataset: xr.Dataset, instant: int) -> Mesh:
    """The robot at a recorded instant.

    Args:
        dataset: a result of `anguilla robot natrix`.
        instant: index of the recorded time.
    """
    position, rotation = dataset["position"].values[instant], dataset["rotation"].values[instant]
    placed = [
        Mesh(local.corners @ rotation[body].T + position[body], local.normals @ rotation[body].T, local.colours)
        for body, local in enumerate(_parts())
        if local is not None
    ]
    return join(*placed)


@lru_cache
def _parts() -> tuple[Mesh | None, ...]:
    """Surface of each body in its own frame; the round snout and the cores between the shells are decorative."""
    outline = {name: np.asarray(section.vertices) for name, section in sections(vertices=CORNERS).items()}
    circle, shell = outline["round"], outline["shell"]
    along = SNOUT + HEAD
    bend = np.linspace(0.0, np.pi / 2, 7)
    x = np.concatenate([-SNOUT + 0.4 * along * (1 - np.cos(bend)), [HEAD - 0.006]])
    size = np.concatenate([np.sin(bend), [1.0]])
    nose = _lathe(circle, x, np.maximum(size, 1e-3), [CAMERA] * 2 + [NOSE] * (len(x) - 3))
    neck = _lathe(circle, np.array([0.006, NECK - 0.006]), np.array([0.92, 0.92]), [NOSE])
    core = _lathe(0.62 * circle, np.array([-GAP, GAP]), np.ones(2), [CORE])
    half = 0.5 * (MODULE - GAP)
    edge = np.concatenate([[-half], np.linspace(-half + 0.006, half - 0.006, 7), [half]])
    around = _lathe(shell, edge, np.concatenate([[0.92], np.ones(7), [0.92]]), [SHELL] * 8, KEEL)
    turned = lambda mesh: Mesh(mesh.corners @ PITCHING.T, mesh.normals @ PITCHING.T, mesh.colours)  # noqa: E731
    modules, shells = [core] * 6, [around] * 6
    return (nose, None, turned(neck), turned(core), *modules[1:], turned(around), *shells[1:])


def _lathe(
    outline: Float[np.ndarray, "corners 2"],
    x: Float[np.ndarray, "rings"],
    size: Float[np.ndarray, "rings"],
    colours: Sequence[str],
    stripe: str | None = None,
) -> Mesh:
    """Rings of an outline along x with different sizes, closed by flat ends; a stripe marks the top (t3)."""
    rings = np.stack([np.column_stack([np.full(len(outline), at), s * outline]) for at, s in zip(x, size, strict=True)])
    after = np.roll(rings, -1, axis=1)
    sides = np.stack([rings[:-1], after[:-1], after[1:], rings[1:]], axis=2)
    normal = np.cross(sides[..., 2, :] - sides[..., 0, :], sides[..., 3, :] - sides[..., 1, :])
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12)
    shade = np.repeat(np.stack([rgb(c) for c in colours])[:, None], len(outline), axis=1)
    if stripe is not None:
        shade[:, [0, 1, 2, -1, -2, -3]] = rgb(stripe)
    ends = []
    for ring, sign in ((rings[0], -1.0), (rings[-1], 1.0)):
        middle = np.broadcast_to(ring.mean(axis=0), ring.shape)
        fan = np.stack([middle, ring, np.roll(ring, -1, axis=0), middle], axis=1)
        ends.append(
            Mesh(fan, np.tile([sign, 0.0, 0.0], (len(ring), 1)), np.tile(shade[0, len(outline) // 2], (len(ring), 1)))
        )
    side = Mesh(sides.reshape(-1, 4, 3), normal.reshape(-1, 3), shade.reshape(-1, 3))
    return join(side, *ends)
