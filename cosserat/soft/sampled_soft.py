"""A soft beam on the two grids of the fast path: modes, stiffness and damping matrices, computed once per run."""

import contextlib
import itertools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid, BodySection
from stepping import program

from ..sampled_body import SampledBody, sample_body
from ..strain import Gait, StrainRates, strain_rates
from .actuators import StrainedBody
from .soft_beam import Soft, selector
from .threads import AbstractThread, ThreadState


class SampledSoft(eqx.Module):
    """Quantities that are constant while a soft beam moves in a given fluid.

    Attributes:
        soft: the beam.
        body: grids and lumped inertias of the beam; smooth panels end where a free strain may jump.
        phi: modes at the smooth nodes, from node `first` on [-].
        load_phi: modes at the load nodes, times their quadrature weights [m].
        load_stiffness: stiffness of the law at the load nodes [N, N·m²].
        stiffness: stiffness matrix of the modes, K_ε = ∫ΦᵀBᵀHBΦ [J].
        damping: damping matrix of the modes, D_ε = ∫ΦᵀBᵀDBΦ [J·s].
        at_tail: interpolation from the smooth nodes to the tail [-].
        first: first smooth node that a free strain moves.
    """

    soft: Soft
    body: SampledBody
    phi: Float[Array, "modes active"]
    load_phi: Float[Array, "modes loads"]
    load_stiffness: Float[Array, "6 loads"]
    stiffness: Float[Array, "modes modes"]
    damping: Float[Array, "modes modes"]
    at_tail: Float[Array, "nodes"]
    first: int = eqx.field(static=True)

    def strains(self, gait: Gait | None, q: Any, dq: Any, t: Float[Array, ""]) -> StrainRates:
        """Strains at the smooth nodes and their rates, without the contribution of d²q/dt²."""
        imposed = strain_rates(self.soft.imposed(gait), self.body.X, t)
        pick = selector(self.soft.components).T
        both = jnp.concatenate([q[:, None] * pick, dq[:, None] * pick], axis=1)
        free = jnp.pad(self.phi.T @ both, ((self.first, 0), (0, 0)))
        return StrainRates(imposed.xi + free[:, :6], imposed.dxi + free[:, 6:], imposed.ddxi)

    def elastic_strain(self, q: Any) -> Float[Array, "loads 6"]:
        """Rest shape plus free strains at the load nodes [-, 1/m]: the argument of the constitutive law."""
        return jax.vmap(self.soft.rest_strain)(self.body.load_X) + self._free(q)

    def _free(self, q):
        pick = selector(self.soft.components).T
        return (self.load_phi / self.body.load_weight[None, :]).T @ (q[:, None] * pick)

    def internal_force(
        self, gait: Gait | None, q: Any, dq: Any, t: Float[Array, ""], command: Float[Array, "commands"] | None = None
    ) -> Float[Array, "modes"]:
        """-∫ΦᵀBᵀΛ: generalised force of springs, dampers and actuators [J]; commands are zero when None."""
        return -self.elastic_force(q) - self.damping @ dq - self.active_force(gait, q, dq, t, command)

    def elastic_force(self, q: Any) -> Float[Array, "modes"]:
        """∫ΦᵀBᵀ ∂U/∂ξ, which is K_ε q for a linear law [J]."""
        return self.stiffness @ q if self.soft.law.linear else self.projected(self.elastic_stress(q))

    def elastic_stress(self, q: Any) -> Float[Array, "6 loads"]:
        """∂U/∂ξ at the load nodes [N, N·m]."""

        def one(X, section, strain):
            return jax.grad(self.soft.law.energy, argnums=2)(X, section, strain, self.soft.rest_strain(X))

        return jax.vmap(one, out_axes=-1)(self.body.load_X, self.body.load_section, self.elastic_strain(q))

    def viscous_stress(self, dq: Any) -> Float[Array, "6 loads"]:
        """D dξ/dt of the free strains at the load nodes [N, N·m]."""
        viscosity = jax.vmap(self.soft.law.damping, out_axes=-1)(self.body.load_X, self.body.load_section)
        return viscosity * self._free(dq).T

    def strained(self, gait: Gait | None, q: Any, dq: Any, t: Float[Array, ""]) -> StrainedBody:
        """The strains at the load nodes, as input of the actuators."""
        X, imposed = self.body.load_X, self.soft.imposed(gait)
        at = lambda t: jax.vmap(lambda X: imposed(X, t))(X)  # noqa: E731
        strain, rate = jax.jvp(at, (t,), (jnp.ones_like(t),))
        law = self.soft.strain(gait, t, q, dq)
        return StrainedBody(self.body, law, t, strain + self._free(q), rate + self._free(dq), self.load_stiffness.T)

    def active_stress(
        self, gait: Gait | None, q: Any, dq: Any, t: Float[Array, ""], command: Float[Array, "commands"] | None = None
    ) -> Float[Array, "6 loads"]:
        """Λ_act of the actuators at the load nodes [N, N·m]; commands are zero when None."""
        return sum(self._active_stresses(gait, q, dq, t, command), jnp.zeros((6, self.body.load_X.shape[0])))

    def _active_stresses(self, gait, q, dq, t, command):
        along = self.strained(gait, q, dq, t)
        parts = zip(self.soft.actuators, self.soft.actuator_commands(command), strict=True)
        return [actuator.stress(along, given).T for actuator, given in parts]

    def active_powers(
        self, gait: Gait | None, q: Any, dq: Any, t: Float[Array, ""], command: Float[Array, "commands"] | None = None
    ) -> Float[Array, "actuators"]:
        """Power that each actuator delivers to the free strains [W]; commands are zero when None."""
        stresses = self._active_stresses(gait, q, dq, t, command)
        return -jnp.asarray([self.projected(stress) @ dq for stress in stresses], float)

    def active_force(
        self, gait: Gait | None, q: Any, dq: Any, t: Float[Array, ""], command: Float[Array, "commands"] | None = None
    ) -> Float[Array, "modes"]:
        """∫ΦᵀBᵀΛ_act [J]; commands are zero when None."""
        if not self.soft.actuators:
            return jnp.zeros(self.soft.modes)
        return self.projected(self.active_stress(gait, q, dq, t, command))

    def threads(
        self, gait: Gait | None, q: Any, dq: Any, t: Float[Array, ""], command: Float[Array, "commands"] | None = None
    ) -> ThreadState:
        """Lengths, rates and tensions of the threads among the actuators; commands are zero when None."""
        along, empty = self.strained(gait, q, dq, t), jnp.zeros(0)
        parts = zip(self.soft.actuators, self.soft.actuator_commands(command), strict=True)
        states = [thread.state(along, given) for thread, given in parts if isinstance(thread, AbstractThread)]
        return jax.tree.map(lambda *x: jnp.stack(x), *states) if states else ThreadState(empty, empty, empty)

    def projected(self, stress: Float[Array, "6 loads"]) -> Float[Array, "modes"]:
        """∫ΦᵀBᵀΛ of a stress at the load nodes [J]."""
        return jnp.sum(self.load_phi * stress[np.asarray(self.soft.components, int)], axis=1)

    def elastic_density(self, X: Float[Array, "stations"], section: BodySection, q: Any) -> Float[Array, "stations"]:
        """U(X, ξ): elastic energy of the free strains per metre, at abscissae [m] with their sections [J/m]."""

        def one(X, section):
            rest = self.soft.rest_strain(X)
            return self.soft.law.energy(X, section, rest + self.soft.free_strain(X, q), rest)

        return jax.vmap(one)(X, section)

    def elastic_energy(self, q: Any) -> Float[Array, ""]:
        """U = ∫U(X, ξ) dX of the free strains [J]."""
        if self.soft.law.linear:
            return 0.5 * q @ self.stiffness @ q

        def one(X, section, strain):
            return self.soft.law.energy(X, section, strain, self.soft.rest_strain(X))

        body = self.body
        return jnp.sum(body.load_weight * jax.vmap(one)(body.load_X, body.load_section, self.elastic_strain(q)))


