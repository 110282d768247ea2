"""Sensors of acceleration, torque, moment and tension, each with a first-order filter as memory.

These quantities depend on the command. Without the filter, a command that depends on them would be an algebraic loop.
"""

import abc

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from spatial import Numbers, angular, cross, finite, linear, positive

from .body_view import AbstractBodyView, Place
from .sensors import UP, PlacedSensor, thread_number


class _Filtered(PlacedSensor):
    """First-order filter of a quantity that is available only once the dynamics are solved.

    The memory is the reading: d(reading)/dt = (quantity - reading)/τ.
    """

    time_constant: Float[Array, ""]

    def __init__(self, at: Place = None, time_constant: Numbers = 0.01, name: str | None = None):
        super().__init__(at, name)
        self.time_constant = positive(f"{type(self).__name__}.time_constant", time_constant, "s", ())

    @abc.abstractmethod
    def quantity(self, view: AbstractBodyView) -> Float[Array, "..."]:
        """The unfiltered quantity, in the unit of the sensor."""

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "..."]:
        """The filtered value."""
        return memory

    def rates(self, view: AbstractBodyView, memory: PyTree) -> PyTree:
        """Rate of the filtered value."""
        return (self.quantity(view) - memory) / self.time_constant


class Accelerometer(_Filtered):
    """Specific force a - g in the frame of the place [m/s²], through a first-order filter.

    Attributes:
        at: place on the body.
        time_constant: time constant of the filter [s].
        name: key of the reading.
        gravity: magnitude of gravity, along -z of the world [m/s²].
    """

    gravity: Float[Array, ""]
    unit = "m/s^2"

    def __init__(
        self,
        at: Place = None,
        time_constant: Numbers = 0.01,
        name: str | None = None,
        gravity: Numbers = 9.81,
    ):
        super().__init__(at, time_constant, name)
        self.gravity = finite("Accelerometer.gravity", gravity, ())

    def start(self, view: AbstractBodyView) -> Float[Array, "3"]:
        """Reading at rest: the reaction to gravity [m/s²]."""
        return self.gravity * view.pose(self.at)[1].T @ jnp.asarray(UP)

    def quantity(self, view: AbstractBodyView) -> Float[Array, "3"]:
        """Rᵀ(a - g) = dV/dt + Ω×V - Rᵀg [m/s²]."""
        rotation, twist, rate = view.pose(self.at)[1], view.twist(self.at), view.twist_rate(self.at)
        acceleration = linear(rate) + cross(angular(twist), linear(twist))
        return acceleration + self.gravity * rotation.T @ jnp.asarray(UP)


class JointTorque(_Filtered):
    """Motor torques of a joint [N·m or N], through a first-order filter.

    Attributes:
        at: name of the joint.
        time_constant: time constant of the filter [s].
        name: key of the reading; by default "torque_" followed by the name of the joint.
    """

    unit = "N m or N"

    def __init__(self, at: str, time_constant: Numbers = 0.01, name: str | None = None):
        super().__init__(at, time_constant, f"torque_{at}" if name is None else name)

    def start(self, view: AbstractBodyView) -> Float[Array, "_"]:
        """Zero torque."""
        return jnp.zeros_like(view.joint(self.at)[1])

    def quantity(self, view: AbstractBodyView) -> Float[Array, "_"]:
        """Torques [N·m or N]."""
        return view.torque(self.at)


class InternalMoment(_Filtered):
    """Internal moment of a beam in the section frame [N·m], through a first-order filter.

    Attributes:
        at: abscissa X [m].
        time_constant: time constant of the filter [s].
        name: key of the reading.
    """

    unit = "N m"

    def start(self, view: AbstractBodyView) -> Float[Array, "3"]:
        """Zero moment; raises an error for an abscissa outside the beam."""
        return 0.0 * view.strain(self.at)[3:]

    def quantity(self, view: AbstractBodyView) -> Float[Array, "3"]:
        """Moment that the head side exerts on the tail side [N·m]."""
        return view.moment(self.at)


class ThreadTension(_Filtered):
    """Tension of a thread [N], through a first-order filter.

    Attributes:
        thread: number of the thread, from 0.
        time_constant: time constant of the filter [s].
        name: key of the reading; by default "tension_" followed by the number.
    """

    thread: int = eqx.field(static=True)
    unit = "N"

    def __init__(self, thread: int, time_constant: Numbers = 0.01, name: str | None = None):
        super().__init__(None, time_constant, f"tension_{thread}" if name is None else name)
        self.thread = thread_number("ThreadTension", thread)

    def start(self, view: AbstractBodyView) -> Float[Array, ""]:
        """Zero tension."""
        return 0.0 * view.thread(self.thread)[0]

    def quantity(self, view: AbstractBodyView) -> Float[Array, ""]:
        """Tension [N]."""
        return view.thread(self.thread)[2]
