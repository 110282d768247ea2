"""Nodes along the body: Gauss panels, their cumulative integrals, and interpolation between grids.

There are two grids. The *smooth* grid represents the shape (orientation, velocity, ...), which is as smooth as the
gait, on few nodes. The *load* grid follows the profile piece by piece and represents rough quantities: semi-axes that
close like a square root at nose and tail, and drag with the kink of |V|V.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from hydro import BodySection
from spatial.checks import of_kind

from .beam import Beam
from .load_cuts import LOAD_ORDER, profile_segments, segment_panels

CLOSED = 1e-12  # lower bound of dX/du at the closed end of a cell, relative to its length


@functools.cache
def gauss(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(order)
    return (x + 1.0) / 2.0, w / 2.0


@functools.cache
def legendre_coefficients(order: int) -> np.ndarray:
    """Matrix from values at the Gauss nodes to Legendre coefficients on [0, 1]."""
    x, w = gauss(order)
    values = np.polynomial.legendre.legvander(2.0 * x - 1.0, order - 1)
    return (2.0 * np.arange(order) + 1.0)[:, None] * (values * w[:, None]).T


def chebyshev(x: Float[Array, "points"], order: int) -> Float[Array, "points order"]:
    """Chebyshev polynomials T_0 .. T_{order-1} shifted to [0, 1], at the points x.

    The recurrence T_{n+j} = 2 T_n T_j - T_{n-j} doubles their number in each step. This makes a short program that is
    accurate up to both ends.
    """
    z = 2.0 * x - 1.0
    values = jnp.stack([jnp.ones_like(z), z], axis=-1)
    while values.shape[-1] < order:
        more = 2.0 * values[:, -1:] * values[:, 1:] - values[:, -2::-1]
        values = jnp.concatenate([values, more], axis=-1)
    return values[:, :order]


def interpolation(x: Float[Array, "points"], order: int) -> Float[Array, "points order"]:
    """Matrix from values at the Gauss nodes of [0, 1] to values at the points x."""
    return chebyshev(x, order) @ _chebyshev_coefficients(order)


def integration(x: Float[Array, "points"], order: int) -> Float[Array, "points order"]:
    """Matrix from values at the Gauss nodes of [0, 1] to integrals from 0 to the points x."""
    return chebyshev(x, order + 1) @ _primitive_coefficients(order)


@functools.cache
def cumulative(order: int, times: int = 1, empty: int = 0) -> np.ndarray:
    """Matrix from rows of values at the Gauss nodes of [0, 1] to their integrals from 0 to these nodes and to 1.

    Args:
        order: number of nodes.
        times: number of equal intervals into which [0, 1] is divided. The values are then at the Gauss nodes of each
            interval, and the unit of length is one interval.
        empty: number of intervals of no length that follow; the values at their nodes do not count.
    """
    x, w = gauss(order)
    end = times * np.append(x, 1.0)
    interval = np.minimum(end.astype(int), times - 1)
    last = np.polynomial.chebyshev.chebvander(2.0 * (end - interval) - 1.0, order) @ _primitive_coefficients(order)
    parts = [np.where(k < interval, w[:, None], np.where(k == interval, last.T, 0.0)) for k in range(times)]
    return np.concatenate([*parts, np.zeros((empty * order, order + 1))])


def integral_from_head(
    density: Float[Array, "_ nodes"],
    panel_integral: Float[Array | np.ndarray, "order points_and_one"],
    end: bool = False,
) -> Float[Array, "_ points"]:
    """Integrals from the head to the points of uniform panels, such as their Gauss nodes.

    The cost is proportional to the number of nodes.

    Args:
        density: values at the nodes.
        panel_integral: maps values in one panel to integrals from its start to its points and end.
        end: append the integral over all panels.
    """
    inside = density.reshape(density.shape[0], -1, panel_integral.shape[0]) @ panel_integral
    total = inside[..., -1]
    if inside.shape[1] == 1:
        return inside[:, 0] if end else inside[:, 0, :-1]
    upto = jnp.cumsum(total, axis=1)
    points = (inside[..., :-1] + (upto - total)[..., None]).reshape(density.shape[0], -1)
    return jnp.concatenate([points, upto[:, -1:]], axis=1) if end else points


def gathered_from_tail(
    loads: Float[Array, "_ nodes"],
    panel_integral: Float[Array, "order order_and_one"],
    tail: Float[Array, "_"] | None = None,
) -> Float[Array, "_ nodes"]:
    """The transpose of `integral_from_head`: each node collects the loads of all nodes that it moves.

    Args:
        loads: loads on the nodes.
        panel_integral: maps values in one panel to integrals from its start to its nodes and end.
        tail: load on the end of the last panel; None for none.
    """
    inside, whole = panel_integral[:, :-1], panel_integral[:, -1]
    panels = loads.reshape(loads.shape[0], -1, panel_integral.shape[0])
    total = jnp.sum(panels, axis=-1)
    behind = jnp.cumsum(total[:, ::-1], axis=1)[:, ::-1] - total
    if tail is not None:
        behind = behind + tail[:, None]
    return (panels @ inside.T + behind[..., None] * whole[None, None, :]).reshape(loads.shape)


@functools.cache
def _chebyshev_coefficients(order: int) -> np.ndarray:
    """Matrix from values at the Gauss nodes to Chebyshev coefficients on [0, 1]."""
    return np.linalg.inv(np.polynomial.chebyshev.chebvander(2.0 * gauss(order)[0] - 1.0, order - 1))


@functools.cache
def _primitive_coefficients(order: int) -> np.ndarray:
    """Matrix from values at the Gauss nodes to Chebyshev coefficients of the integral from 0, on [0, 1]."""
    return np.polynomial.chebyshev.chebint(_chebyshev_coefficients(order), lbnd=-1.0, scl=0.5)


class LoadNodes(eqx.Module):
    """The load grid of a beam.

    Attributes:
        X: abscissae of the nodes, panel by panel [m].
        weight: quadrature weights [m].
        section: sections at the nodes.
        quadratic: (a, b, c) of each panel, X(u) = a + b u + c u² for u in [0, 1] [m].
    """

    X: Float[Array, "panels order"]
    weight: Float[Array, "panels order"]
    section: BodySection
    quadratic: Float[Array, "panels 3"]


def segments(beam: Beam) -> tuple[tuple[int, ...], Float[Array, "segments 3"]]:
    """`profile_segments` of a body."""
    return profile_segments(beam.profile)


LoadPanels = tuple[np.ndarray, ...]  # for each segment, rows of starts and widths of its panels, in u


def load_panels(beam: Beam, times: int = 1, empty: int = 0) -> LoadPanels:
    """Panels of the load grid: equal in u in each segment, or at the beam's `load_cuts`.

    Args:
        beam: the body.
        times: number of panels that replace each of the beam's own panels.
        empty: number of panels of no width that follow them, in the middle of the beam's own panel.
    """
    counts = segment_panels(beam.load_panels)
    return tuple(_panels(cuts, count, times, empty) for cuts, count in zip(beam.load_cuts, counts, strict=True))


def load_nodes(beam: Beam) -> LoadNodes:
    """The load grid: Gauss nodes in its panels."""
    return nodes_in(beam, load_panels(beam))


def nodes_in(beam: Beam, panels: LoadPanels) -> LoadNodes:
    """The load grid with given panels."""
    pieces, quadratics = segments(beam)
    u_node, u_weight = gauss(LOAD_ORDER)
    X, weight, sections, panel_quadratic = [], [], [], []
    for k, piece in enumerate(pieces):
        start, h = panels[k]
        a0, a1, a2 = quadratics[k]
        local = jnp.stack(
            [
                a0 + a1 * start + a2 * start**2,
                h * (a1 + 2.0 * a2 * start),
                h**2 * a2,
            ],
            axis=1,
        )
        u = u_node[None, :]
        nodes = local[:, :1] + local[:, 1:2] * u + local[:, 2:] * u**2
        X.append(nodes)
        weight.append((local[:, 1:2] + 2.0 * local[:, 2:] * u) * u_weight[None, :])
        sections.append(jax.vmap(jax.vmap(beam.profile.sections[piece]))(nodes))
        panel_quadratic.append(local)
    section = jax.tree.map(lambda *parts: jnp.concatenate(parts), *sections)
    return LoadNodes(jnp.concatenate(X), jnp.concatenate(weight), section, jnp.concatenate(panel_quadratic))


def mass(beam: Beam) -> Float[Array, ""]:
    """Mass of the body, with its point masses [kg]."""
    of_kind("beam", beam, Beam, "a cosserat.Beam")
    nodes = load_nodes(beam)
    if callable(beam.density):
        own = jnp.sum(jax.vmap(jax.vmap(beam.density_at))(nodes.X) * nodes.weight * nodes.section.area)
    else:
        own = beam.density * jnp.sum(nodes.weight * nodes.section.area)
    return own if beam.masses is None else own + jnp.sum(beam.masses.mass)


def volume(beam: Beam) -> Float[Array, ""]:
    """Volume of the body [m³]."""
    of_kind("beam", beam, Beam, "a cosserat.Beam")
    nodes = load_nodes(beam)
    return jnp.sum(nodes.weight * nodes.section.area)


def _panels(cuts, count, times, empty):
    """Starts and widths of the panels of a segment."""
    cuts = np.asarray((0.0, *cuts, 1.0)) if cuts else np.arange(count + 1) / count
    start, width = cuts[:-1, None], np.diff(cuts)[:, None]
    starts = np.concatenate([start + width * np.arange(times) / times, np.repeat(start + width / 2, empty, 1)], axis=1)
    widths = np.concatenate([np.repeat(width / times, times, 1), np.zeros((len(width), empty))], axis=1)
    return np.stack([starts.ravel(), widths.ravel()])


def locate(
    quadratics: Float[Array, "cells 3"], X: Float[Array, "points"]
) -> tuple[Int[Array, "points"], Float[Array, "points"]]:
    """For each abscissa, the index of its cell among maps X(u) = a + b u + c u² of u in [0, 1], and its u."""
    first = jnp.searchsorted(quadratics[:, 0], X, side="right", method="compare_all") - 1
    cell = jnp.clip(first, 0, quadratics.shape[0] - 1)
    a, b, c = jnp.unstack(quadratics[cell], axis=1)
    # The root of c u² + b u = X - a, in the form that is accurate for c of either sign.
    past = jnp.maximum(X - a, 0.0)
    # Where a cell closes (the tip of the tail) the square root vanishes; a lower bound keeps it differentiable there.
    square = jnp.maximum(b * b + 4.0 * c * past, CLOSED**2 * (b * b + c * c))
    return cell, 2.0 * past / (b + jnp.sqrt(square))
