"""Panel boundaries of the load grid: pieces of the profile, with panels halved until they resolve the profile."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import Profile
from stepping import program

LOAD_ORDER = 8  # Gauss nodes in a load panel
CELLS = 64  # greatest number of cells into which a panel is cut; narrower features between their nodes are missed
CUT_TOLERANCE = 1e-7  # error of one panel, relative to the area and moments of the whole body

Cuts = tuple[tuple[float, ...], ...]


def profile_segments(profile: Profile) -> tuple[tuple[int, ...], Float[Array, "segments 3"]]:
    """Pieces of the body with a coordinate u in [0, 1] in which its profile is smooth.

    X(u) = a + b u + c u². X is quadratic in u at the nose in the first piece, and at the tail in the last one. In u, a
    profile that closes like a square root is smooth. A body of one piece is cut in two.

    Returns:
        The index of the piece that each segment belongs to, and (a, b, c) of each segment [m].
    """
    breaks = profile.breaks
    pieces = tuple(range(len(profile.pieces)))
    if len(pieces) == 1:
        breaks = jnp.stack([breaks[0], 0.5 * (breaks[0] + breaks[1]), breaks[1]])
        pieces = (0, 0)
    start, width = breaks[:-1], jnp.diff(breaks)
    b, c = width.at[0].set(0.0).at[-1].multiply(2.0), jnp.zeros_like(width)
    return pieces, jnp.stack([start, b, c.at[0].set(width[0]).at[-1].set(-width[-1])], axis=1)


def segment_panels(load_panels: tuple[int, ...]) -> tuple[int, ...]:
    """Number of equal load panels of each segment, from that of each piece."""
    if len(load_panels) != 1:
        return load_panels
    return (-(-load_panels[0] // 2),) * 2


def load_cuts(profile: Profile, load_panels: tuple[int, ...]) -> Cuts:
    """Halves the equal load panels that miss part of the profile, such as a fin narrower than a panel.

    Args:
        profile: the sections along the body.
        load_panels: number of equal panels on each piece.

    Returns:
        Abscissae u in (0, 1) between the panels of each segment; empty if equal panels are sufficient, or if the
        profile is traced.
    """
    counts = segment_panels(load_panels)
    if any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(profile)):
        return ((),) * len(counts)
    with jax.ensure_compile_time_eval():  # a concrete body, possibly inside `jax.jit` of another function
        found = _densities(profile, counts)
    if any(isinstance(part, Tracer) for part in found):  # a piece closes over traced numbers
        return ((),) * len(counts)
    densities = [np.asarray(part) for part in found]
    total = sum(np.sum(_gauss_sum(found), axis=(0, 1)) for found in densities)
    return tuple(_segment_cuts(found, total) for found in densities)


@program
def _densities(profile, counts):
    """Densities of loads and inertias, times dX/du, at the Gauss nodes of all cells of all panels.

    These are area, added mass along both axes, and two second moments: (panels, cells, nodes, 5) for each segment.
    """
    pieces, quadratics = profile_segments(profile)
    node = (np.polynomial.legendre.leggauss(LOAD_ORDER)[0] + 1.0) / 2.0
    found = []
    for k, (piece, panels) in enumerate(zip(pieces, counts, strict=True)):
        u = (np.arange(panels * CELLS)[:, None] + node[None, :]) / (panels * CELLS)
        a0, a1, a2 = quadratics[k]
        section = jax.tree.map(jnp.ravel, jax.vmap(jax.vmap(profile.sections[piece]))(a0 + a1 * u + a2 * u**2))
        _, J2, J3 = jnp.unstack(section.second_moments, axis=-1)
        fields = jnp.stack([section.area, section.lateral_mass, section.dorsal_mass, J2, J3], axis=-1)
        density = (a1 + 2.0 * a2 * u).ravel()[:, None] * fields / (panels * CELLS)
        found.append(density.reshape(panels, CELLS, LOAD_ORDER, 5))
    return found


def _gauss_sum(density):
    """Integral over each cell."""
    weight = np.polynomial.legendre.leggauss(LOAD_ORDER)[1] / 2.0
    return np.einsum("n,...nf->...f", weight, density)


def _segment_cuts(density, total):
    """Halves panels until Gauss quadrature over each panel agrees with the sum over its cells."""
    panels = density.shape[0]
    cuts, even = [], True

    def visit(panel, first, cells):
        nonlocal even
        inside = density[panel, first : first + cells]
        exact = np.sum(_gauss_sum(inside), axis=0)
        coarse = cells * _gauss_sum(_at_gauss_nodes(inside))
        if cells > 1 and np.any(np.abs(coarse - exact) > CUT_TOLERANCE * total):
            even = False
            visit(panel, first, cells // 2)
            visit(panel, first + cells // 2, cells // 2)
            return
        cuts.append((panel + first / CELLS) / panels)

    for panel in range(panels):
        visit(panel, 0, CELLS)
    return () if even else tuple(cuts[1:])


def _at_gauss_nodes(inside):
    """Values at the Gauss nodes of a panel, interpolated from those of its cells."""
    node = np.polynomial.legendre.leggauss(LOAD_ORDER)[0]
    place = (node + 1.0) / 2.0 * inside.shape[0]
    cell = np.minimum(place.astype(int), inside.shape[0] - 1)
    local = 2.0 * (place - cell) - 1.0
    to_coefficients = np.linalg.inv(np.polynomial.legendre.legvander(node, LOAD_ORDER - 1))
    coefficients = np.einsum("kn,mnf->mkf", to_coefficients, inside[cell])
    values = np.polynomial.legendre.legvander(local, LOAD_ORDER - 1)
    return np.einsum("mk,mkf->mf", values, coefficients)
