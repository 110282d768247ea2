"""Objectives: scalars or vectors with units, computed from the arrays of a motion, that can be combined."""

from collections.abc import Callable, Mapping
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, safe_norm, safe_sqrt
from spatial.checks import callable_as, names_of, of_kind
from spatial.printing import Printed

from .peaks import peak_over_period

GRAVITY = 9.81  # acceleration of gravity in the cost of transport [m/s²]


class Objective(Printed):
    """A named quantity with a unit, computed from the arrays of a motion.

    Call it with a motion that has these arrays (a `Cycle`, a mapping), or with the arrays by name. Objectives and
    numbers can be added, subtracted, multiplied and divided; terms of a sum must have the same unit.

    Attributes:
        name: name of the quantity.
        unit: its unit.
        arrays: names of the arrays it needs.
        function: function of these arrays, passed by name.
    """

    name: str = eqx.field(static=True)
    unit: str = eqx.field(static=True)
    arrays: tuple[str, ...] = eqx.field(static=True)
    function: Callable[..., Array]

    def __check_init__(self):
        of_kind("Objective.name", self.name, str, "a text")
        of_kind("Objective.unit", self.unit, str, "a text")
        names_of("Objective.arrays", self.arrays)
        callable_as("Objective.function", self.function, "a function of these arrays, by name")

    def __call__(self, motion: Any = None, /, **arrays: Any) -> Array:
        """Value for a motion, or for arrays given by name."""
        values = {name: _array(motion, name, arrays) for name in self.arrays}
        missing = [name for name, value in values.items() if value is None]
        if missing:
            raise ValueError(
                f"{self.name}: needs the arrays {', '.join(self.arrays)}; {missing[0]!r} is missing{_there(motion)}. "
                "Give it a motion, such as cosserat.steady_swim(beam, gait, fluid) returns (in optimise: model=...)"
            )
        return self.function(**values)

    def at_most(self, limit: Numbers) -> "Constraint":
        """Constraint with an upper limit (one number, or one for each component)."""
        return Constraint(self, None, finite(f"at_most({self.name})", limit))

    def at_least(self, limit: Numbers) -> "Constraint":
        """Constraint with a lower limit."""
        return Constraint(self, finite(f"at_least({self.name})", limit), None)

    def equal_to(self, value: Numbers) -> "Constraint":
        """Equality constraint."""
        value = finite(f"equal_to({self.name})", value)
        return Constraint(self, value, value)

    def watched(self) -> "Constraint":
        """No bounds: the quantity is only evaluated and logged with the constraints."""
        return Constraint(self, None, None)

    def __neg__(self) -> "Objective":
        return _combine(f"-{self.name}", self.unit, lambda a: -a, self)

    def __add__(self, other: "Objective") -> "Objective":
        return _combine(f"{self.name} + {other.name}", _same(self, other), lambda a, b: a + b, self, other)

    def __sub__(self, other: "Objective") -> "Objective":
        return _combine(f"{self.name} - {other.name}", _same(self, other), lambda a, b: a - b, self, other)

    def __mul__(self, other: "Objective | float") -> "Objective":
        if not isinstance(other, Objective):
            return _combine(f"{float(other):g} {self.name}", self.unit, lambda a: a * other, self)
        unit = _product(self.unit, other.unit)
        return _combine(f"{_wrap(self.name)} x {_wrap(other.name)}", unit, lambda a, b: a * b, self, other)

    def __rmul__(self, other: float) -> "Objective":
        return self * other

    def __truediv__(self, other: "Objective | float") -> "Objective":
        if not isinstance(other, Objective):
            return self * (1.0 / other)
        unit = "1" if self.unit == other.unit else _ratio(self.unit, other.unit)
        return _combine(f"{_wrap(self.name)} / {_wrap(other.name)}", unit, lambda a, b: a / b, self, other)

    def relative_to(self, reference: float) -> "Objective":
        """Ratio to a reference value in the same unit: dimensionless, so that it can be added to others."""
        return _combine(f"{self.name} over {reference:g} {self.unit}", "1", lambda a: a / reference, self)


