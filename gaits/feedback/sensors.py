"""Sensors: what a controller is given of the motion, written once for beams and trees.

A place (`at`) is None for the head of a beam or the base of a tree, an abscissa X [m] along a beam, or the name of a
body of a tree. What follows from the command is read through a filter: `filtered_sensors`.
"""

import abc
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, PyTree

from spatial import Numbers, angular, finite, linear, one_of, positive
from spatial.checks import shown

from .body_view import AbstractBodyView, Place

UP = (0.0, 0.0, 1.0)
STRAINS = ("G1", "G2", "G3", "K1", "K2", "K3")


class AbstractSensor(eqx.Module):
    """A measurement.

    Attributes:
        name: key of the reading in `sensed`.
        unit: of the reading.
    """

    name: eqx.AbstractVar[str]
    unit: eqx.AbstractVar[str]

    @abc.abstractmethod
    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "..."]:
        """The reading, of the unit of the sensor."""

    def start(self, view: AbstractBodyView) -> PyTree[Float[Array, "..."]]:
        """Memory of the sensor at the start of a run, of any unit; () for none."""
        return ()

    def rates(self, view: AbstractBodyView, memory: PyTree) -> PyTree[Float[Array, "..."]]:
        """Rates of the memory, of its units per second; here the view has accelerations and torques too."""
        return ()

    @property
    def sampling(self) -> float | None:
        """Interval at which it takes samples [s]; None for one that follows the motion continuously."""
        return None

    def sample(self, view: AbstractBodyView, memory: PyTree) -> PyTree[Float[Array, "..."]]:
        """Memory after an instant of sampling, of any unit."""
        return memory


class PlacedSensor(AbstractSensor):
    """A sensor without memory, at a place."""

    at: Place
    name: str = eqx.field(static=True)
    unit = "1"

    def __init__(self, at: Place = None, name: str | None = None):
        self.at = _place(type(self).__name__, at)
        self.name = _key(type(self).__name__) if name is None else name


class Position(PlacedSensor):
    """Position in the world [m].

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "m"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "3"]:
        """Position of the place [m]."""
        return view.pose(self.at)[0]


class Velocity(PlacedSensor):
    """Velocity in the world [m/s].

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "m/s"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "3"]:
        """Velocity of the place [m/s]."""
        return view.pose(self.at)[1] @ linear(view.twist(self.at))


class Heading(PlacedSensor):
    """Yaw of the frame about the world's vertical: the angle of t1 from x, between -π and π [rad].

    Zero for a body as it is built, nose towards -x; positive after a turn to its left.

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "rad"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, ""]:
        """Heading [rad]."""
        rotation = view.pose(self.at)[1]
        return jnp.arctan2(rotation[1, 0], rotation[0, 0])


class Pitch(PlacedSensor):
    """Angle by which the direction of swimming -t1 points above the horizontal [rad].

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "rad"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, ""]:
        """Pitch [rad]."""
        rotation = view.pose(self.at)[1]
        # By the tangent: the derivative of asin is infinite at a vertical body.
        return jnp.arctan2(-rotation[2, 0], jnp.sqrt(rotation[0, 0] ** 2 + rotation[1, 0] ** 2 + 1e-300))


class Roll(PlacedSensor):
    """Angle by which the frame is turned about its own t1 out of the upright [rad].

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "rad"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, ""]:
        """Roll [rad]."""
        rotation = view.pose(self.at)[1]
        return jnp.arctan2(rotation[2, 1], rotation[2, 2])


class Depth(PlacedSensor):
    """Depth below the plane z = 0 [m].

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "m"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, ""]:
        """Depth [m]."""
        return -view.pose(self.at)[0][2]


class Gyroscope(PlacedSensor):
    """Angular velocity in the frame of the place [rad/s].

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "rad/s"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "3"]:
        """Angular velocity [rad/s]."""
        return angular(view.twist(self.at))


class Vertical(PlacedSensor):
    """Direction of the world's vertical (up), a unit vector in the frame of the place.

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "1"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "3"]:
        """Unit vector."""
        return view.pose(self.at)[1].T @ jnp.asarray(UP)


class Flow(PlacedSensor):
    """Velocity of the undisturbed water relative to the body, in the frame of the place [m/s].

    Attributes:
        at: place on the body, or several abscissae of a beam.
        name: key of the reading.
    """

    unit = "m/s"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "*places 3"]:
        """Relative velocity, one row for each place [m/s]."""
        return _each(self.at, lambda at: _relative(view, at))


