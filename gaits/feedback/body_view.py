"""The state of a body as sensors see it at one instant: an interface that each engine implements."""

import abc
from typing import Any

import equinox as eqx
from jaxtyping import Array, Float

# A place on a body: None (head of a beam or base of a tree), an abscissa X [m] of a beam, or the name of a tree's body.
Place = Any


class AbstractBodyView(eqx.Module):
    """A body at one instant, as its sensors see it.

    The methods raise ValueError for a quantity that the body does not have. Poses, twists and strains are states of the
    motion. Accelerations, and forces that depend on them, are known only once the command is known and the dynamics are
    solved. Therefore `twist_rate`, `torque` and `moment` may be used only for the rates of a sensor's memory
    (`AbstractSensor.rates`).

    Attributes:
        t: time [s].
    """

    t: eqx.AbstractVar[Float[Array, ""]]

    @abc.abstractmethod
    def pose(self, at: Place = None) -> tuple[Float[Array, "3"], Float[Array, "3 3"]]:
        """Position in the world [m], and axes in the world as columns."""

    @abc.abstractmethod
    def twist(self, at: Place = None) -> Float[Array, "6"]:
        """Velocity (V, Ω) in the frame of the place [m/s, rad/s]."""

    @abc.abstractmethod
    def twist_rate(self, at: Place = None) -> Float[Array, "6"]:
        """d(twist)/dt in the frame of the place [m/s², rad/s²]; available once the dynamics are solved."""

    @abc.abstractmethod
    def water(self, at: Place = None) -> Float[Array, "3"]:
        """Velocity of the undisturbed water at the place, in the world [m/s]."""

    def strain(self, X: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain (Γ, K) at the abscissa X, in the section frame [-, 1/m]."""
        raise ValueError("this body has no strain: give the sensor a beam")

    def moment(self, X: Float[Array, ""]) -> Float[Array, "3"]:
        """Internal moment at the abscissa X, in the section frame [N·m]; available once the dynamics are solved."""
        raise ValueError("this body has no internal moment: give the sensor a beam, or use JointTorque")

    def joint(self, name: str) -> tuple[Float[Array, "_"], Float[Array, "_"]]:
        """Positions [rad or m] and velocities [rad/s or m/s] of a joint."""
        raise ValueError(f"joint {name!r}: this body has no joints; give the sensor a tree")

    def torque(self, name: str) -> Float[Array, "_"]:
        """Motor torques of a joint [N·m or N]; available once the dynamics are solved."""
        raise ValueError(f"joint {name!r}: this body has no joints; give the sensor a tree")

    def thread(self, number: int) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
        """Length [m], rate [m/s] and tension [N] of a thread; the tension is available once the command is known."""
        raise ValueError(f"thread {number}: this body has no threads")


def nth_thread(number: int, found: Any) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
    """Length [m], rate [m/s] and tension [N] of the thread with this number; raises ValueError if there is none."""
    count = found.length.shape[0]
    if number >= count:
        raise ValueError(f"thread {number}: this body has {count} threads, numbered from 0")
    return found.length[number], found.rate[number], found.tension[number]