class Constraint(Printed):
    """Bounds on an objective; None for no bound, equal bounds for an equality.

    Attributes:
        objective: the bounded quantity.
        low: lower bound, in the unit of the objective.
        high: upper bound, in the unit of the objective.
    """

    objective: Objective
    low: Float[Array, "..."] | None
    high: Float[Array, "..."] | None

    @property
    def name(self) -> str:
        """Name of the bounded quantity."""
        return self.objective.name


def _there(motion: Any) -> str:
    """Text that lists the arrays of a motion, for error messages; empty without a motion."""
    names = list(motion) if isinstance(motion, Mapping) else list(getattr(motion, "__dict__", ()))
    return f" in this motion, which has {', '.join(map(str, names))}" if names else ""


def quantity(name: str, unit: str, function: Callable[..., Array], *arrays: str) -> Objective:
    """Defines an objective from a function.

    The arrays are those of the motion that the model returns. `cosserat.steady_swim` and the other periodic motions
    return a `Cycle`: time, period, position, displacement, turn, power, X, torque, curvature, mass, start, multipliers,
    residual, converged and, with a wake, wake_power. A model of your own may return a dictionary of any arrays.

    >>> import gaits
    >>> import jax.numpy as jnp
    >>> swing = gaits.quantity("swing of the power", "W", lambda power: jnp.max(power) - jnp.min(power), "power")
    >>> float(swing(power=jnp.array([0.2, 1.0, 0.4])))
    0.8

    Args:
        name: name of the quantity.
        unit: its unit.
        function: function of the arrays, in the order of their names, that returns a scalar or a vector.
        arrays: names of the arrays.
    """
    for word, value in (("name", name), ("unit", unit), *(("arrays", one) for one in arrays)):
        of_kind(f"quantity: {word}", value, str, "text")
    callable_as("quantity: function", function, "of the arrays")
    if not arrays:
        raise ValueError(f"quantity({name!r}): must name at least one array of the motion")
    return Objective(name, unit, arrays, lambda **values: function(*(values[key] for key in arrays)))


def speed_along_screw(
    displacement: Float[Array, "3"], turn: Float[Array, "4"], period: Float[Array, ""]
) -> Float[Array, ""]:
    """Speed along the mean path of a periodic motion: a straight line, a circle or a helix [m/s].

    Each period rotates by ψ about an axis u. The component of the displacement normal to u is the chord of an arc that
    is longer by the factor (ψ/2)/sin(ψ/2). Smooth at zero rotation.

    Args:
        displacement: as in `Cycle`, in the frame at the start [m].
        turn: as in `Cycle`, in the frame at the start.
        period: T [s].
    """
    s2 = jnp.sum(turn[1:] ** 2)  # sin²(ψ/2)
    small = s2 < 1e-6
    s = jnp.sqrt(jnp.where(small, 0.5, s2))
    stretch2 = jnp.where(small, 1.0 + s2 / 3.0, (jnp.arctan2(s, jnp.abs(turn[0])) / s) ** 2)
    across = jnp.where(small, -1.0 / 3.0 - 8.0 / 45.0 * s2, (1.0 - stretch2) / jnp.where(small, 1.0, s2))
    along = displacement @ turn[1:]
    return safe_sqrt(stretch2 * jnp.sum(displacement**2) + across * along**2) / period


def radius_of_turn(displacement: Float[Array, "3"], turn: Float[Array, "4"]) -> Float[Array, ""]:
    """Radius of the circle or helix of the mean path; infinite for a straight path [m].

    Args:
        displacement: as in `Cycle`, in the frame at the start [m].
        turn: as in `Cycle`, in the frame at the start.
    """
    sine = safe_norm(turn[1:])
    axis = turn[1:] / jnp.where(sine > 0, sine, 1.0)
    chord = safe_norm(displacement - (displacement @ axis) * axis)
    return jnp.where(sine > 0, chord / (2.0 * jnp.where(sine > 0, sine, 1.0)), jnp.inf)


def distance_to_path(position: Float[Array, "times 3"], target: Float[Array, "points 3"]) -> Float[Array, ""]:
    """Root mean square over time of the distance to the polyline through the target points [m].

    Args:
        position: position of the head, in any frame [m].
        target: points of the path, in the same frame [m].
    """
    start, side = target[:-1], jnp.diff(target, axis=0)
    length2 = jnp.sum(side**2, axis=1)
    offset = position[:, None, :] - start[None]
    share = jnp.clip(jnp.sum(offset * side[None], axis=2) / length2[None], 0.0, 1.0)
    squares = jnp.sum((offset - share[..., None] * side[None]) ** 2, axis=2)
    return safe_sqrt(jnp.mean(jnp.min(squares, axis=1)))


