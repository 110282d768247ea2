"""Evaluation of a feedback loop at one instant: readings, command, law of motion and rates of the memory.

An engine calls, at every evaluation of its equations of motion,

    now = loop.react(t, memory, view_of)           readings, command, and law near this instant
    ...                                            dynamics under now.law and now.command
    rates = now.memory_rates(view_after)           rates of servo, controller and sensors

where `view_of(law)` is the engine's `AbstractBodyView` of the states under a law that is exact in value and first time
derivative. `open_or_closed` returns the same interface for an open-loop gait, with an empty memory.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, PyTree

from stepping import Span

from .body_view import AbstractBodyView
from .replay import LoopRecord, MotionAt
from .servo import Smooth
from .steered import Steered

ViewOf = Callable[[Any], Any]  # law -> AbstractBodyView


class LoopMemory(eqx.Module):
    """States of a feedback loop, integrated with the motion.

    Attributes:
        servo: y and dy/dt, in the unit of the command; () without a servo.
        controller: memory of the controller, of any unit.
        sensors: memories of the sensors by name, of any unit.
    """

    servo: PyTree[Float[Array, "..."]]
    controller: PyTree[Float[Array, "..."]]
    sensors: dict[str, PyTree[Float[Array, "..."]]]


class Instant(eqx.Module):
    """A feedback loop at one instant.

    Attributes:
        law: law of motion, exact in value and first two time derivatives at this instant.
        command: command of the controller, of any unit; None for an open loop.
        sensed: readings by name, of any unit.
        motion: y, dy/dt and d²y/dt², in the unit of the command.
        known: rates of the memories of servo and controller.
        loop: the loop that was evaluated; None for an open loop.
        memory: memory at this instant.
    """

    law: Any
    command: Float[Array, "m"] | None = None
    sensed: dict[str, Float[Array, "..."]] | None = None
    motion: Float[Array, "3 m"] | None = None
    known: PyTree = ()
    loop: "ClosedLoop | None" = None
    memory: PyTree = ()

    def memory_rates(self, view_after: Callable[[], AbstractBodyView]) -> PyTree:
        """Rates of the memory; () for an open loop.

        Args:
            view_after: () -> view of the body with its accelerations; called only for sensors with a memory.
        """
        if self.loop is None:
            return ()
        sensors, rates = self.loop.steered.controller.sensors, {}
        for sensor in sensors:
            memory = self.memory.sensors[sensor.name]
            rates[sensor.name] = sensor.rates(view_after(), memory) if jax.tree.leaves(memory) else memory
        own, rate = self.known
        return LoopMemory(own, rate, rates)


class OpenLoop(eqx.Module):
    """A law of motion without a controller.

    Attributes:
        law: a gait or a joint law.
    """

    law: Any

    def react(self, t: Float[Array, ""], memory: PyTree, view_of: ViewOf) -> Instant:
        """The law, for any time [s] and state."""
        return Instant(self.law)

    def held(self, t: Float[Array, ""], memory: PyTree) -> Any:
        """The law, for any time [s]."""
        return self.law

    @property
    def break_times(self) -> tuple:
        """Break times of the law [s]."""
        return tuple(getattr(self.law, "break_times", ()))

    def timed(self, span: Span) -> "OpenLoop":
        """The loop unchanged, because there are no sampled sensors."""
        return self

    def tick(self, t: Float[Array, ""], memory: PyTree, view_of: ViewOf) -> PyTree:
        """The memory unchanged, for any time [s]."""
        return memory

    @property
    def ticks(self) -> int:
        """Number of sampling instants from one output time to the next: zero."""
        return 0


class ClosedLoop(eqx.Module):
    """A steered law on a body that has all the sensors of the controller.

    Attributes:
        steered: law, controller and servo.
        shapes: shapes of the readings, by name.
        size: number of components of the command.
        ticks: number of sampling instants from one output time to the next; 0 without sampled sensors.
    """

    steered: Steered
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True)
    size: int = eqx.field(static=True)
    ticks: int = eqx.field(static=True, default=0)

    @property
    def sampling(self) -> float | None:
        """Sampling interval of the sensors [s]; None if no sensor is sampled."""
        found = {s.sampling for s in self.steered.controller.sensors if s.sampling is not None}
        if len(found) > 1:
            raise ValueError(f"controller.sensors take samples every {sorted(found)} s: must be the same for all")
        return found.pop() if found else None

    def timed(self, span: Span) -> "ClosedLoop":
        """The loop with `ticks` set for the output times of a run.

        Args:
            span: output times, evenly spaced by a whole multiple of the sampling interval.
        """
        every = self.sampling
        if every is None:
            return self
        if isinstance(span.times, Tracer):
            raise ValueError("t0, t1 and times must be known numbers where a sensor takes samples")
        times = np.asarray(span.times)
        apart = np.diff(times)
        ticks = round(float(apart[0]) / every)
        fits = ticks >= 1 and np.allclose(apart, ticks * every, rtol=1e-9, atol=0.0)
        if not fits or times[0] != np.asarray(span.t0) or times[-1] != np.asarray(span.t1):
            raise ValueError(
                f"a sensor takes samples every {every} s: output times must run from t0 to t1, evenly, whole multiples "
                f"of it apart; they are {float(apart[0]):g} s apart (choose `samples`)"
            )
        return dataclasses.replace(self, ticks=ticks)

    def tick(self, t: Float[Array, ""], memory: LoopMemory, view_of: ViewOf) -> LoopMemory:
        """The memory after the sensors have been sampled at the time t [s]."""
        view = view_of(self.law(t, self.seen(t, memory)))
        sensors = {s.name: s.sample(view, memory.sensors[s.name]) for s in self.steered.controller.sensors}
        return LoopMemory(memory.servo, memory.controller, sensors)

    @property
    def break_times(self) -> tuple:
        """Break times of the law and the controller [s]."""
        return self.steered.break_times

    def law(self, t: Float[Array, ""], motion: Float[Array, "3 m"]) -> Any:
        """The law near the time t [s], for a servo output of any unit."""
        steered = self.steered
        return steered.law if steered.servo is None or steered.law is None else MotionAt(steered.law, t, motion)

    def held(self, t: Float[Array, ""], memory: Any) -> Any:
        """The law with the servo output frozen at its value at the time t [s]."""
        return self.law(t, self.seen(t, memory).at[1:].set(0.0))

    def seen(self, t: Float[Array, ""], memory: LoopMemory) -> Float[Array, "3 m"]:
        """y and dy/dt at the time t [s], in the unit of the command, and zero for d²y/dt², which sensors cannot see."""
        servo = self.steered.servo
        if servo is None:
            return jnp.zeros((3, 0))
        like = {name: jnp.zeros(shape) for name, shape in self.shapes}
        y, dy = servo.motion(t, memory.servo, self.steered.controller, like, memory.controller)
        return jnp.stack([y, dy, jnp.zeros_like(y)])

    def react(self, t: Float[Array, ""], memory: LoopMemory, view_of: ViewOf) -> Instant:
        """Readings, command and law at the time t [s]."""
        steered, seen = self.steered, self.seen(t, memory)
        view = view_of(self.law(t, seen))
        sensed = sense(steered, view, memory.sensors)
        command, rate = steered.controller(t, sensed, memory.controller)
        motion, own = seen, ()
        if steered.servo is not None:
            ddy, own = steered.servo.acceleration(
                t, memory.servo, command, steered.controller, sensed, memory.controller
            )
            motion = seen.at[2].set(ddy)
        return Instant(self.law(t, motion), command, sensed, motion, (own, rate), self, memory)

    def recorded(
        self,
        instant: Callable[[Any], Instant],
        times: Float[Array, "times"],
        states: tuple,
        memory: LoopMemory,
        first: tuple,
    ) -> LoopRecord:
        """Evaluates the loop at the times of a record [s].

        Args:
            instant: (t, *states, memory) -> the loop at that instant.
            times: times of the record [s].
            states: states of the motion at these times.
            memory: memory at these times.
            first: (t, *states, memory) at the start of the run.
        """

        def one(parts):
            now = instant(parts)
            assert now.command is not None
            return now.command, now.sensed, now.motion

        command, sensed, motion = jax.lax.map(one, (times, *states, memory))
        # The command at the start is checked separately: a run that fails at once has no finite recorded state.
        moving = jnp.all(jnp.stack([jnp.all(jnp.isfinite(x), axis=tuple(range(1, x.ndim))) for x in states]), axis=0)
        sound = jnp.all(jnp.isfinite(command) | ~moving[:, None]) & jnp.all(jnp.isfinite(one(first)[0]))
        return LoopRecord(times, memory, command, sensed, motion, sound)


def sense(steered: Steered, view: AbstractBodyView, memory: dict[str, PyTree]) -> dict[str, Float[Array, "..."]]:
    """Readings of all sensors; raises ValueError with the name of a sensor that the body does not have."""
    readings = {}
    for sensor in steered.controller.sensors:
        try:
            readings[sensor.name] = jnp.asarray(sensor(view, memory[sensor.name]), float)
        except ValueError as error:
            raise ValueError(f"sensor {sensor.name!r}: {error}") from error
    return readings


def open_or_closed(
    law: Any, t0: Float[Array, ""], view_of: ViewOf, memory: Any = None, check: Callable[[Any], None] | None = None
) -> tuple[OpenLoop | ClosedLoop, LoopMemory | tuple[()]]:
    """The loop of a law and its initial memory; checks sensors and shapes before anything is compiled.

    Args:
        law: a gait, a joint law, or a `Steered`.
        t0: first time [s].
        view_of: law -> view of the body at the start; with None for the law, a body at rest in its reference shape.
        memory: initial memory, from an earlier run of the same loop; None for the initial memory of each part.
        check: raises if the engine cannot use a law of motion.

    Raises:
        ValueError: a sensor does not exist on this body, or the command or the memory has the wrong shape.
    """
    if not isinstance(law, Steered):
        if memory is not None:
            raise ValueError("memory: a law that nothing steers has none; give a gaits.Steered")
        return OpenLoop(law), ()
    controller, t = law.controller, jnp.asarray(t0, float)
    like = jax.eval_shape(lambda: sense(law, view_of(None), _begin(law, view_of(None))))
    start = jax.tree.map(lambda x: jnp.asarray(x, float), controller.start())
    size = _check_controller(controller, like, start)
    loop = ClosedLoop(law, tuple((name, tuple(x.shape)) for name, x in like.items()), size)
    if isinstance(law.servo, Smooth):
        _check_smooth(law, t, like, start)
    begin = LoopMemory(() if law.servo is None else law.servo.begin(size), start, {})
    law_at_start = loop.law(t, loop.seen(t, begin))
    if check is not None:
        check(law_at_start)
    first = view_of(law_at_start)
    begin = LoopMemory(begin.servo, start, _begin(law, first))
    if memory is None:
        return loop, begin
    shapes = lambda tree: [jnp.shape(x) for x in jax.tree.leaves(tree)]  # noqa: E731
    if jax.tree.structure(memory) != jax.tree.structure(begin) or shapes(memory) != shapes(begin):
        raise ValueError(
            f"memory is {shown_shape(memory)}: must be that of this loop, {shown_shape(begin)}, as "
            "run.feedback.memory_at(-1)"
        )
    return loop, jax.tree.map(lambda x: jnp.asarray(x, float), memory)


def _begin(steered, view):
    found = {}
    for sensor in steered.controller.sensors:
        try:
            found[sensor.name] = jax.tree.map(lambda x: jnp.asarray(x, float), sensor.start(view))
        except ValueError as error:
            raise ValueError(f"sensor {sensor.name!r}: {error}") from error
    return found


def _check_controller(controller, like, start) -> int:
    """Size of the command; raises ValueError if the command or the rates of the memory have the wrong shape."""
    name = type(controller).__name__
    scalar = jax.ShapeDtypeStruct((), jnp.result_type(float))
    try:
        result = eqx.filter_eval_shape(controller, scalar, like, start)
    except KeyError as error:
        raise ValueError(f"{name} asks for sensed[{error}]: its sensors are named {sorted(like)}") from error
    if not isinstance(result, tuple) or len(result) != 2:
        raise ValueError(f"{name} returns {shown_shape(result)}: must be a pair (command, memory_rate)")
    command, rate = result
    if not hasattr(command, "shape") or len(command.shape) != 1:
        raise ValueError(
            f"{name} returns a command of {shown_shape(command)}: must be an array (m,), as jnp.stack([u])"
        )
    if not jnp.issubdtype(command.dtype, jnp.floating):
        raise ValueError(f"{name} returns a command of {command.dtype} numbers: must be floats")
    shapes = lambda tree: [tuple(x.shape) for x in jax.tree.leaves(tree)]  # noqa: E731
    if jax.tree.structure(rate) != jax.tree.structure(start) or shapes(rate) != shapes(start):
        raise ValueError(
            f"{name} returns a memory_rate of {shown_shape(rate)}: must be like its start(), {shown_shape(start)}"
        )
    names = controller.channels
    if names and len(names) != command.shape[0]:
        raise ValueError(f"{name}.channels names {len(names)} components: its command has {command.shape[0]}")
    return command.shape[0]


def _check_smooth(steered, t, like, start):
    """Raises if the command or its rate depends directly on the sensors: NaN readings must not propagate to them."""
    nan = {name: jnp.full(x.shape, jnp.nan) for name, x in like.items()}
    y, dy = steered.servo.motion(t, (), steered.controller, nan, start)
    if isinstance(y, Tracer) or isinstance(dy, Tracer):
        return
    if nan and not (np.isfinite(np.asarray(y)).all() and np.isfinite(np.asarray(dy)).all()):
        raise ValueError(
            f"servo = Smooth(): the command of {type(steered.controller).__name__} or its rate follows the sensors at "
            "once, so the motion is not twice differentiable: use gaits.feedback.Servo, or let the sensors act on the "
            "rate of a memory that is two integrations away from the command"
        )


def shown_shape(value: Any) -> str:
    """Shapes of a pytree of arrays, for error messages."""
    if hasattr(value, "shape"):
        return f"shape {tuple(value.shape)}"
    leaves = jax.tree.leaves(value)
    if leaves and all(hasattr(leaf, "shape") for leaf in leaves):
        return f"a {type(value).__name__} of shapes {[tuple(leaf.shape) for leaf in leaves]}"
    return f"a {type(value).__name__}"
