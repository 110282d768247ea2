"""Sensors of the motion, for beams and trees.

A place (`at`) is None for the head of a beam or the base of a tree, an abscissa X [m] along a beam, or the name of a
body of a tree. Quantities that depend on the command, such as accelerations, are read through a filter: see
`filtered_sensors`.
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
from spatial.printing import Printed

from .body_view import AbstractBodyView, Place

UP = (0.0, 0.0, 1.0)
STRAINS = ("G1", "G2", "G3", "K1", "K2", "K3")


class AbstractSensor(Printed):
    """A measurement.

    Attributes:
        name: key of the reading in `sensed`.
        unit: unit of the reading.
    """

    name: eqx.AbstractVar[str]
    unit: eqx.AbstractVar[str]

    @abc.abstractmethod
    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, "..."]:
        """The reading, in the unit of the sensor."""

    def start(self, view: AbstractBodyView) -> PyTree[Float[Array, "..."]]:
        """Memory of the sensor at the start of a run, of any unit; () for none."""
        return ()

    def rates(self, view: AbstractBodyView, memory: PyTree) -> PyTree[Float[Array, "..."]]:
        """Rates of the memory, in its unit per second; the view also provides accelerations and torques."""
        return ()

    @property
    def sampling(self) -> float | None:
        """Sampling interval [s]; None for a sensor that is read continuously."""
        return None

    def sample(self, view: AbstractBodyView, memory: PyTree) -> PyTree[Float[Array, "..."]]:
        """Memory after a sample has been taken, of any unit."""
        return memory


class PlacedSensor(AbstractSensor):
    """Base class of sensors at a place on the body."""

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
    """Yaw about the vertical of the world: the angle from x to the projection of t1, between -π and π [rad].

    It is zero in the reference configuration, with the nose towards -x, and positive after a turn to the left.

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
    """Angle of the swimming direction -t1 above the horizontal [rad].

    Attributes:
        at: place on the body.
        name: key of the reading.
    """

    unit = "rad"

    def __call__(self, view: AbstractBodyView, memory: PyTree) -> Float[Array, ""]:
        """Pitch [rad]."""
        rotation = view.pose(self.at)[1]
        # arctan2 rather than arcsin, whose derivative is infinite for a vertical body.
        return jnp.arctan2(-rotation[2, 0], jnp.sqrt(rotation[0, 0] ** 2 + rotation[1, 0] ** 2 + 1e-300))


class Roll(PlacedSensor):
    """Rotation of the frame about its own t1, relative to upright [rad].

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

    A simple model of the lateral line of a fish: the stagnation pressure of the cross flow on the flank.

    Attributes:
        at: place on the body, or several abscissae of a beam.
        name: key of the reading.
        density: density of the water [kg/m³].
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
        name: key of the reading; by default "joint_" followed by the name of the joint.
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
        name: key of the reading; by default "joint_rate_" followed by the name of the joint.
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
        thread: number of the thread, from 0.
        name: key of the reading; by default "length_" followed by the number.
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
    """Returns the number of a thread, from 0; raises ValueError if it is not a non-negative integer."""
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
    # Concrete abscissae stay concrete (NumPy) during tracing, so that one outside the body raises an error.
    places = at if isinstance(at, Tracer) else np.asarray(at)
    return jnp.stack([reading(places[k]) for k in range(at.shape[0])])


def _relative(view, at):
    _, rotation = view.pose(at)
    return rotation.T @ view.water(at) - linear(view.twist(at))
