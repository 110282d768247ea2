"""A body laid on the two grids of the fast path: matrices and lumped inertias, made once per run."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import AbstractFluid, EllipticSection
from spatial import nodewise

from .beam import Beam
from .quadrature import LOAD_ORDER, gauss, integration, interpolation, load_nodes, locate


class SampledBody(eqx.Module):
    """What does not change while a given body moves in a given fluid.

    The inertias are lumped on the smooth nodes with product-integration weights (the integral of the density
    times each node's interpolation polynomial), so the profile's breaks cost no nodes.

    Attributes:
        beam: the body.
        X: smooth nodes [m].
        panel_cumulative: integrals inside one smooth panel, to its nodes and its end [m].
        inertia: inertia of the body lumped on the smooth nodes [kg, kg·m²].
        added: added inertia of the fluid lumped on the smooth nodes [kg, kg·m²].
        nose_added: added inertia of the nose [kg, kg·m²].
        load_X: load nodes [m].
        load_weight: their quadrature weights [m].
        load_section: sections there.
        load_inertia: inertia of the body per metre there [kg/m, kg·m].
        load_added: added inertia of the fluid per metre there [kg/m, kg·m].
        load_quadratic: maps X(u) = a + b u + c u² of the load panels [m].
        to_load: interpolation from the smooth to the load nodes.
    """

    beam: Beam
    X: Float[Array, "nodes"]
    panel_cumulative: Float[Array, "order_and_one order"]
    inertia: Float[Array, "6 6 nodes"]
    added: Float[Array, "6 6 nodes"]
    nose_added: Float[Array, "6 6"]
    load_X: Float[Array, "loads"]
    load_weight: Float[Array, "loads"]
    load_section: EllipticSection
    load_inertia: Float[Array, "6 6 loads"]
    load_added: Float[Array, "6 6 loads"]
    load_quadratic: Float[Array, "panels 3"]
    to_load: Float[Array, "loads nodes"]

    def interpolation(self, X: Float[Array, "points"]) -> Float[Array, "points nodes"]:
        """Matrix from values at the smooth nodes to values at the abscissae X [m]."""
        order = self.panel_cumulative.shape[1]
        return _interpolation(X / self.beam.length, order, self.X.shape[0] // order)

    def integral_at_loads(self, f: Float[Array, "k loads"]) -> Float[Array, "k loads"]:
        """Integrals from the nose to the load nodes of a density known there."""
        per_panel = self._density_in_u(f)
        inside = per_panel @ integration(jnp.asarray(gauss(LOAD_ORDER)[0]), LOAD_ORDER).T
        return (self._before(per_panel)[:, :, None] + inside).reshape(f.shape)

    def integral_at(self, X: Float[Array, "points"], f: Float[Array, "k loads"]) -> Float[Array, "k points"]:
        """Integrals from the nose to the abscissae X [m] of a density known at the load nodes."""
        per_panel = self._density_in_u(f)
        panel, u = locate(self.load_quadratic, X)
        inside = jnp.einsum("pg,kpg->kp", integration(u, LOAD_ORDER), per_panel[:, panel])
        return self._before(per_panel)[:, panel] + inside

    def _density_in_u(self, f):
        u = gauss(LOAD_ORDER)[0]
        jacobian = self.load_quadratic[:, 1:2] + 2.0 * self.load_quadratic[:, 2:] * u[None, :]
        return jacobian[None] * f.reshape(f.shape[0], -1, LOAD_ORDER)

    def _before(self, per_panel):
        total = per_panel @ gauss(LOAD_ORDER)[1]
        return jnp.cumsum(total, axis=1) - total


@eqx.filter_jit  # a program of its own, for all that follows the body
def sample_body(beam: Beam, fluid: AbstractFluid, order: int, panels: int) -> SampledBody:
    """Lays the two grids on a body, and lumps its inertia and the fluid's."""
    node, _ = gauss(order)
    L, h = beam.length, beam.length / panels
    X = L * jnp.asarray(((np.arange(panels)[:, None] + node[None, :]) / panels).ravel())
    panel_cumulative = integration(jnp.append(node, 1.0), order)

    loads = load_nodes(beam)
    section = jax.tree.map(jnp.ravel, loads.section)
    load_X, load_weight = loads.X.ravel(), loads.weight.ravel()
    to_load = _interpolation(load_X / L, order, panels)
    weighted = to_load * load_weight[:, None]
    load_inertia = nodewise(beam.section_inertia)(section)
    load_added = jax.vmap(fluid.added_inertia, out_axes=-1)(section)
    return SampledBody(
        beam=beam,
        X=X,
        panel_cumulative=h * panel_cumulative,
        inertia=load_inertia @ weighted,
        added=load_added @ weighted,
        nose_added=fluid.nose_added_inertia(beam.nose_radius),
        load_X=load_X,
        load_weight=load_weight,
        load_section=section,
        load_inertia=load_inertia,
        load_added=load_added,
        load_quadratic=loads.quadratic,
        to_load=to_load,
    )


def _interpolation(x, order, panels):
    """From the smooth nodes to points x in [0, 1]."""
    panel = jnp.clip(jnp.floor(x * panels), 0, panels - 1)
    local = interpolation(x * panels - panel, order)
    mine = panel[:, None] == jnp.arange(panels)[None, :]
    return (mine[:, :, None] * local[:, None, :]).reshape(x.shape[0], -1)
