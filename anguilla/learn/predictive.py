"""Predictive steering of the eel: the curvature offset over a short horizon is optimised by gradients.

The model of the controller is an `Environment` with its coarse grid and long time steps; the plant may be a finer one
with different water and a different body. The wave of the gait is constant; only the offset of K3 is optimised.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from gaits.feedback import Predictive
from spatial import Numbers, non_negative, number, positive, safe_norm
from spatial.checks import of_kind

from .drives import WaveDrive
from .environment import Environment
from .state import State
from .tasks import FollowPath

PERIOD, SUBSTEPS = 0.1, 2  # control step [s], and Runge-Kutta steps of the model in one control step


def heading_of(state: State) -> Float[Array, ""]:
    """Heading of the line from the nose to the centre of mass [rad]; zero initially, positive to the left."""
    aft = state.centre - state.head.position
    return jnp.arctan2(aft[1], aft[0])


class SteadyWave(eqx.Module):
    """An environment with a constant wave and a commanded offset of curvature: (state, command) -> state.

    Attributes:
        environment: environment with a `WaveDrive`.
        amplitude: amplitude of the wave [-].
        frequency: frequency of the wave [Hz].
    """

    environment: Environment
    amplitude: Float[Array, ""]
    frequency: Float[Array, ""]

    def __init__(self, environment: Environment, amplitude: Numbers = 1.0, frequency: Numbers = 1.0):
        of_kind("environment", environment, Environment, "a learn.Environment")
        of_kind("environment.drive", environment.drive, WaveDrive, "a learn.WaveDrive, which has a steady wave")
        self.environment = environment
        self.amplitude = non_negative("amplitude", amplitude, "", ())
        self.frequency = positive("frequency", frequency, "Hz", ())

    def __call__(self, state: State, command: Float[Array, "1"]) -> State:
        """The state one control step later, under an offset of K3 [1/m]."""
        zero = jnp.zeros(())
        return self.environment.advance(state, jnp.stack([self.amplitude, self.frequency, command[0], zero]))


class SteeringError(eqx.Module):
    """Residuals of steering: errors of heading or course, the offset, and its change from step to step.

    Heading and course oscillate with the beat, so they are evaluated over one beat. To reach a heading, its mean over
    the beat is compared with the goal. To follow a path, the displacement of the centre of mass in one beat is compared
    with `advance` along the line of sight to the point of the path that lies `path.ahead` in front.

    Attributes:
        heading: heading to reach [rad]; not used with a path.
        path: path to follow; None to reach the heading.
        beat: number of control steps in one beat.
        effort: weight of the offset relative to an error of heading [rad·m].
        change: weight of the change of the offset in one step [rad·m].
        advance: approximate distance that the eel swims in one beat [m].
    """

    heading: Float[Array, ""]
    path: FollowPath | None
    beat: int = eqx.field(static=True)
    effort: Float[Array, ""]
    change: Float[Array, ""]
    advance: Float[Array, ""]

    def sight(self, centre: Float[Array, "3"]) -> Float[Array, "2"]:
        """Desired direction of motion: a horizontal unit vector, for a centre of mass in the world [m]."""
        if self.path is None:
            return -jnp.stack([jnp.cos(self.heading), jnp.sin(self.heading)])
        s, _ = self.path.nearest(centre)
        line = (self.path.at(s + self.path.ahead) - centre)[:2]
        return line / safe_norm(line)

    def aim(self, state: State) -> Float[Array, ""]:
        """Heading of that vector [rad]."""
        x, y = -self.sight(state.centre)
        return jnp.arctan2(y, x)

    def errors(self, states: State) -> Float[Array, "n"]:
        """Error of each beat in a horizon: of the heading [rad], or of the displacement relative to the advance [-]."""
        if self.path is None:
            turn = jax.vmap(heading_of)(states) - self.heading
            turn = jnp.arctan2(jnp.sin(turn), jnp.cos(turn))  # the short way round
            total = jnp.concatenate([jnp.zeros(1), jnp.cumsum(turn)])
            return (total[self.beat :] - total[: -self.beat]) / self.beat
        way = (states.centre[self.beat :] - states.centre[: -self.beat])[:, :2]
        return (way / self.advance - jax.vmap(self.sight)(states.centre[: -self.beat])).ravel()

    def __call__(self, states: State, commands: Float[Array, "steps 1"], last: Float[Array, "1"]) -> Float[Array, "n"]:
        """Residuals of a horizon [rad] for its states, its offsets of K3 and the previous offset [1/m]."""
        errors = self.errors(states)
        changes = jnp.diff(commands, axis=0, prepend=last[None])
        each = commands.shape[0] ** -0.5
        return jnp.concatenate(
            [
                errors * errors.shape[0] ** -0.5,
                self.effort * each * commands.ravel(),
                self.change * each * changes.ravel(),
            ]
        )


def predictive_steering(
    goal: Numbers | FollowPath,
    environment: Environment | None = None,
    *,
    amplitude: Numbers = 1.0,
    frequency: Numbers = 1.0,
    beats: Numbers = 1.2,
    iterations: int = 1,
    effort: Numbers = 0.02,
    change: Numbers = 0.1,
    advance: Numbers = 0.4,
) -> Predictive:
    """A controller that steers the eel to a heading, or along a path, by offsets of K3 within the limits of the drive.

    >>> import jax
    >>> from anguilla import learn
    >>> control = learn.predictive_steering(0.5)
    >>> control.horizon, control.high.tolist()  # control steps of 0.1 s; 1/m
    (12, [0.5])

    Args:
        goal: heading to reach [rad], or a path to follow.
        environment: model, whose period is the control step; None for the eel on a coarse grid in still water, with
            control steps of 0.1 s, each with two steps of the classical Runge-Kutta method.
        amplitude: amplitude of the wave [-].
        frequency: frequency of the wave [Hz]; one beat must be a whole number of control steps.
        beats: length of the horizon in beats, more than one [-].
        iterations: Gauss-Newton steps in each control step.
        effort: weight of the offset relative to an error of heading [rad·m].
        change: weight of the change of the offset in one control step [rad·m].
        advance: approximate distance that the eel swims in one beat [m]; used with a path.
    """
    if environment is None:
        environment = Environment(FollowPath(), period=PERIOD, substeps=SUBSTEPS)
    model = SteadyWave(environment, amplitude, frequency)
    steps = 1.0 / (float(model.frequency) * environment.period)
    if abs(steps - round(steps)) > 1e-6:
        raise ValueError(
            f"frequency = {float(model.frequency):g} Hz: a beat has {steps:g} control steps: must be whole"
        )
    ahead = float(positive("beats", beats, "", ()))
    if round(ahead * steps) <= round(steps):
        raise ValueError(f"beats = {ahead:g}: must be more than one, since errors are taken over one beat")
    path = goal if isinstance(goal, FollowPath) else None
    heading = jnp.zeros(()) if isinstance(goal, FollowPath) else jnp.asarray(number("goal", goal))
    weights = (
        non_negative("effort", effort, "rad·m", ()),
        non_negative("change", change, "rad·m", ()),
        positive("advance", advance, "m", ()),
    )
    yaw = environment.drive.channels.index("yaw")
    return Predictive(
        model,
        SteeringError(heading, path, round(steps), *weights),
        environment.drive.low[yaw : yaw + 1],
        environment.drive.high[yaw : yaw + 1],
        horizon=round(ahead * steps),
        iterations=iterations,
    )


def steer(control: Predictive, plant: Environment, steps: int, key: Any, state: State | None = None) -> xr.Dataset:
    """Simulates the closed loop of a controller and a plant; `anguilla.view.feedback_loop` draws the result.

    Args:
        control: result of `predictive_steering`.
        plant: an environment with the same control period; body, water, grid and steps may differ from the model's.
        steps: number of control steps.
        key: random key of the initial state.
        state: initial state; `plant.initial(key)` when None.
    """
    of_kind("control", control, Predictive, "a controller of learn.predictive_steering")
    of_kind("plant", plant, Environment, "a learn.Environment")
    model = control.model
    of_kind("control.model", model, SteadyWave, "that of learn.predictive_steering")
    if plant.period != model.environment.period:
        raise ValueError(
            f"plant.period = {plant.period:g} s: must be the control step of the model, {model.environment.period:g} s"
        )
    begin = plant.initial(key) if state is None else state
    loop, headings, aims, moved = _closed(control, SteadyWave(plant, model.amplitude, model.frequency), begin, steps)
    time = np.concatenate([np.asarray(begin.time)[None], np.asarray(loop.states.time)])
    held = np.asarray(loop.commands)
    return xr.Dataset(
        {
            "sensed_heading": ("time", np.asarray(headings), {"units": "rad", "long_name": "heading"}),
            "reference_heading": ("time", np.asarray(aims), {"units": "rad", "long_name": "heading to take"}),
            "centre": (("time", "axis"), np.asarray(moved), {"units": "m", "long_name": "centre of mass, world"}),
            "command": (
                ("time", "channel"),
                np.concatenate([held, held[-1:]]),
                {"units": "1/m", "long_name": "command of Predictive"},
            ),
            "predicted_cost": ("step", np.asarray(loop.cost), {"units": "rad^2", "long_name": "cost of the plan"}),
        },
        {"time": ("time", time, {"units": "s"}), "channel": ["offset_K3"], "axis": ["x", "y", "z"]},
    )


@eqx.filter_jit
def _closed(control, plant, begin, steps):
    """The closed loop, and heading, desired heading and centre of mass, including the initial state."""
    loop = control.run(plant, begin, steps)
    states = jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), begin, loop.states)
    return loop, jax.vmap(heading_of)(states), jax.vmap(control.residuals.aim)(states), states.centre
