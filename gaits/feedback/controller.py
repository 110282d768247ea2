"""Controllers: maps from sensor readings to a command, with a memory that is integrated along with the motion."""

import abc
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from spatial import Numbers, finite, positive
from spatial.printing import Printed

from .sensors import AbstractSensor, Heading

Sensed = dict[str, Float[Array, "..."]]


class AbstractController(Printed):
    """A feedback law u = controller(t, sensed, memory). Subclass it, or wrap a function in `Reflex`.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> class Integral(fb.AbstractController):  # du/dt = -gain * heading
    ...     gain: float = 0.5
    ...     sensors: tuple = (fb.Heading(),)
    ...     def start(self):
    ...         return jnp.zeros(1)
    ...     def __call__(self, t, sensed, memory):
    ...         return memory, -self.gain * jnp.atleast_1d(sensed["heading"])
    >>> command, rate = Integral()(0.0, {"heading": jnp.array(0.2)}, jnp.array([0.1]))
    >>> command.tolist(), rate.tolist()
    ([0.1], [-0.1])

    Attributes:
        sensors: sensors that the controller reads; their names must differ.
    """

    sensors: eqx.AbstractVar[tuple[AbstractSensor, ...]]

    def start(self) -> PyTree[Float[Array, "..."]]:
        """Memory at the start of a run: float arrays, of any unit; () for none."""
        return ()

    @abc.abstractmethod
    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: PyTree) -> tuple[Float[Array, "m"], PyTree]:
        """The command, of any unit, and the rate of the memory.

        Args:
            t: time [s].
            sensed: readings, by the names of the sensors.
            memory: current memory, integrated from the value of `start`.
        """

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the components of the command; if empty, the components are numbered."""
        return ()

    @property
    def unit(self) -> str:
        """Unit of the command."""
        return "1"


class Reflex(AbstractController):
    """A controller without memory: a function (t, sensed) -> command.

    >>> import anguilla, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> steer = fb.Reflex(lambda t, sensed: jnp.stack([-0.5 * sensed["heading"]]), fb.Heading())
    >>> steer(0.0, {"heading": jnp.array(0.2)}, ())[0].tolist()
    [-0.1]

    Attributes:
        function: (t, sensed) -> command (m,), written with jax.numpy.
        sensors: sensors that the function reads.
        names: names of the components of the command; if empty, the components are numbered.
        units: unit of the command.
    """

    function: Callable[[Any, Sensed], Float[Array, "m"]]
    sensors: tuple[AbstractSensor, ...]
    names: tuple[str, ...] = eqx.field(static=True)
    units: str = eqx.field(static=True)

    def __init__(
        self,
        function: Callable[[Any, Sensed], Float[Array, "m"]],
        *sensors: AbstractSensor,
        channels: tuple[str, ...] = (),
        unit: str = "1",
    ):
        self.function, self.sensors, self.names, self.units = function, sensors, tuple(channels), unit

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: PyTree) -> tuple[Float[Array, "m"], PyTree]:
        """The command, of any unit."""
        return self.function(t, sensed), ()

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the components of the command."""
        return self.names

    @property
    def unit(self) -> str:
        """Unit of the command."""
        return self.units


class Hold(AbstractController):
    """A constant command, that is, an open loop.

    Attributes:
        command: the command, of any unit.
        sensors: sensors that are recorded but have no effect.
    """

    command: Float[Array, "m"]
    sensors: tuple[AbstractSensor, ...]

    def __init__(self, command: Numbers, *sensors: AbstractSensor):
        self.command = finite("Hold.command", command, (None,))
        self.sensors = sensors

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: PyTree) -> tuple[Float[Array, "m"], PyTree]:
        """The command, of any unit."""
        return self.command, ()


class HeadingHold(AbstractController):
    """Holds a heading by a curvature offset: proportional-integral control of the low-pass filtered error.

        e = reference - heading (wrapped to ±π),  de_f/dt = (e - e_f)/τ,  ds/dt = e_f/T_i,  u = -gain (e_f + s)

    The head of a swimming body yaws with every beat; a τ of about one period retains the mean heading. The sign is
    negative because a positive offset of K3 turns a swimming beam towards negative headings.

    >>> import anguilla, gaits, gaits.feedback as fb
    >>> import jax.numpy as jnp
    >>> law = fb.Offset(gaits.planar(), "K3")  # the command is an offset of K3 [1/m]
    >>> steered = gaits.Steered(law, fb.HeadingHold(reference=0.5), servo=fb.Servo(frequency=1.0))
    >>> command, _ = steered.controller(0.0, {"heading": jnp.array(0.2)}, jnp.array([0.3, 0.0]))
    >>> round(command.item(), 3)  # -tanh(0.3) [1/m]
    -0.291

    Attributes:
        reference: heading to hold [rad].
        gain: command per radian [1/(m·rad)].
        low_pass: τ [s].
        integral_time: T_i [s]; infinite for no integral action.
        limit: maximum |command|; u is saturated by limit · tanh(u/limit) [1/m].
        sensors: the heading sensor.
    """

    reference: Float[Array, ""]
    gain: Float[Array, ""]
    low_pass: Float[Array, ""]
    integral_time: Float[Array, ""]
    limit: Float[Array, ""]
    sensors: tuple[AbstractSensor, ...]

    def __init__(
        self,
        reference: Numbers,
        gain: Numbers = 1.0,
        low_pass: Numbers = 1.0,
        integral_time: Numbers | None = None,
        limit: Numbers = 1.0,
        sensor: AbstractSensor | None = None,
    ):
        self.reference = finite("HeadingHold.reference", reference, ())
        self.gain = finite("HeadingHold.gain", gain, ())
        self.low_pass = positive("HeadingHold.low_pass", low_pass, "s", ())
        self.integral_time = (
            jnp.asarray(jnp.inf)
            if integral_time is None
            else positive("HeadingHold.integral_time", integral_time, "s", ())
        )
        self.limit = positive("HeadingHold.limit", limit, "1/m", ())
        # pyright expects a generated constructor in every subclass of a Module; equinox inherits that of the base.
        self.sensors = (Heading() if sensor is None else sensor,)  # pyright: ignore[reportCallIssue]

    def start(self) -> Float[Array, "2"]:
        """Filtered error and its integral, both zero [rad]."""
        return jnp.zeros(2)

    def __call__(self, t: Float[Array, ""], sensed: Sensed, memory: Float[Array, "2"]):
        """Curvature offset [1/m], and the rates of the memory."""
        error = self.reference - sensed[self.sensors[0].name]
        error = jnp.arctan2(jnp.sin(error), jnp.cos(error))
        smooth, integral = memory[0], memory[1]
        raw = -self.gain * (smooth + integral)
        command = self.limit * jnp.tanh(raw / self.limit)
        return command[None], jnp.stack([(error - smooth) / self.low_pass, smooth / self.integral_time])

    @property
    def channels(self) -> tuple[str, ...]:
        """Name of the single channel."""
        return ("curvature_offset",)

    @property
    def unit(self) -> str:
        """Unit of the curvature offset."""
        return "1/m"
