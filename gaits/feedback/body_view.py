"""What a sensor can see of a body at one instant: the interface that each engine implements."""

import abc
from typing import Any

import equinox as eqx
from jaxtyping import Array, Float

# A place on a body: None for the head of a beam or the base of a tree, an abscissa X [m] of a beam, the name of a body.
Place = Any


class AbstractBodyView(eqx.Module):
    """A body at one instant, as its sensors see it.

    A quantity that a body does not have is refused in words by the method that would return it. Poses, twists and
    strains are states of the motion. Accelerations, and forces that depend on them, are known only after the command:
    `twist_rate`, `torque` and `moment` are for the rates of a sensor's own memory (`AbstractSensor.rates`).

    Attributes:
        t: the instant [s].
    """

    t: eqx.AbstractVar[Float[Array, ""]]

    @abc.abstractmethod
    def pose(self, at: Place = None) -> tuple[Float[Array, "3"], Float[Array, "3 3"]]:
        """Position in the world [m] and axes in the world, as columns."""

    @abc.abstractmethod
    def twist(self, at: Place = None) -> Float[Array, "6"]:
        """Velocity (V, Ω) in the frame of the place [m/s, rad/s]."""

    @abc.abstractmethod
    def twist_rate(self, at: Place = None) -> Float[Array, "6"]:
        """d(twist)/dt in the frame of the place [m/s², rad/s²]; known after the dynamics only."""

    @abc.abstractmethod
    def water(self, at: Place = None) -> Float[Array, "3"]:
        """Velocity of the undisturbed water at the place, in the world [m/s]."""

    def strain(self, X: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X, in the section frame [-, 1/m]."""
        raise ValueError("this body has no strain: give the sensor a beam")

    def moment(self, X: Float[Array, ""]) -> Float[Array, "3"]:
        """Internal moment at the abscissa X, in the section frame [N·m]; known after the dynamics only."""
        raise ValueError("this body has no internal moment: give the sensor a beam, or use JointTorque")

    def joint(self, name: str) -> tuple[Float[Array, "_"], Float[Array, "_"]]:
        """Positions [rad or m] and velocities [rad/s or m/s] of a joint."""
        raise ValueError(f"joint {name!r}: this body has no joints; give the sensor a tree")

    def torque(self, name: str) -> Float[Array, "_"]:
        """Motor torques of a joint [N·m or N]; known after the dynamics only."""
        raise ValueError(f"joint {name!r}: this body has no joints; give the sensor a tree")

    def thread(self, number: int) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
        """Length [m], rate [m/s] and tension [N] of a thread; the tension is known after the command only."""
        raise ValueError(f"thread {number}: this body has no threads")


def nth_thread(number: int, found: Any) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
    """Length [m], rate [m/s] and tension [N] of one of several threads; a number that none has is refused."""
    count = found.length.shape[0]
    if number >= count:
        raise ValueError(f"thread {number}: this body has {count} threads, numbered from 0")
    return found.length[number], found.rate[number], found.tension[number]
