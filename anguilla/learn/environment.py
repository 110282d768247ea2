"""The eel as an environment: pure functions from state and action to state, observation and reward."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Float

import cosserat
import hydro
from cosserat.energy import sampled_energetics
from cosserat.panel_loops import first_loop
from cosserat.sampled_body import SampledBody
from cosserat.section_motion import body_shape
from cosserat.state import unchecked_state
from hydro import AbstractFluid
from spatial import finite, linear, one_of, positive, quaternion_rate, shaped
from spatial.printing import Printed
from stepping import Span, explicit_steps, unit_quaternions

from .drives import AbstractDrive, BendingDrive, WaveDrive
from .state import State
from .tasks import TASKS, AbstractTask, Escape

PERIOD = 0.02  # s: control at 50 Hz
SUBSTEPS = 2  # steps of the classical Runge-Kutta method in one control period
ORDER, LOADS = 32, (1, 1, 3, 1)  # nodes of the shape, and load panels on the four pieces of the eel's profile


def swimmer(scale: float | Float[Array, ""] = 1.0, density: float | Float[Array, ""] = 1000.0) -> cosserat.Beam:
    """The eel of `cosserat.eel` with fewer load panels, for speed.

    >>> from anguilla import learn
    >>> float(learn.swimmer(scale=0.5).length)
    1.0

    Args:
        scale: factor of all lengths; 1 for 2 m [-].
        density: density of the body [kg/m³].
    """
    full = cosserat.eel(0.075 * scale, 0.296 * scale, 1.95 * scale, 0.025 * scale, 0.05 * scale, 2.0 * scale)
    return cosserat.Beam(full.profile, density, nose_radius=full.nose_radius, load_panels=LOADS)


class Environment(Printed):
    """A swimming beam with a task, as pure functions: jit, vmap and grad apply to all of them.

    The interface is that of gymnasium's `FuncEnv`, with random keys as last arguments. One transition lasts one control
    period with a constant action: the strains follow it through the drive's servo, and the motion of the head is
    integrated with fixed steps.

    >>> import jax, jax.numpy as jnp
    >>> from anguilla import learn
    >>> environment = learn.make("cruise")
    >>> state = environment.initial(jax.random.key(0))
    >>> following = environment.transition(state, jnp.array([1.0, 0.0, 0.0, 0.0]))
    >>> float(following.time), environment.observation(following).shape
    (0.02, (25,))

    Attributes:
        task: goal, reward and termination.
        drive: conversion of actions to strains.
        fluid: the water.
        body: the beam sampled at the nodes of the space path.
        path: the space path.
        period: control period [s].
        substeps: steps of the classical Runge-Kutta method in one control period.
    """

    task: AbstractTask
    drive: AbstractDrive
    fluid: AbstractFluid
    body: SampledBody
    path: cosserat.Panels
    period: float = eqx.field(static=True)
    substeps: int = eqx.field(static=True)

    def __init__(
        self,
        task: AbstractTask,
        drive: AbstractDrive | None = None,
        beam: cosserat.Beam | None = None,
        fluid: AbstractFluid | None = None,
        *,
        period: float = PERIOD,
        substeps: int = SUBSTEPS,
        path: cosserat.Panels | None = None,
    ):
        """Builds the environment and samples the body.

        Args:
            task: a task such as `Cruise()`.
            drive: when None, `WaveDrive()`, or `BendingDrive()` for `Escape`.
            beam: the body; `swimmer()` when None.
            fluid: when None, `hydro.Morison(added_mass="kirchhoff")` with the current of the task.
            period: control period [s].
            substeps: steps of the classical Runge-Kutta method in one control period.
            path: space path; when None, a coarser one than for single runs.
        """
        if not isinstance(task, AbstractTask):
            raise ValueError(f"task = {task!r}: must be a task such as learn.Cruise(); learn.make takes its name")
        if not isinstance(substeps, int) or substeps < 1:
            raise ValueError(f"substeps = {substeps!r}: must be a positive integer")
        self.task, self.substeps = task, substeps
        self.period = float(positive("period", period, "s"))
        if drive is None:
            drive = BendingDrive() if isinstance(task, Escape) else WaveDrive()
        self.drive = drive
        beam = swimmer() if beam is None else beam
        self.fluid = hydro.Morison(added_mass="kirchhoff", current=task.current) if fluid is None else fluid
        self.path = cosserat.Panels(order=ORDER, panels=1, loads=1) if path is None else path
        self.body = self.path.sample(beam, self.fluid)

    @property
    def steps(self) -> int:
        """Control steps in one episode."""
        return max(1, round(self.task.duration / self.period))

    @property
    def action_size(self) -> int:
        """Number of channels of an action."""
        return len(self.drive.channels)

    @property
    def mass(self) -> Float[Array, ""]:
        """Mass of the body [kg]."""
        return jnp.sum(self.body.inertia[0, 0])

    def initial(self, key: Any) -> State:
        """A straight body at rest at the origin, nose towards -x; phase and goal are drawn."""
        for_phase, for_goal = jax.random.split(key)
        own = self.drive.begin(jax.random.uniform(for_phase, (), float))
        zero = jnp.zeros(())
        head = unchecked_state(jnp.zeros(3), jnp.zeros(4).at[0].set(1.0), jnp.zeros(6))
        at_rest = self._summed(zero, head, own, self.drive.command(jnp.zeros(self.action_size)))
        return State(zero, head, own, self.task.goal(at_rest[0], for_goal), *at_rest, work=zero)

    def transition(self, state: State, action: Float[Array, "m"], key: Any = None) -> State:
        """The state one control period later.

        Args:
            state: current state.
            action: one number for each channel of the drive, clipped to [-1, 1].
            key: not used; only the initial state is random.
        """
        if isinstance(action, Tracer):  # no callback in compiled loops: a NaN propagates and ends the episode
            shaped("action", action, (self.action_size,))
        else:
            action = finite("action", action, (self.action_size,))
        return self.advance(state, self.drive.command(action))

    def advance(self, state: State, command: Float[Array, "m"]) -> State:
        """Like `transition`, for a command of the drive, of any unit, instead of an action; it is not clipped."""

        def field(s, y):
            # Integrating the drive separately from the head would make the error ten times larger.
            position, quaternion, twist, own = y
            head = unchecked_state(position, quaternion, twist)
            t = state.time + s
            law, own_rates = self.drive.instant(t, own, command)
            dynamics = self.path.head_dynamics(self.body, law, self.fluid, head, t)
            velocity = head.rotation @ linear(twist)
            return velocity, quaternion_rate(quaternion, twist[3:]), dynamics.twist_rate, own_rates

        start = state.head.position, state.head.quaternion, state.head.twist, state.drive
        span = Span.counted(0.0, self.period / self.substeps, self.substeps)
        position, quaternion, twist, own = jax.tree.map(lambda x: x[-1], explicit_steps(field, start, span))
        head = unchecked_state(position, unit_quaternions(quaternion), twist)
        time = state.time + self.period
        centre, velocity, energy, loss = self._summed(time, head, own, command)
        work = energy - state.energy + 0.5 * self.period * (loss + state.loss)
        return State(time, head, own, state.goal, centre, velocity, energy, loss, state.work + work)

    def observation(self, state: State, key: Any = None) -> Float[Array, "n"]:
        """Observation of the agent, in the frame of the head.

        It contains the twist of the head [m/s, rad/s], the velocity of the centre of mass [m/s], the vertical, the
        states of the drive, and the task's observation of its goal.

        Args:
            state: current state.
            key: not used.
        """
        rotation = state.head.rotation
        parts = state.head.twist, rotation.T @ state.velocity, rotation[2]
        return jnp.concatenate([*parts, self.drive.seen(state.drive), self.task.seen(state)])

    def reward(self, state: State, action: Float[Array, "m"], following: State, key: Any = None) -> Float[Array, ""]:
        """Reward of one transition, as the task defines it.

        Args:
            state: state before the transition.
            action: not used by the built-in tasks.
            following: state after the transition.
            key: not used.
        """
        return self.task.reward(state, following, self.mass, self.period)

    def terminal(self, state: State, key: Any = None) -> Bool[Array, ""]:
        """Whether the episode ends in this state, because of the task or because the state is not finite.

        Args:
            state: current state.
            key: not used.
        """
        return self.task.ended(state) | ~jnp.all(jnp.isfinite(state.head.twist))

    def midline(self, state: State) -> Float[Array, "nodes 3"]:
        """Centres of the sections at the nodes of the space path, in the world [m]."""
        law, _ = self.drive.instant(state.time, state.drive, self.drive.command(jnp.zeros(self.action_size)))
        shape = body_shape(self.body, law, state.time)[1]
        return (state.head.position[:, None] + state.head.rotation @ shape.position).T

    def _summed(self, t, head, own, command):
        """Centre of mass, its velocity, energy and power lost to the water."""
        law, _ = self.drive.instant(t, own, command)
        sums = sampled_energetics(self.body, self.fluid.at(t), head, first_loop(self.body, law, self.fluid, head, t))
        energy = sums.kinetic + sums.added + sums.potential
        return sums.centre_w, sums.centre_velocity_w, energy, sums.dissipation - sums.convective + sums.wake


def make(task: str = "cruise", **options: Any) -> Environment:
    """Builds an environment from the name of its task.

    >>> from anguilla import learn
    >>> learn.make("escape").drive.channels[0]
    'bending0'

    Args:
        task: "cruise", "turn", "station", "path" or "escape".
        options: as for `Environment`.
    """
    one_of("task", task, tuple(TASKS))
    return Environment(TASKS[task](), **options)
