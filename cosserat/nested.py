"""Reference space path: the ODEs of [BPK06, VIII] as printed (with corrections), by a diffrax solver along X.

The equations are in the world frame; the states are the quaternion field, the composite inertia and the wrenches. Only
the gait, the fluid and the body are shared with the fast path, and the two loops share no quadrature, so that the tail
condition n(L) = M(L) = 0 is an independent check.
"""

from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import AbstractFluid, BodySection, Place, Void
from spatial import angular, cross, hat, join, linear, matrix_from_quaternion, quaternion_rate, solve_inertia
from spatial.checks import integer, of_kind

from .beam import Beam
from .nested_masses import Carried, Motion, masses_at_nose, with_masses
from .panel_loops import FirstLoop, first_loop
from .quadrature import locate, segments
from .sampled_body import GRID, SampledBody, sample_body
from .space_path import AbstractSpacePath, BothLoops, HeadDynamics
from .state import HeadState
from .strain import Gait, strain_rates


class Nested(AbstractSpacePath):
    """Any diffrax solver along X. About a hundred times slower than `Panels`; used as a reference.

    Attributes:
        solver: a diffrax solver.
        controller: a diffrax step size controller. Tolerances of 1e-11 or less give at least nine digits.
        steps: number of equal steps, at least one per piece of the profile, when `controller` is constant.
        max_steps: maximum number of steps along the body.
        adjoint: diffrax adjoint for derivatives through the solution.
    """

    solver: diffrax.AbstractSolver
    controller: diffrax.AbstractStepSizeController
    adjoint: diffrax.AbstractAdjoint
    steps: int = eqx.field(static=True)
    max_steps: int = eqx.field(static=True)

    def __init__(
        self,
        solver: diffrax.AbstractSolver | None = None,
        controller: diffrax.AbstractStepSizeController | None = None,
        *,
        steps: int = 64,
        max_steps: int = 8192,
        adjoint: diffrax.AbstractAdjoint | None = None,
    ):
        for name, value, wanted, words in (
            ("solver", solver, diffrax.AbstractSolver, "a diffrax solver, such as diffrax.Dopri8()"),
            ("controller", controller, diffrax.AbstractStepSizeController, "a diffrax step size controller"),
            ("adjoint", adjoint, diffrax.AbstractAdjoint, "a diffrax adjoint, such as diffrax.ForwardMode()"),
        ):
            if value is not None:
                of_kind(f"Nested.{name}", value, wanted, f"{words}, or None for the default")
        self.solver = diffrax.Dopri8() if solver is None else solver
        self.controller = diffrax.PIDController(rtol=1e-11, atol=1e-12) if controller is None else controller
        self.adjoint = diffrax.RecursiveCheckpointAdjoint() if adjoint is None else adjoint
        self.steps = integer("Nested.steps", steps, 1)
        self.max_steps = integer("Nested.max_steps", max_steps, 1)

    def sample(self, beam: Beam, fluid: AbstractFluid) -> Beam:
        """Returns the body itself: nothing is precomputed."""
        return beam

    def stations(self, body: Beam, X: Float[Array, "stations"]) -> Float[Array, "stations"]:
        """Returns the abscissae X [m] themselves: nothing is precomputed."""
        return X

    def grid(self, beam: Beam, fluid: AbstractFluid, body: Beam) -> SampledBody:
        """The body on the default panels, which are sufficient for sums over the body."""
        return sample_body(beam, fluid, *GRID)

    def sums_and_loops(
        self,
        body: Beam,
        grid: SampledBody,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        stations: Float[Array, "stations"],
    ) -> tuple[FirstLoop, BothLoops]:
        """The first loop on panels, for the sums, and both loops by the solver; they share no work."""
        return first_loop(grid, gait, fluid, state, t), self.both_loops(body, gait, fluid, state, t, stations)

    @property
    def tolerance(self) -> float:
        """Infinite, because the step size controller controls the error."""
        return float("inf")

    @property
    def seconds(self) -> float:
        """Two seconds for each simulated second."""
        return 2.0

    def head_dynamics(
        self, body: Beam, gait: Gait, fluid: AbstractFluid, state: HeadState, t: Float[Array, ""]
    ) -> HeadDynamics:
        """First space loop, (48)-(60)."""
        fluid = fluid.at(t)
        place = Place(state.position, state.rotation)
        nose = fluid.nose_terms(body.nose_radius, place, state.twist)
        nose_added = fluid.nose_added_inertia(body.nose_radius)
        rotate = _both(state.rotation)
        convected = nose_added @ _convective(state.twist)
        zero = jnp.zeros(3)
        start = _FirstLoop(
            Carried.of(state),
            gamma_e=zero,
            omega_rate_e=zero,
            inertia=rotate @ nose_added @ rotate.T,  # (57)
            coriolis=jnp.zeros(6),  # (58)
            drag=rotate @ (sum(nose.values(), jnp.zeros(6)) + convected),
        )

        def slope(X, section, water, y):
            s = _Slice(body, gait, fluid, t, X, section, water, y.carried)
            r_e = hat(y.carried.position - state.position)
            lever = _lever(r_e)
            added = s.rotate6 @ s.added @ s.rotate6.T
            inertia = s.inertia_w + added
            rates = join(y.gamma_e, y.omega_rate_e)
            return _FirstLoop(
                s.carried_slope(),
                gamma_e=s.acceleration_slope(y.omega_rate_e),  # (53)
                omega_rate_e=s.omega_rate_slope(),  # (52)
                inertia=lever @ inertia @ lever.T,  # (54)
                coriolis=lever @ (inertia @ rates + s.gyroscopic_w()),  # (55)
                drag=lever @ s.load_w(),  # (56)
            )

        leaving = None if fluid.shedding is None else fluid.shedding.leaving(body.profile)[None]
        run = self._solve(body, slope, start, fluid.shedding, leaving, last=True)
        end = jax.tree.map(lambda y: y[-1], run)
        # From (ddr0, dω0) in the world to d(twist)/dt in the head frame: ddr0 = R0 (dV/dt + Ω×V).
        H = rotate.T @ end.inertia @ rotate
        wrench = rotate.T @ (end.drag - end.coriolis) - H @ _convective(state.twist)
        if leaving is not None:
            gone = _leaving_water(body, gait, fluid, t, jax.tree.map(lambda y: y[0], run.carried))
            wrench = wrench + rotate.T @ (_lever(hat(gone.position - state.position)) @ gone.wrench)
        if body.masses is not None:
            y = self._at_masses(body, gait, state, t, jnp.zeros(6))
            inertia, load = masses_at_nose(body.masses, fluid, state.position, y)
            inside = rotate.T @ inertia @ rotate
            wrench = wrench + rotate.T @ load - inside @ _convective(state.twist)
            H = H + inside
        return HeadDynamics(H, wrench, solve_inertia(H, wrench))

    def both_loops(
        self,
        body: Beam,
        gait: Gait,
        fluid: AbstractFluid,
        state: HeadState,
        t: Float[Array, ""],
        stations: Float[Array, "stations"],
    ) -> BothLoops:
        """The first space loop, then the second, (61)-(66)."""
        fluid = fluid.at(t)
        twist_rate = self.head_dynamics(body, gait, fluid, state, t).twist_rate
        place = Place(state.position, state.rotation)
        nose = sum(fluid.nose_terms(body.nose_radius, place, state.twist).values(), jnp.zeros(6))
        nose = nose - fluid.nose_added_inertia(body.nose_radius) @ twist_rate
        head_rates = _both(state.rotation) @ (twist_rate + _convective(state.twist))
        start = _SecondLoop(
            Carried.of(state),
            acceleration=linear(head_rates),
            omega_rate=angular(head_rates),
            force=state.rotation @ linear(nose),  # (44)
            moment=angular(nose),
        )

        def slope(X, section, water, y):
            s = _Slice(body, gait, fluid, t, X, section, water, y.carried)
            added = s.rotate6 @ s.added @ s.rotate6.T
            rates = join(y.acceleration, y.omega_rate)
            load = s.load_w() - (s.inertia_w + added) @ rates - s.gyroscopic_w()
            couple = angular(load) - cross(s.tangent, y.force)
            return _SecondLoop(
                s.carried_slope(),
                acceleration=s.acceleration_slope(y.omega_rate),  # (62)
                omega_rate=s.omega_rate_slope(),  # (61)
                force=linear(load),  # (63)
                moment=s.rotation.T @ couple - cross(angular(s.strain.xi), y.moment),  # (64)
            )

        if fluid.shedding is None:
            y, wake = self._solve(body, slope, start, None, stations), None
        else:
            y, wake = self._with_passing_water(body, gait, fluid, t, slope, start, stations)
        if body.masses is not None:
            at = self._at_masses(body, gait, state, t, head_rates)
            y = with_masses(y, stations, body.masses, fluid, at)
        rotation = jax.vmap(matrix_from_quaternion)(y.carried.quaternion)
        unturn = lambda v: jnp.einsum("sji,sj->si", rotation, v)  # noqa: E731
        velocity, omega = unturn(y.carried.velocity), unturn(y.carried.omega)
        return BothLoops(
            head_twist_rate=twist_rate,
            position_w=y.carried.position,
            quaternion=y.carried.quaternion / jnp.linalg.norm(y.carried.quaternion, axis=1, keepdims=True),
            twist=join(velocity, omega),
            twist_rate=join(unturn(y.acceleration) - cross(omega, velocity), unturn(y.omega_rate)),
            force_w=y.force,
            moment=y.moment,
            wake_power=wake,
        )

    def _with_passing_water(self, body, gait, fluid, t, slope, start, stations):
        """Second loop for a fluid that carries water along the body: n = N + W, N the integral of body and slices."""
        shedding = fluid.shedding
        leaving = shedding.leaving(body.profile)
        all_y = self._solve(body, slope, start, shedding, jnp.append(stations, leaving))
        y = jax.tree.map(lambda f: f[:-1], all_y)
        gone = _leaving_water(body, gait, fluid, t, jax.tree.map(lambda f: f[-1], all_y.carried))

        def complete(X, y):
            section = shedding.water_section(body.profile, X, body.profile(X))
            s = _Slice(body, gait, fluid, t, X, body.profile(X), section, y.carried)
            assert s.slices is not None  # the fluid carries water
            W = s.slices.wrench
            arm = y.carried.position - gone.position
            couple = s.rotation.T @ (gone.wrench[3:] - cross(arm, gone.wrench[:3]))
            behind = X > leaving
            force = y.force + jnp.where(behind, gone.wrench[:3], s.rotation @ W[:3])
            return force, y.moment + jnp.where(behind, couple, W[3:])

        force, moment = jax.vmap(complete)(stations, y)
        return eqx.tree_at(lambda y: (y.force, y.moment), y, (force, moment)), gone.power

    def _at_masses(self, body, gait, state, t, head_rates) -> Motion:
        """Motion of the sections with point masses, at given (ddr0, dω0) of the head in the world."""

        def slope(X, section, water, y):
            s = _Slice(body, gait, Void(), t, X, section, water, y.carried)
            return Motion(s.carried_slope(), s.acceleration_slope(y.omega_rate), s.omega_rate_slope())

        assert body.masses is not None
        start = Motion(Carried.of(state), linear(head_rates), angular(head_rates))
        return self._solve(body, slope, start, None, body.masses.X)

    def _solve(self, beam, slope, start: Any, shedding, stations, last: bool = False) -> Any:
        """Integrates over s in [0, number of segments]; the profile is a smooth function of s between integers.

        Args:
            beam: the body.
            slope: (X, section, section of the water slices, y) -> dy/dX.
            start: y at the nose.
            shedding: shedding of the fluid (`AbstractFluid.shedding`); None for none.
            stations: abscissae at which y is returned, in any order [m]; None for the tail only.
            last: return the tail as well.
        """
        pieces, quadratics = segments(beam)
        count = len(pieces)
        sections = [beam.profile.sections[piece] for piece in pieces]

        def in_s(s, y, _):
            k = jnp.clip(jnp.floor(s).astype(int), 0, count - 1)
            a, b, c = quadratics[k]
            u = s - k
            X = a + b * u + c * u**2
            dX_ds = b + 2.0 * c * u
            section = jax.lax.switch(k, sections, X)
            water = section
            if shedding is not None:
                # Tested at the middle of the segment, because X at its end may round to either side of the edge.
                water = shedding.water_section(beam.profile, a + 0.5 * b + 0.25 * c, section)
            return jax.tree.map(lambda dy: dX_ds * dy, slope(X, section, water, y))

        controller, first = self.controller, None
        if isinstance(controller, diffrax.ConstantStepSize):
            first = count / self.steps
        elif isinstance(controller, diffrax.AbstractAdaptiveStepSizeController):
            controller = diffrax.ClipStepSizeController(controller, jump_ts=jnp.arange(1.0, count))
        order = None
        if stations is None:
            saveat = diffrax.SaveAt(t1=True)
        else:
            segment, u = locate(quadratics, stations)
            at = jnp.append(segment + u, float(count)) if last else segment + u
            order = jnp.argsort(at)
            saveat = diffrax.SaveAt(ts=at[order])
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(in_s),
            self.solver,
            t0=0.0,
            t1=float(count),
            dt0=first,
            y0=start,
            saveat=saveat,
            stepsize_controller=controller,
            max_steps=self.max_steps,
            adjoint=self.adjoint,
        )
        assert solution.ys is not None
        if order is None:
            return solution.ys
        back = jnp.argsort(order)
        return jax.tree.map(lambda y: y[back], solution.ys)