def _largest(values: Float[Array, "times stations 3"]) -> Float[Array, "stations"]:
    """Maximum norm over the period, at each station."""
    return safe_sqrt(peak_over_period(jnp.sum(values**2, axis=2)))


steady_speed = quantity("steady speed", "m/s", speed_along_screw, "displacement", "turn", "period")
mean_power = quantity("mean power", "W", jnp.mean, "power")
cost_of_transport = quantity(
    "cost of transport",
    "1",
    lambda power, mass, *path: jnp.mean(power) / (mass * GRAVITY * speed_along_screw(*path)),
    *("power", "mass", "displacement", "turn", "period"),
)
# Share of the mean actuator power that is not lost to the wake: the Froude efficiency TU/(TU + P_wake) of a swimmer
# whose thrust T balances its own resistance at the speed U.
froude_efficiency = quantity(
    "Froude efficiency", "1", lambda power, wake: 1.0 - jnp.mean(wake) / jnp.mean(power), "power", "wake_power"
)
turning_radius = quantity("turning radius", "m", radius_of_turn, "displacement", "turn")
section_torque = quantity("peak torque of each section", "N m", _largest, "torque")
peak_torque = quantity("peak torque", "N m", lambda torque: jnp.max(_largest(torque)), "torque")
section_curvature = quantity("peak curvature of each section", "1/m", _largest, "curvature")
peak_curvature = quantity("peak curvature", "1/m", lambda K: jnp.max(_largest(K)), "curvature")


def depth_rate(vertical: Numbers = (0.0, 0.0, 1.0)) -> Objective:
    """Mean rate of descent along a downward direction [m/s].

    Args:
        vertical: unit vector pointing up, in the frame of the displacement.
    """
    up = finite("vertical", vertical, (3,))
    return quantity("depth rate", "m/s", lambda d, period: -(d @ up) / period, "displacement", "period")


def path_distance(target: Numbers) -> Objective:
    """Root-mean-square distance of the head from a target path [m].

    Args:
        target: points of the path, connected by straight lines, in the frame of the position [m].
    """
    points = finite("target", target, (None, 3))
    if points.shape[0] < 2:
        raise ValueError(f"target has shape {points.shape}: must hold at least 2 points")
    return quantity("distance to the path", "m", lambda position: distance_to_path(position, points), "position")


def _array(motion: Any, name: str, given: Mapping[str, Any]) -> Any:
    if name in given:
        return given[name]
    return motion.get(name) if isinstance(motion, Mapping) else getattr(motion, name, None)


def _combine(name: str, unit: str, function: Callable[..., Array], *parts: Objective) -> Objective:
    arrays = tuple(dict.fromkeys(array for part in parts for array in part.arrays))
    return Objective(name, unit, arrays, lambda **values: function(*(part(values) for part in parts)))


def _same(a: Objective, b: Objective) -> str:
    if not isinstance(b, Objective):
        raise ValueError(f"{a.name} [{a.unit}] and {b!r}: only objectives can be added; numbers can only multiply them")
    if a.unit != b.unit:
        raise ValueError(
            f"{a.name} [{a.unit}] and {b.name} [{b.unit}] cannot be added: divide each by a reference value "
            "(`relative_to`), or by each other"
        )
    return a.unit


def _product(a: str, b: str) -> str:
    return b if a == "1" else a if b == "1" else f"{a} {b}"


def _ratio(a: str, b: str) -> str:
    return a if b == "1" else f"{a}/{b}" if b.isalpha() else f"{a}/({b})"


def _wrap(name: str) -> str:
    return f"({name})" if " + " in name or " - " in name else name


def aim_of(name: str) -> tuple[float, str, str]:
    """What is sought by minimising an objective of this name: to maximise a quantity, its negative is minimised.

    Args:
        name: name of the objective, such as "-steady speed".

    Returns:
        Sign of the quantity of interest in the objective, its name, and "maximised" or "minimised".
    """
    if name.startswith("-") and " + " not in name and " - " not in name:
        return -1.0, name[1:], "maximised"
    return 1.0, name, "minimised"