class Pressure(PlacedSensor):
    """Difference of stagnation pressure between the two flanks, ½ρ u2 |u2| of the cross flow [Pa].

    A proxy, as for the lateral line of a fish: the pressure of the water that runs against the flank.

    Attributes:
        at: place on the body, or several abscissae of a beam.
        name: key of the reading.
        density: of the water [kg/m³].
    """

    density: Float[Array, ""]
    unit = "Pa"

    def __init__(self, at: Any = None, name: str | None = None, density: Numbers = 1000.0):
        super().__init__(at, name)
        self.density = positive("Pressure.density", density, "kg/m³", ())

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "*places"]:
        """Pressure, one number for each place [Pa]."""
        across = _each(self.at, lambda at: _relative(view, at)[1])
        return 0.5 * self.density * across * jnp.abs(across)


class Strain(PlacedSensor):
    """One strain of a beam [-, 1/m]: curvature by default.

    Attributes:
        at: abscissa X, or several [m].
        name: key of the reading.
        component: "G1" to "G3", "K1" to "K3".
    """

    component: str = eqx.field(static=True)
    unit = "1, 1/m"

    def __init__(self, at: Numbers, component: str = "K3", name: str | None = None):
        one_of("Strain.component", component, STRAINS)
        super().__init__(at, name)
        self.component = component

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "*places"]:
        """Strain, one number for each abscissa [-, 1/m]."""
        return _each(self.at, lambda at: view.strain(at)[STRAINS.index(self.component)])


class JointPosition(PlacedSensor):
    """Positions of a joint [rad or m]; four numbers for a spherical joint.

    Attributes:
        at: name of the joint.
        name: key of the reading; "joint_" and the joint when None.
    """

    unit = "rad or m"

    def __init__(self, at: str, name: str | None = None):
        super().__init__(at, f"joint_{at}" if name is None else name)

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "_"]:
        """Positions [rad or m]."""
        return view.joint(self.at)[0]


class JointVelocity(PlacedSensor):
    """Velocities of a joint [rad/s or m/s].

    Attributes:
        at: name of the joint.
        name: key of the reading; "joint_rate_" and the joint when None.
    """

    unit = "rad/s or m/s"

    def __init__(self, at: str, name: str | None = None):
        super().__init__(at, f"joint_rate_{at}" if name is None else name)

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "_"]:
        """Velocities [rad/s or m/s]."""
        return view.joint(self.at)[1]


class ThreadLength(AbstractSensor):
    """Length of a thread of a soft beam or a cable of a tree [m].

    Attributes:
        thread: its number among the threads of the body, from 0.
        name: key of the reading; "length_" and the number when None.
    """

    thread: int = eqx.field(static=True)
    name: str = eqx.field(static=True)
    unit = "m"

    def __init__(self, thread: int, name: str | None = None):
        self.thread, self.name = thread_number("ThreadLength", thread), f"length_{thread}" if name is None else name

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, ""]:
        """Length [m]."""
        return view.thread(self.thread)[0]


def thread_number(kind: str, thread: Any) -> int:
    """The number of a thread, from 0; refuses what is none."""
    if not isinstance(thread, int) or isinstance(thread, bool) or thread < 0:
        raise ValueError(f"{kind}.thread = {shown(thread)}: must be the number of a thread, from 0")
    return thread


def _place(kind: str, at: Any) -> Any:
    if at is None or isinstance(at, str):
        return at
    value = finite(f"{kind}.at", at)
    if value.ndim > 1:
        raise ValueError(f"{kind}.at = {shown(at)}: must be None, a name, an abscissa, or a list of abscissae [m]")
    return value


def _key(kind: str) -> str:
    """CamelCase to snake_case."""
    return "".join(f"_{c.lower()}" if c.isupper() and k else c.lower() for k, c in enumerate(kind))


def _each(at, reading):
    """One reading, or a stack of readings for several abscissae."""
    if at is None or isinstance(at, str) or at.ndim == 0:
        return reading(at)
    # Known abscissae stay known while a program is traced, so that one outside the body can be refused.
    places = at if isinstance(at, Tracer) else np.asarray(at)
    return jnp.stack([reading(places[k]) for k in range(at.shape[0])])


def _relative(view, at):
    _, rotation = view.pose(at)
    return rotation.T @ view.water(at) - linear(view.twist(at))
