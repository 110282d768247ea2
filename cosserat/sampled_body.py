"""A body on the two grids of the fast path: matrices and lumped inertias, computed once per run."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid, BodySection
from spatial import nodewise
from stepping import program

from .beam import Beam
from .node_arrays import Transfer
from .quadrature import (
    LOAD_ORDER,
    LoadPanels,
    cumulative,
    gauss,
    integral_from_head,
    integration,
    interpolation,
    load_nodes,
    load_panels,
    locate,
    nodes_in,
)
from .sampled_masses import SampledMasses

GRID = (32, 1, 1)  # default grid: nodes per panel, panels, and panels that replace each load panel


class PanelIntegral(eqx.Module):
    """Integrals from the nose to the body's own load nodes and tail, of a density at the load nodes.

    The load grid may be finer than the body's own by a whole number of panels. The cost is proportional to the number
    of nodes; that of a matrix, to its square.

    Attributes:
        jacobian: dX/du of the load panels at their nodes [m].
        inside: maps values in one of the body's own panels to integrals from its start to its nodes and end.
    """

    jacobian: Float[Array, "loads"]
    inside: Float[Array, "fine own_and_one"]

    def __rmatmul__(self, density: Float[Array, "k loads"]) -> Float[Array, "k points"]:
        return integral_from_head(self.jacobian[None, :] * density, self.inside, end=True)


class Stations(eqx.Module):
    """Abscissae along a sampled body, with the maps from its nodes to them.

    Attributes:
        from_smooth: interpolation from the smooth nodes.
        from_loads: integrals from the nose of a density at the load nodes [m].
        X: the abscissae [m].
        section: sections of the body at the abscissae.
    """

    from_smooth: Float[Array, "nodes points"]
    from_loads: Float[Array, "loads points"] | PanelIntegral
    X: Float[Array, "points"]
    section: BodySection


class Leaving(eqx.Module):
    """The point at which water that passes along the body leaves it.

    Attributes:
        X: abscissa of the point [m].
        from_smooth: interpolation from the smooth nodes to the point.
        added: added inertia per metre of the slice that leaves [kg/m, kg·m].
    """

    X: Float[Array, ""]
    from_smooth: Float[Array, "nodes"]
    added: Float[Array, "6 6"]


class SampledBody(eqx.Module):
    """Quantities that are constant while a body moves in a fluid.

    The inertias are lumped on the smooth nodes with product-integration weights (the integral of the density
    times each node's interpolation polynomial), so the profile's breaks need no extra nodes.

    Attributes:
        beam: the body.
        X: smooth nodes [m].
        panel_integral: maps values in one smooth panel to integrals from its start to its nodes and its end [m].
        inertia: inertia of the body lumped on the smooth nodes [kg, kg·m²].
        added: added inertia of the fluid lumped on the smooth nodes [kg, kg·m²].
        nose_added: added inertia of the nose [kg, kg·m²].
        load_X: load nodes [m].
        load_weight: quadrature weights of the load nodes [m].
        load_section: sections at the load nodes.
        load_inertia: inertia of the body per metre at the load nodes [kg/m, kg·m].
        load_added: added inertia of the fluid per metre at the load nodes [kg/m, kg·m].
        load_quadratic: (a, b, c) of the maps X(u) = a + b u + c u² of the load panels [m].
        to_load: interpolation from the smooth to the load nodes.
        from_load: transpose of `to_load` with the quadrature weights: maps densities at the load nodes to loads on the
            smooth nodes [m].
        leaving: point where the water leaves; None for a fluid that carries none along the body.
        masses: the point masses; None for none.
        knots: ends of the smooth panels [m]; None for uniform panels.
    """

    beam: Beam
    X: Float[Array, "nodes"]
    panel_integral: Float[Array, "order order_and_one"]
    inertia: Float[Array, "6 6 nodes"]
    added: Float[Array, "6 6 nodes"]
    nose_added: Float[Array, "6 6"]
    load_X: Float[Array, "loads"]
    load_weight: Float[Array, "loads"]
    load_section: BodySection
    load_inertia: Float[Array, "6 6 loads"]
    load_added: Float[Array, "6 6 loads"]
    load_quadratic: Float[Array, "panels 3"]
    to_load: Transfer
    from_load: Transfer
    leaving: Leaving | None
    masses: SampledMasses | None
    knots: Float[Array, "panels_and_one"] | None = None

    @property
    def stretch(self) -> Float[Array, "nodes"] | None:
        """Width of each node's panel relative to a uniform one [-]; None if the panels are uniform.

        A strain times this factor, integrated as if the panels were uniform, gives the integrals along the body.
        """
        if self.knots is None:
            return None
        order = self.panel_integral.shape[0]
        return jnp.repeat(jnp.diff(self.knots), order) * ((self.knots.shape[0] - 1) / self.beam.length)

    def stations(self, X: Float[Array, "points"]) -> Stations:
        """Prepares abscissae [m] for repeated evaluation."""
        panel, u = locate(self.load_quadratic, X)
        cell = jnp.arange(self.load_quadratic.shape[0])[:, None, None]
        whole = jnp.asarray(gauss(LOAD_ORDER)[1])[None, :, None]
        part = jnp.where(cell == panel[None, None, :], integration(u, LOAD_ORDER).T[None], 0.0)
        in_u = jnp.where(cell < panel[None, None, :], whole, part)
        from_loads = (self._jacobian()[:, :, None] * in_u).reshape(self.load_X.shape[0], -1)
        return Stations(self._interpolation(X), from_loads, X, jax.vmap(self.beam.profile)(X))

    def own_nodes(self, inside: Float[Array | np.ndarray, "fine own_and_one"] | None = None) -> Stations:
        """The load nodes of the body itself, of which this grid may be a refinement, and the tail.

        Args:
            inside: `PanelIntegral.inside`; that of equal panels when None.
        """
        own = load_nodes(self.beam)
        X = jnp.append(own.X.ravel(), self.beam.length)
        if inside is None:
            inside = cumulative(LOAD_ORDER, self.load_quadratic.shape[0] // own.X.shape[0])
        from_loads = PanelIntegral(self._jacobian().ravel(), jnp.asarray(inside))
        return Stations(self._interpolation(X), from_loads, X, jax.vmap(self.beam.profile)(X))

    def _interpolation(self, X):
        """Matrix from the smooth nodes to abscissae [m]."""
        order = self.panel_integral.shape[0]
        return _interpolation(_even(X, self.beam.length, self.knots), order, self.X.shape[0] // order)

    def integral_at_loads(self, f: Float[Array, "k loads"]) -> Float[Array, "k loads"]:
        """Integrals from the nose to the load nodes of a density at these nodes."""
        return integral_from_head(self._jacobian().reshape(1, -1) * f, cumulative(LOAD_ORDER))

    def _jacobian(self):
        """dX/du of the load panels at their nodes."""
        return self.load_quadratic[:, 1:2] + 2.0 * self.load_quadratic[:, 2:] * gauss(LOAD_ORDER)[0][None, :]


@program  # compiled separately so that every caller shares it
def sample_body(
    beam: Beam,
    fluid: AbstractFluid,
    order: int,
    panels: int,
    loads: int = 1,
    knots: Float[Array, "panels_and_one"] | None = None,
) -> SampledBody:
    """Places the two grids on a body, and lumps its inertia and that of the fluid.

    Args:
        beam: the body.
        fluid: the fluid around it.
        order: Gauss nodes in one panel of the smooth grid.
        panels: panels of the smooth grid.
        loads: number of load panels that replace each of the body's own.
        knots: ends of the smooth panels [m]; uniform when None.
    """
    return sample_body_on(beam, fluid, order, panels, load_panels(beam, loads), knots)


def sample_body_on(
    beam: Beam,
    fluid: AbstractFluid,
    order: int,
    panels: int,
    loads: LoadPanels,
    knots: Float[Array, "panels_and_one"] | None = None,
) -> SampledBody:
    """`sample_body` with given load panels."""
    node, _ = gauss(order)
    L, h = beam.length, beam.length / panels
    if knots is None:
        X = L * jnp.asarray(((np.arange(panels)[:, None] + node[None, :]) / panels).ravel())
    else:
        X = (knots[:-1, None] + jnp.diff(knots)[:, None] * node[None, :]).ravel()

    grid = nodes_in(beam, loads)
    section = jax.tree.map(jnp.ravel, grid.section)
    load_X, load_weight = grid.X.ravel(), grid.weight.ravel()
    to_load = Transfer(_interpolation(_even(load_X, L, knots), order, panels))
    from_load = Transfer(load_weight[:, None] * to_load.back)
    load_inertia = nodewise(beam.section_inertia)(section, load_X)
    load_added = slices_added(fluid, beam, load_X, section)
    inertia, masses = load_inertia @ from_load, None
    if beam.masses is not None:
        masses = SampledMasses(beam.masses, _interpolation(_even(beam.masses.X, L, knots), order, panels))
        inertia = inertia + masses.lumped()
    return SampledBody(
        beam=beam,
        X=X,
        panel_integral=h * cumulative(order),
        inertia=inertia,
        added=load_added @ from_load,
        nose_added=fluid.nose_added_inertia(beam.nose_radius),
        load_X=load_X,
        load_weight=load_weight,
        load_section=section,
        load_inertia=load_inertia,
        load_added=load_added,
        load_quadratic=grid.quadratic,
        to_load=to_load,
        from_load=from_load,
        leaving=_leaving(beam, fluid, order, panels, knots),
        masses=masses,
        knots=knots,
    )


def slices_added(
    fluid: AbstractFluid, beam: Beam, X: Float[Array, "points"], section: BodySection
) -> Float[Array, "6 6 points"]:
    """Added inertia per metre at abscissae X [kg/m, kg·m], of the sections that determine the water slices."""
    if fluid.shedding is not None:
        section = fluid.shedding.water_section(beam.profile, X, section)
    return jax.vmap(fluid.added_inertia, out_axes=-1)(section)


def _leaving(beam, fluid, order, panels, knots):
    if fluid.shedding is None:
        return None
    X = fluid.shedding.leaving(beam.profile)
    from_smooth = _interpolation(_even(X[None], beam.length, knots), order, panels)[:, 0]
    return Leaving(X, from_smooth, fluid.added_inertia(fluid.shedding.leaving_section(beam.profile)))


def _even(X, length, knots):
    """Abscissae mapped to [0, 1] such that all panels have the same width."""
    return X / length if knots is None else jnp.interp(X, knots, np.linspace(0.0, 1.0, knots.shape[0]))


def _interpolation(x, order, panels):
    """Interpolation from the smooth nodes to points x in [0, 1]."""
    panel = jnp.clip(jnp.floor(x * panels), 0, panels - 1)
    local = interpolation(x * panels - panel, order)
    mine = panel[None, :] == jnp.arange(panels)[:, None]
    return (mine[:, None, :] * local.T[None, :, :]).reshape(-1, x.shape[0])