def sample_soft(soft: Soft, fluid: AbstractFluid, order: int, panels: int | None, loads: int = 1) -> SampledSoft:
    """Samples a soft beam on the two grids; immediately if its numbers are concrete, even inside `jax.jit`.

    Args:
        soft: the beam.
        fluid: the fluid around it.
        order: Gauss nodes in a panel of the smooth grid.
        panels: number of panels between two knots, at which a free strain may jump; one when None.
        loads: number of panels that replace each load panel of the body.
    """
    # A function of X may close over traced numbers. Only those of loads, rest shape and actuators are allowed here,
    # because they are not called.
    traced = any(isinstance(x, Tracer) for x in jax.tree.leaves((soft, fluid)))
    known = not traced and all(map(eqx.is_array, jax.tree.leaves((soft.beam, soft.pieces, soft.law, fluid))))
    with jax.ensure_compile_time_eval() if known else contextlib.nullcontext():
        return _sample_soft(soft, fluid, order, panels, loads)


@program
def _sample_soft(soft, fluid, order, panels, loads) -> SampledSoft:
    panels = panels or 1
    fractions = np.asarray(soft.knots)
    fine = np.concatenate([a + (b - a) * np.arange(panels) / panels for a, b in itertools.pairwise(fractions)])
    knots = soft.length * jnp.asarray(np.append(fine, 1.0))
    count = len(fine)
    body = sample_body(soft.beam, fluid, order, count, loads, None if count == 1 else knots)
    begin = min((begin for (begin, _), piece in zip(soft.ends, soft.pieces, strict=True) if piece.count), default=0.0)
    first = order * int(np.searchsorted(fine, begin - 1e-9))
    load_phi = jax.vmap(soft.functions, out_axes=-1)(body.load_X)
    H = jax.vmap(soft.law.stiffness, out_axes=-1)(body.load_X, body.load_section)
    D = jax.vmap(soft.law.damping, out_axes=-1)(body.load_X, body.load_section)
    component = np.asarray(soft.components, int)
    same = np.equal.outer(component, component)
    weighted = body.load_weight[None, :] * load_phi
    matrix = lambda law: jnp.where(same, (weighted * law[component]) @ load_phi.T, 0.0)  # noqa: E731
    return SampledSoft(
        soft=soft,
        body=body,
        phi=jax.vmap(soft.functions, out_axes=-1)(body.X)[:, first:],
        load_phi=weighted,
        load_stiffness=H,
        stiffness=matrix(H),
        damping=matrix(D),
        at_tail=body.stations(body.beam.length[None]).from_smooth[:, 0],
        first=first,
    )
