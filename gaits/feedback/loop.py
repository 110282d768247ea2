"""The loop that an engine closes: from states and memory to a law at one instant, and to the rates of the memory.

An engine calls, at every evaluation of its equations of motion,

    now = loop.react(t, memory, view_of)           what is sensed, the command, the law about this instant
    ...                                            the dynamics under now.law, now.command
    rates = now.memory_rates(view_after)           of servo, controller and sensors

where `view_of(law)` makes the engine's `AbstractBodyView` of the states under a law that is exact in value and first
rate. `open_or_closed` returns the same interface for a gait that nothing steers, with an empty memory.
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
        servo: y and dy/dt, of the command's unit; () without a servo.
        controller: of any unit.
        sensors: by name, of any unit.
    """

    servo: PyTree[Float[Array, "..."]]
    controller: PyTree[Float[Array, "..."]]
    sensors: dict[str, PyTree[Float[Array, "..."]]]


class Instant(eqx.Module):
    """A feedback loop at one instant.

    Attributes:
        law: of motion, exact in value and first two rates at this instant.
        command: of the controller, of any unit; None for an open loop.
        sensed: readings by name, of any unit.
        motion: y, dy/dt and d²y/dt², of the command's unit.
        known: rates of servo and controller.
        loop: whose instant it is; None for an open loop.
        memory: at this instant.
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
            view_after: () -> the body with its accelerations; called only where a sensor has a memory.
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
    """A law that nothing steers.

    Attributes:
        law: a gait or a joint law.
    """

    law: Any

    def react(self, t: Float[Array, ""], memory: PyTree, view_of: ViewOf) -> Instant:
        """The law [s], whatever the state."""
        return Instant(self.law)

    def held(self, t: Float[Array, ""], memory: PyTree) -> Any:
        """The law, whatever the time [s]."""
        return self.law

    @property
    def break_times(self) -> tuple:
        """Of the law [s]."""
        return tuple(getattr(self.law, "break_times", ()))

    def timed(self, span: Span) -> "OpenLoop":
        """Itself: nothing takes samples."""
        return self

    def tick(self, t: Float[Array, ""], memory: PyTree, view_of: ViewOf) -> PyTree:
        """The memory as it is, whatever the time [s]."""
        return memory

    @property
    def ticks(self) -> int:
        """None between two output times."""
        return 0


class ClosedLoop(eqx.Module):
    """A steered law on a body whose sensors are known to exist.

    Attributes:
        steered: law, controller and servo.
        shapes: of the readings, by name.
        size: number of components of the command.
        ticks: number of instants of sampling from one output time to the next; 0 where nothing takes samples.
    """

    steered: Steered
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True)
    size: int = eqx.field(static=True)
    ticks: int = eqx.field(static=True, default=0)

    @property
    def sampling(self) -> float | None:
        """Interval at which sensors take samples [s]; None where none does."""
        found = {s.sampling for s in self.steered.controller.sensors if s.sampling is not None}
        if len(found) > 1:
            raise ValueError(f"controller.sensors take samples every {sorted(found)} s: must be the same for all")
        return found.pop() if found else None

    def timed(self, span: Span) -> "ClosedLoop":
        """The loop with the number of instants of sampling between the output times of a run.

        Args:
            span: output times, which must be whole multiples of the sampling apart.
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
        """The memory after the sensors have taken their samples at the time t [s]."""
        view = view_of(self.law(t, self.seen(t, memory)))
        sensors = {s.name: s.sample(view, memory.sensors[s.name]) for s in self.steered.controller.sensors}
        return LoopMemory(memory.servo, memory.controller, sensors)

    @property
    def break_times(self) -> tuple:
        """Of the law and the controller [s]."""
        return self.steered.break_times

    def law(self, t: Float[Array, ""], motion: Float[Array, "3 m"]) -> Any:
        """The law about the instant t [s], for an output of the servo, of any unit."""
        steered = self.steered
        return steered.law if steered.servo is None or steered.law is None else MotionAt(steered.law, t, motion)

    def held(self, t: Float[Array, ""], memory: Any) -> Any:
        """The law with the output of the servo held as it is at the time t [s]: what the law itself does in time."""
        return self.law(t, self.seen(t, memory).at[1:].set(0.0))

    def seen(self, t: Float[Array, ""], memory: LoopMemory) -> Float[Array, "3 m"]:
        """y and dy/dt, of the command's unit, and zero: all that sensors can see of the motion at the time t [s]."""
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
        """The loop at the times of a record [s].

        Args:
            instant: (t, *states, memory) -> the loop then.
            times: of the record [s].
            states: of the motion at these times.
            memory: at these times.
            first: (t, *states, memory) at the start of the run.
        """

        def one(parts):
            now = instant(parts)
            assert now.command is not None
            return now.command, now.sensed, now.motion

        command, sensed, motion = jax.lax.map(one, (times, *states, memory))
        # A run that fails at once has no finite state to tell of its command.
        moving = jnp.all(jnp.stack([jnp.all(jnp.isfinite(x), axis=tuple(range(1, x.ndim))) for x in states]), axis=0)
        sound = jnp.all(jnp.isfinite(command) | ~moving[:, None]) & jnp.all(jnp.isfinite(one(first)[0]))
        return LoopRecord(times, memory, command, sensed, motion, sound)


def sense(steered: Steered, view: AbstractBodyView, memory: dict[str, PyTree]) -> dict[str, Float[Array, "..."]]:
    """Readings of all sensors; one that the body does not have is refused by name."""
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
    """The loop of a law, and its memory at the start of a run; refuses what does not fit before anything is compiled.

    Args:
        law: a gait, a joint law, or a `Steered`.
        t0: first time [s].
        view_of: law -> view of the body at the start; None stands for a body at rest in its reference shape.
        memory: to start from, of the same loop; None for that of its parts.
        check: refuses a law of motion that the engine cannot take.

    Raises:
        ValueError: a sensor that does not exist on this body, a command or a memory of the wrong shape.
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
    """Size of the command; refuses one of the wrong shape, and rates unlike the memory."""
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
    """Refuses a command, or a rate of it, that follows the sensors at once: readings of NaN must not reach them."""
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
    """Shapes of a tree of arrays, for messages."""
    if hasattr(value, "shape"):
        return f"shape {tuple(value.shape)}"
    leaves = jax.tree.leaves(value)
    if leaves and all(hasattr(leaf, "shape") for leaf in leaves):
        return f"a {type(value).__name__} of shapes {[tuple(leaf.shape) for leaf in leaves]}"
    return f"a {type(value).__name__}"