class _FirstLoop(eqx.Module):
    """State x1 of the first loop, (60)."""

    carried: Carried
    gamma_e: Float[Array, "*n 3"]
    omega_rate_e: Float[Array, "*n 3"]
    inertia: Float[Array, "*n 6 6"]
    coriolis: Float[Array, "*n 6"]
    drag: Float[Array, "*n 6"]


class _SecondLoop(eqx.Module):
    """State x2 of the second loop, (65)."""

    carried: Carried
    acceleration: Float[Array, "*n 3"]
    omega_rate: Float[Array, "*n 3"]
    force: Float[Array, "*n 3"]
    moment: Float[Array, "*n 3"]


class _Slice:
    """One section, in the world frame, with the terms that both loops share."""

    def __init__(
        self,
        beam: Beam,
        gait: Gait,
        fluid: AbstractFluid,
        t: Any,
        X: Any,
        section: BodySection,
        water: BodySection,
        carried: Carried,
    ):
        self.fluid, self.section, self.carried = fluid, section, carried
        self.strain = strain_rates(gait, X, t)
        self.rotation = matrix_from_quaternion(carried.quaternion)
        self.rotate6 = _both(self.rotation)
        self.tangent = self.rotation @ linear(self.strain.xi)
        self.stretch_rate = self.rotation @ linear(self.strain.dxi)
        self.bend_rate = self.rotation @ angular(self.strain.dxi)
        self.inertia_w = self.rotate6 @ beam.section_inertia(section, X) @ self.rotate6.T
        self.twist = join(self.rotation.T @ carried.velocity, self.rotation.T @ carried.omega)
        self.place = Place(carried.position, self.rotation, X)
        self.added, self.slices = fluid.added_inertia(water), None
        if fluid.shedding is not None:
            self.slices = fluid.carried(self.added, self.place, self.twist, self.strain.xi, self.strain.dxi)
            self.added = self.slices.inertia

    def carried_slope(self) -> Carried:
        c = self.carried
        return Carried(
            position=self.tangent,  # (49)
            quaternion=quaternion_rate(c.quaternion, angular(self.strain.xi)),  # (48)
            velocity=cross(c.omega, self.tangent) + self.stretch_rate,  # (51)
            omega=self.bend_rate,  # (50)
        )

    def omega_rate_slope(self):
        return self.rotation @ angular(self.strain.ddxi) + cross(self.carried.omega, self.bend_rate)

    def acceleration_slope(self, omega_rate):
        omega = self.carried.omega
        centripetal = cross(omega, cross(omega, self.tangent) + 2.0 * self.stretch_rate)
        return cross(omega_rate, self.tangent) + centripetal + self.rotation @ linear(self.strain.ddxi)

    def gyroscopic_w(self):
        omega = self.carried.omega
        return join(jnp.zeros(3), cross(omega, self.inertia_w[3:, 3:] @ omega))

    def load_w(self):
        """Fluid load per metre at zero acceleration of the section, in the world."""
        terms = self.fluid.terms(self.section, self.place, self.twist)
        load = sum(terms.values(), jnp.zeros(6)) + self.added @ _convective(self.twist)
        return self.rotate6 @ (load if self.slices is None else load + self.slices.load)


class _LeavingWater(eqx.Module):
    """Wrench of the leaving water about the point where it leaves, in the world, and the power it carries away."""

    position: Float[Array, "3"]
    wrench: Float[Array, "6"]
    power: Float[Array, ""]


def _leaving_water(beam, gait, fluid, t, carried) -> _LeavingWater:
    X, section = fluid.shedding.leaving(beam.profile), fluid.shedding.leaving_section(beam.profile)
    s = _Slice(beam, gait, fluid, t, X, section, section, carried)
    assert s.slices is not None
    return _LeavingWater(carried.position, s.rotate6 @ s.slices.wrench, s.slices.energy_flux)


def _convective(twist):
    """(Ω×V, 0): the acceleration of a section in its frame is d(twist)/dt plus this."""
    return join(cross(angular(twist), linear(twist)), jnp.zeros(3))


def _both(rotation):
    zero = jnp.zeros((3, 3))
    return jnp.block([[rotation, zero], [zero, rotation]])


def _lever(r_hat):
    """Matrix that moves a wrench to the head: ((1, 0), (r^, 1))."""
    return jnp.block([[jnp.eye(3), jnp.zeros((3, 3))], [r_hat, jnp.eye(3)]])
