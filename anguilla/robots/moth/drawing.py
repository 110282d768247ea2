"""Surface of the moth: thorax and wings with their elliptic outline, at any recorded instant."""

import numpy as np
import xarray as xr
from jaxtyping import Float

from anguilla.view.surface import Mesh, Sections, join, rgb, tube

THORAX, STRIPE, EYE_COLOUR = "#6B5A49", "#C9A36A", "#20160F"
WING, EDGE, BAND, SPOT = "#B99B77", "#6E553D", "#8D7355", "#D98C5F"
SIDES = ("right", "left")


def wing_surface(
    dataset: xr.Dataset, instant: int, side: str, along: int = 65, across: int = 25
) -> Float[np.ndarray, "along across 3"]:
    """Points of a wing from root to tip and from the leading to the trailing edge, in the world [m].

    The leading edge is that of the blades. The direction of the chord is interpolated between the midpoints of the
    blades, and its length is that of the elliptic wing.
    """
    names = [str(name) for name in dataset["body"].values]
    blades = [k for k, name in enumerate(names) if name.startswith(f"{side}_blade")]
    M, span, chord = len(blades), float(dataset.attrs["span"]), float(dataset.attrs["chord"])
    origin = dataset["position"].values[instant, blades]
    axes = dataset["rotation"].values[instant, blades]
    # Spacing by angle: points cluster at the tip, where the outline closes.
    X = span * np.sin(np.linspace(0.0, np.pi / 2, along))
    blade = np.minimum((X / span * M).astype(int), M - 1)
    edge = origin[blade] + (X - blade * span / M)[:, None] * axes[blade][:, :, 0]
    middle = (np.arange(M) + 0.5) * span / M
    down = np.stack([np.interp(X, middle, -axes[:, k, 2]) for k in range(3)], axis=-1)
    down /= np.linalg.norm(down, axis=1, keepdims=True)
    width = chord * np.sqrt(np.maximum(1.0 - (X / span) ** 2, 0.0))
    return edge[:, None] + (width[:, None] * np.linspace(0.0, 1.0, across))[..., None] * down[:, None]


def thorax_sections(dataset: xr.Dataset, instant: int, rings: int = 25) -> Sections:
    """The ellipsoid as rings from its lower to its upper end."""
    a, b, c = (float(x) for x in dataset.attrs["thorax"])
    height = -np.cos(np.linspace(0.0, np.pi, rings))
    rotation = dataset["rotation"].values[instant, 0]
    size = np.sqrt(1.0 - height**2)
    place = dataset["position"].values[instant, 0] + c * height[:, None] * rotation[None, :, 2]
    turned = np.stack([rotation[:, 2], rotation[:, 0], rotation[:, 1]], axis=-1)  # along, across, across
    return Sections(place, np.broadcast_to(turned, (rings, 3, 3)), a * size, b * size)


def moth_mesh(dataset: xr.Dataset, instant: int) -> Mesh:
    """Thorax and both wings, each wing with its two faces."""
    thorax = thorax_sections(dataset, instant)
    stripes = np.sin(np.linspace(0.0, 7.0 * np.pi, len(thorax.b))) > 0.4
    stripes[len(stripes) // 2 :] = False  # only the lower half, the abdomen, has stripes
    colour = np.where(stripes[:, None], rgb(STRIPE), rgb(THORAX))
    head = np.arange(len(thorax.b)) >= len(thorax.b) - 5
    colour = np.where(head[:, None], rgb(EYE_COLOUR), colour)
    body = tube(thorax, np.repeat(colour[:, None], 24, axis=1))
    return join(body, *(_wing_mesh(wing_surface(dataset, instant, side)) for side in SIDES))


def _wing_mesh(points: Float[np.ndarray, "along across 3"]) -> Mesh:
    corners = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2).reshape(-1, 4, 3)
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.maximum(length, 1e-300)
    colours = _pattern(points.shape[0] - 1, points.shape[1] - 1).reshape(-1, 3)
    whole = length[:, 0] > 0
    corners, normals, colours = corners[whole], normals[whole], colours[whole]
    return Mesh(np.concatenate([corners, corners]), np.concatenate([normals, -normals]), np.tile(colours, (2, 1)))


def _pattern(along: int, across: int) -> Float[np.ndarray, "along across 3"]:
    """Pattern of a hawkmoth's wing: dark leading edge and tip, two bands, a spot, with soft edges."""
    s, c = np.meshgrid((np.arange(along) + 0.5) / along, (np.arange(across) + 0.5) / across, indexing="ij")
    wave = 0.02 * np.sin(9.0 * c)
    parts = (
        (BAND, np.abs(s - 0.42 - 0.1 * c + wave) - 0.035),
        (BAND, np.abs(s - 0.72 - 0.08 * c - wave) - 0.04),
        (SPOT, np.hypot(s - 0.57, 0.45 * (c - 0.38)) - 0.045),
        (EDGE, np.minimum(0.5 * (c - 0.08), 0.94 - s)),
    )
    colours = np.broadcast_to(rgb(WING), (along, across, 3))
    for colour, outside in parts:
        share = np.clip(0.5 - outside / 0.03, 0.0, 1.0)[..., None]
        colours = (1.0 - share) * colours + share * rgb(colour)
    return colours
