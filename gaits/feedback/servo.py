"""Servos: they turn a command into a motion that is twice differentiable in time.

Imposed strains and joint positions need y, dy/dt and d²y/dt². A command may jump, with the sensors or the controller.
It is therefore the input of a servo, whose states y and dy/dt are part of the memory; d²y/dt² is then exact for any
command.
"""

import abc

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from spatial import Numbers, finite, positive
from spatial.printing import Printed

Motion = tuple[Float[Array, "m"], Float[Array, "m"]]


class AbstractServo(Printed):
    """Maps a command u(t) to a motion y(t)."""

    @abc.abstractmethod
    def begin(self, size: int) -> PyTree[Float[Array, "..."]]:
        """States of the servo at the start of a run, for a command of this size."""

    @abc.abstractmethod
    def motion(self, t, own: PyTree, controller, sensed_like, memory: PyTree) -> Motion:
        """y and dy/dt, which must not depend on the sensor readings at this instant."""

    @abc.abstractmethod
    def acceleration(self, t, own, command, controller, sensed, memory) -> tuple[Float[Array, "m"], PyTree]:
        """d²y/dt², and the rates of the states of the servo."""


class Servo(AbstractServo):
    """Second-order servo: d²y/dt² = ω²(u - y) - 2ζω dy/dt, with optional smooth limits.

    A speed limit v saturates the reference rate r = ω(u - y)/(2ζ) to v tanh(r/v). An acceleration limit saturates
    d²y/dt² in the same way. Neither changes small motions.

    >>> import gaits.feedback as fb
    >>> fb.Servo(frequency=2.0).damping.item()
    1.0

    Attributes:
        frequency: ω/2π [Hz].
        damping: ζ [-]; 1 for the fastest response without overshoot.
        start: y at the start of a run, of any unit, one number or one for each channel; dy/dt is zero.
        speed: maximum |dy/dt|, of any unit (that of the command per second); None for no limit.
        acceleration_limit: maximum |d²y/dt²|, of any unit (that of the command per second squared); None for no limit.
    """

    frequency: Float[Array, "..."]
    damping: Float[Array, ""]
    start: Float[Array, "..."]
    speed: Float[Array, "..."] | None
    acceleration_limit: Float[Array, "..."] | None

    def __init__(
        self,
        frequency: Numbers,
        damping: Numbers = 1.0,
        start: Numbers = 0.0,
        speed: Numbers | None = None,
        acceleration: Numbers | None = None,
    ):
        self.frequency = positive("Servo.frequency", frequency, "Hz")
        self.damping = positive("Servo.damping", damping, "", ())
        self.start = finite("Servo.start", start)
        self.speed = None if speed is None else positive("Servo.speed", speed)
        self.acceleration_limit = None if acceleration is None else positive("Servo.acceleration", acceleration)

    def begin(self, size: int) -> Motion:
        """y = `start` and dy/dt = 0, in the unit of the command."""
        for name in ("frequency", "start", "speed", "acceleration_limit"):
            value = getattr(self, name)
            if value is not None and value.shape not in ((), (size,)):
                raise ValueError(
                    f"Servo.{name} has shape {value.shape}: must be one number or one for each of the {size} channels"
                )
        return jnp.broadcast_to(self.start, (size,)), jnp.zeros(size)

    def motion(self, t, own, controller, sensed_like, memory) -> Motion:
        """y and dy/dt, which are the states of the servo.

        Args:
            t: not used [s].
            own: y and dy/dt, in the unit of the command.
            controller: not used.
            sensed_like: not used.
            memory: not used.
        """
        return own

    def acceleration(self, t, own, command, controller, sensed, memory) -> tuple[Float[Array, "m"], Motion]:
        """ω²(u - y) - 2ζω dy/dt, within the limits.

        Args:
            t: not used [s].
            own: y and dy/dt, in the unit of the command.
            command: u, of any unit.
            controller: not used.
            sensed: not used.
            memory: not used.
        """
        y, dy = own
        omega = 2.0 * jnp.pi * self.frequency
        if self.speed is None:
            ddy = omega**2 * (command - y) - 2.0 * self.damping * omega * dy
        else:
            aim = self.speed * jnp.tanh(omega * (command - y) / (2.0 * self.damping * self.speed))
            ddy = 2.0 * self.damping * omega * (aim - dy)
        if self.acceleration_limit is not None:
            ddy = self.acceleration_limit * jnp.tanh(ddy / self.acceleration_limit)
        return ddy, (dy, ddy)


class Smooth(AbstractServo):
    """No servo: y is the command, and its first two time derivatives follow from the rates of the memory.

    For controllers whose command and its rate depend on time and memory only, such as `gaits.Oscillators`: the sensors
    act on the rate of a memory that is two integrations before the command. A controller whose command or its rate
    depends directly on the sensors raises an error.
    """

    def begin(self, size: int) -> tuple[()]:
        """No states."""
        return ()

    def motion(self, t, own, controller, sensed_like, memory) -> Motion:
        """y(t, memory), and dy/dt = ∂y/∂t + ∂y/∂memory · d(memory)/dt.

        Args:
            t: time [s].
            own: ().
            controller: the controller.
            sensed_like: readings of the right shape; their values have no effect.
            memory: memory of the controller.
        """
        _, rate = controller(t, sensed_like, memory)
        command = lambda t, memory: controller(t, sensed_like, memory)[0]  # noqa: E731
        return jax.jvp(command, (t, memory), (jnp.ones_like(t), rate))

    def acceleration(self, t, own, command, controller, sensed, memory) -> tuple[Float[Array, "m"], tuple[()]]:
        """d²y/dt², the derivative of dy/dt along the rates of the memory.

        Args:
            t: time [s].
            own: ().
            command: not used.
            controller: the controller.
            sensed: readings; they enter through the rate of the memory.
            memory: memory of the controller.
        """
        _, rate = controller(t, sensed, memory)
        velocity = lambda t, memory: self.motion(t, own, controller, sensed, memory)[1]  # noqa: E731
        return jax.jvp(velocity, (t, memory), (jnp.ones_like(t), rate))[1], ()
