"""A machine on a floating hull: imposed joint motion, blades in the water, radiated waves with memory."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gaits.feedback.loop import ClosedLoop, LoopMemory, open_or_closed
from gaits.feedback.replay import LoopRecord
from gaits.feedback.steered import Steered
from hydro import EARTH, Hull, OarBlade, Void
from spatial import angular, finite, linear, quaternion_rate, solve, solve_inertia
from spatial.checks import of_kind
from spatial.printing import Printed
from stepping import Span, explicit_steps

from .body_view import TreeView
from .energy import kinetic_energy, potential_energy
from .immersion import Immersion
from .kinematics import configuration, own_twists, spread_twists
from .loops import Loops
from .newton_euler import Dynamics, motor_torques, newton_euler
from .small_matrices import apply
from .state import BaseState, unchecked_state
from .tree import Tree

PLANE = (0, 2, 4)  # surge, heave, pitch
SINKS = ("motors", "blades", "resistance", "radiation")

Motion = Callable[[Float[Array, ""]], Float[Array, "positions"]]


class AfloatState(eqx.Module):
    """State of a machine on a hull.

    Attributes:
        position: position of the base in the world; z = 0 at the hull's equilibrium [m].
        quaternion: orientation of the base in the world, (w, x, y, z).
        twist: twist of the base, in its frame [m/s, rad/s].
        memory: states of the radiation model (fluid memory), in any unit.
        work: work done so far on the machine by each of `SINKS` [J].
    """

    position: Float[Array, "*times 3"]
    quaternion: Float[Array, "*times 4"]
    twist: Float[Array, "*times 6"]
    memory: Float[Array, "*times n"]
    work: Float[Array, "*times 4"]


class Instant(eqx.Module):
    """Forces, powers and energy at one instant.

    Attributes:
        acceleration: d/dt of the base's twist, in its frame [m/s², rad/s²].
        joints: joint positions [rad] or [m].
        joint_rates: joint velocities [rad/s] or [m/s].
        torque: motor torques; zero at passive joints [N·m] or [N].
        gap: maximum gap of the loops [m, rad]; zero without loops.
        blade_force: force of the water on each blade, along the boat [N].
        power: power received by the machine from each of `SINKS` [W].
        energy: kinetic (including added mass), gravitational and buoyancy energy [J].
    """

    acceleration: Float[Array, "*times 6"]
    joints: Float[Array, "*times positions"]
    joint_rates: Float[Array, "*times freedoms"]
    torque: Float[Array, "*times freedoms"]
    gap: Float[Array, "*times"]
    blade_force: Float[Array, "*times blades"]
    power: Float[Array, "*times 4"]
    energy: Float[Array, "*times"]


class Afloat(Printed):
    """A tree whose base is a hull and some of whose bodies carry blades.

    Attributes:
        tree: the tree; joints that are determined by closed loops are passive.
        hull: hydrostatic and hydrodynamic loads on the base; None if the base is not in the water.
        blades: blades carried by bodies of the tree.
        blade_bodies: index of the body that carries each blade.
        loops: cut joints of the closed loops; None for a tree without loops.
        gravity: acceleration of gravity in the world [m/s²]; None for no gravity.
        freedoms: free modes of the base: (0, 2, 4) for surge, heave and pitch, all six for a free boat.
    """

    tree: Tree
    hull: Hull | None
    blades: tuple[OarBlade, ...]
    blade_bodies: tuple[int, ...] = eqx.field(static=True)
    loops: Loops | None
    gravity: Float[Array, "3"] | None
    freedoms: tuple[int, ...] = eqx.field(static=True)

    def __init__(
        self,
        tree: Tree,
        hull: Hull | None,
        blades: dict[str, OarBlade] | None = None,
        loops: Loops | None = None,
        *,
        gravity: tuple[float, float, float] | None = EARTH,
        freedoms: tuple[int, ...] = PLANE,
    ):
        blades = {} if blades is None else blades
        for name, value, wanted, words in (
            ("tree", tree, Tree, "a multibody.Tree"),
            ("hull", hull, Hull | None, "a hydro.Hull, or None"),
            ("blades", blades, dict, "a dict of body names and hydro.OarBlade"),
            ("loops", loops, Loops | None, "a multibody.Loops, from multibody.close_loops, or None"),
            ("freedoms", freedoms, tuple, "a tuple of numbers from 0 to 5"),
        ):
            of_kind(f"Afloat.{name}", value, wanted, words)
        for name in blades:
            if name not in tree.names:
                raise ValueError(f"blades: {name!r} is no body of the tree: must be one of {', '.join(tree.names)}")
        if not freedoms or any(k not in range(6) for k in freedoms):
            raise ValueError(f"freedoms = {freedoms}: must be some of 0 to 5 (surge, sway, heave, roll, pitch, yaw)")
        self.tree, self.loops, self.freedoms = tree, loops, tuple(sorted(freedoms))
        self.hull = hull
        self.blades, self.blade_bodies = tuple(blades.values()), tuple(tree.names.index(name) for name in blades)
        self.gravity = None if gravity is None else finite("Afloat.gravity", gravity, (3,))

    def rest(self) -> AfloatState:
        """State at rest at the world's origin, in still water."""
        memory = jnp.zeros(0 if self.hull is None else self.hull.radiation.order)
        return AfloatState(jnp.zeros(3), jnp.array([1.0, 0.0, 0.0, 0.0]), jnp.zeros(6), memory, jnp.zeros(len(SINKS)))

    def rates(self, motion: Motion, t: Float[Array, ""], y: AfloatState) -> tuple[AfloatState, Instant]:
        """Rates of the state, and the forces, powers and energy.

        Args:
            motion: t -> positions of all joints, including passive ones; it must keep the loops closed.
            t: time [s].
            y: the state.
        """
        tree = self.tree
        q, dq, ddq = _with_derivatives(motion, t)
        base = unchecked_state(y.position, y.quaternion, y.twist)
        place = configuration(tree, q)
        twists = own_twists(place, spread_twists(tree, place, y.twist, dq))
        blades = [(blade.wrench(twists[k]), k) for blade, k in zip(self.blades, self.blade_bodies, strict=True)]
        wrench = jnp.zeros((tree.layout.bodies, 6))
        for load, k in blades:
            wrench = wrench.at[k].add(load)
        spent, memory_rate, added = jnp.zeros(2), y.memory, jnp.zeros((6, 6))
        if self.hull is not None:
            terms = self.hull.terms(y.position, base.rotation, y.twist, y.memory)
            wrench = wrench.at[0].add(sum(terms.values(), jnp.zeros(6)))
            memory_rate, added = self.hull.radiation.rate(y.memory, y.twist), self.hull.added_inertia
            still = jnp.zeros(6)
            spent = jnp.stack([terms.get(k, still) @ y.twist for k in SINKS[2:]])
        medium = Immersion(Void(), jnp.zeros((tree.layout.bodies, 6, 6)).at[0].set(added))
        balance = newton_euler(tree, base, q, dq, ddq, fluid=medium, wrench=wrench, gravity=self.gravity)
        acceleration = _constrained_acceleration(
            jnp.sum(balance.inertia, axis=0), -jnp.sum(balance.wrench, axis=0), self.freedoms
        )
        needed = balance.wrench + apply(balance.inertia, jnp.broadcast_to(acceleration, balance.wrench.shape))
        torque = motor_torques(tree, place, needed, q, dq, ddq)
        # The constraint forces of a loop do no work, so this is the power of the motors with or without loops.
        motor_power = torque @ dq
        gap = jnp.zeros(())
        if self.loops is not None:
            torque = _closed_torques(tree, self.loops, q, torque)
            gap = jnp.max(jnp.abs(self.loops.gaps(tree, q)))
        blade_power = sum((load @ twists[k] for load, k in blades), jnp.zeros(()))
        power = jnp.concatenate([jnp.stack([motor_power, blade_power]), spent])
        forces = [place.rotation[k][0] @ linear(load) for load, k in blades]
        now = Instant(
            acceleration,
            q,
            dq,
            torque,
            gap,
            jnp.stack(forces) if forces else jnp.zeros(0),
            power,
            self._energy(base, q, dq, medium),
        )
        moving = AfloatState(
            base.rotation @ linear(y.twist),
            quaternion_rate(y.quaternion, angular(y.twist)),
            acceleration,
            memory_rate,
            power,
        )
        return moving, now

    def _energy(self, base: BaseState, q, dq, medium) -> Float[Array, ""]:
        energy = kinetic_energy(self.tree, base, q, dq, fluid=medium)
        energy = energy + potential_energy(self.tree, base, q, self.gravity)
        if self.hull is None:
            return energy
        return energy + self.hull.hydrostatics.potential(base.position, base.rotation)

    def march(
        self, motion: Motion, start: AfloatState, t0: Float[Array, ""], duration: Float[Array, ""], steps: int
    ) -> AfloatState:
        """Integrates with equal steps of the classical Runge-Kutta method; returns all states, the start first.

        jit-, vmap- and grad-safe.

        Args:
            motion: t -> positions of all joints.
            start: state at t0.
            t0: first time [s].
            duration: duration of the run [s].
            steps: number of steps.
        """
        field = lambda t, y: self.rates(motion, t, y)[0]  # noqa: E731
        return explicit_steps(field, start, Span.counted(t0, duration / steps, 1, steps))

    def view(
        self, motion: Motion | None, t: Float[Array, ""], y: AfloatState, found: Dynamics | None = None
    ) -> TreeView:
        """The view that sensors read at a time [s] under a motion of the joints, which are at rest when it is None."""
        q, dq = (
            (self.tree.neutral(), jnp.zeros(self.tree.layout.freedoms))
            if motion is None
            else _with_derivatives(motion, t)[:2]
        )
        return TreeView(t, self.tree, unchecked_state(y.position, y.quaternion, y.twist), q, dq, Void(), found)

    def loop(
        self, steered: Steered, t0: Float[Array, ""], start: AfloatState, memory: LoopMemory | None = None
    ) -> tuple[ClosedLoop, LoopMemory]:
        """The feedback loop of a steered motion of all joints, and its memory at the start."""
        loop, begin = open_or_closed(steered, t0, lambda law: self.view(law, t0, start), memory)
        if not isinstance(loop, ClosedLoop) or not isinstance(begin, LoopMemory):
            raise ValueError("steered: must be a gaits.Steered; `march` takes a motion that nothing steers")
        if loop.sampling is not None:
            raise ValueError("a machine on a hull takes no ShiftRegister: give its sensors a gaits.feedback.Delay")
        return loop, begin

    def steered_march(
        self,
        steered: Steered,
        start: AfloatState,
        t0: Float[Array, ""],
        duration: Float[Array, ""],
        steps: int,
        memory: LoopMemory | None = None,
    ) -> tuple[AfloatState, LoopRecord]:
        """`march` under feedback: sensors, controller and servo are integrated with the boat.

        Args:
            steered: a steered law (t, y) -> positions of all joints.
            start: state at t0.
            t0: first time [s].
            duration: duration of the run [s].
            steps: number of steps.
            memory: memory of the loop at t0, to continue an earlier run; its initial value when None.

        Returns:
            All states, the start first, and the record of the loop. `steered.replay(record)` is the resulting motion of
            the joints, which `instants` takes.
        """
        t0 = jnp.asarray(t0, float)
        loop, begin = self.loop(steered, t0, start, memory)
        react = lambda t, y, m: loop.react(t, m, lambda law: self.view(law, t, y))  # noqa: E731

        def field(t, both):
            y, m = both
            now = react(t, y, m)
            rates, found = self.rates(now.law, t, y)
            dynamics = lambda: Dynamics(found.acceleration, _with_derivatives(now.law, t)[2], found.torque)  # noqa: E731
            return rates, now.memory_rates(lambda: self.view(now.law, t, y, dynamics()))

        span = Span.counted(t0, duration / steps, 1, steps)
        states, memories = explicit_steps(field, (start, begin), span)
        split = lambda y: (y.position, y.quaternion, y.twist, y.memory, y.work)  # noqa: E731
        instant = lambda row: react(row[0], AfloatState(*row[1:6]), row[6])  # noqa: E731
        record = loop.recorded(instant, span.times, split(states), memories, (t0, *split(start), begin))
        return states, record

    def instants(self, motion: Motion, time: Float[Array, "times"], states: AfloatState) -> Instant:
        """Forces, powers and energy at recorded states."""
        return jax.lax.map(lambda row: self.rates(motion, row[0], row[1])[1], (time, states))


def _with_derivatives(motion, t):
    """Joint positions, velocities and accelerations of a motion, by forward-mode differentiation."""
    once = lambda s: jax.jvp(motion, (s,), (jnp.ones_like(s),))  # noqa: E731
    (q, dq), (_, ddq) = jax.jvp(once, (t,), (jnp.ones_like(t),))
    return q, dq, ddq


def _constrained_acceleration(inertia, wrench, freedoms):
    """Acceleration of the base in its free modes; zero in the others."""
    free = np.isin(np.arange(6), freedoms)
    held = jnp.where(np.outer(free, free), inertia, jnp.eye(6))
    return solve_inertia(held, jnp.where(free, wrench, 0.0))


def _closed_torques(tree, loops, q, torque):
    """Motor torques of a closed mechanism: those of passive joints vanish, λ = -Wp⁻ᵀ Γp. [KR13, eqs. (13)-(15)]"""
    free = tree.passive_freedoms
    W = loops.jacobian(tree, q)
    multipliers = -solve(W[:, free].T, torque[free])
    return (torque + W.T @ multipliers).at[free].set(0.0)
