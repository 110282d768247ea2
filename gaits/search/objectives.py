"""What one may want of a motion: scalars (or vectors) of arrays, each with its unit, that combine."""

from collections.abc import Callable, Mapping
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, safe_norm

from .peaks import peak_over_period

GRAVITY = 9.81  # of the cost of transport [m/s²]


class Objective(eqx.Module):
    """A number, with its name and unit, that arrays of a motion give.

    Call it with a motion that has those arrays (a `Cycle`, a mapping), or with the arrays by name. Objectives and
    numbers add, subtract, multiply and divide; what is added must have the same unit.

    Attributes:
        name: what it is.
        unit: its unit.
        arrays: names of the arrays it takes.
        function: takes them by name.
    """

    name: str = eqx.field(static=True)
    unit: str = eqx.field(static=True)
    arrays: tuple[str, ...] = eqx.field(static=True)
    function: Callable[..., Array]

    def __call__(self, motion: Any = None, /, **arrays: Any) -> Array:
        """The value for a motion, or for arrays given by name."""
        values = {name: _array(motion, name, arrays) for name in self.arrays}
        missing = [name for name, value in values.items() if value is None]
        if missing:
            raise ValueError(
                f"{self.name}: needs the arrays {', '.join(self.arrays)}; {missing[0]!r} is missing. Give it a motion, "
                "such as cosserat.steady_swim(beam, gait, fluid) returns (in optimise: model=...)"
            )
        return self.function(**values)

    def at_most(self, limit: Numbers) -> "Constraint":
        """The constraint that it is not above a limit (or a limit for each of its values)."""
        return Constraint(self, None, finite(f"at_most({self.name})", limit))

    def at_least(self, limit: Numbers) -> "Constraint":
        """The constraint that it is not below a limit."""
        return Constraint(self, finite(f"at_least({self.name})", limit), None)

    def equal_to(self, value: Numbers) -> "Constraint":
        """The constraint that it has a value."""
        value = finite(f"equal_to({self.name})", value)
        return Constraint(self, value, value)

    def watched(self) -> "Constraint":
        """No constraint: it is only evaluated and logged along with the others."""
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
        """The same over a reference value of the same unit: a pure number, which adds to others."""
        return _combine(f"{self.name} over {reference:g} {self.unit}", "1", lambda a: a / reference, self)


class Constraint(eqx.Module):
    """Bounds on an objective; None for no bound, both equal for an equation.

    Attributes:
        objective: what is bounded.
        low: the least value allowed, in the unit of the objective.
        high: the greatest value allowed, in the unit of the objective.
    """

    objective: Objective
    low: Float[Array, "..."] | None
    high: Float[Array, "..."] | None

    @property
    def name(self) -> str:
        """What is bounded."""
        return self.objective.name


def quantity(name: str, unit: str, function: Callable[..., Array], *arrays: str) -> Objective:
    """An objective of one's own.

    Args:
        name: what it is.
        unit: its unit.
        function: takes the arrays, in the order of their names, and returns a scalar or a vector.
        arrays: names of the arrays.
    """
    if not arrays:
        raise ValueError(f"quantity({name!r}): must name at least one array of the motion")
    return Objective(name, unit, arrays, lambda **values: function(*(values[key] for key in arrays)))


def speed_along_screw(
    displacement: Float[Array, "3"], turn: Float[Array, "4"], period: Float[Array, ""]
) -> Float[Array, ""]:
    """Speed along the mean path of a motion that repeats: a straight line, a circle or a helix [m/s].

    Each period turns by ψ about an axis u: the part of the displacement across u is the chord of an arc, longer by
    (ψ/2)/sin(ψ/2). Smooth where nothing turns.

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
    return _root(stretch2 * jnp.sum(displacement**2) + across * along**2) / period


def radius_of_turn(displacement: Float[Array, "3"], turn: Float[Array, "4"]) -> Float[Array, ""]:
    """Radius of the circle or helix that the mean path winds on; infinite when it is straight [m].

    Args:
        displacement: as in `Cycle`, in the frame at the start [m].
        turn: as in `Cycle`, in the frame at the start.
    """
    sine = safe_norm(turn[1:])
    axis = turn[1:] / jnp.where(sine > 0, sine, 1.0)
    chord = safe_norm(displacement - (displacement @ axis) * axis)
    return jnp.where(sine > 0, chord / (2.0 * jnp.where(sine > 0, sine, 1.0)), jnp.inf)


def distance_to_path(position: Float[Array, "times 3"], target: Float[Array, "points 3"]) -> Float[Array, ""]:
    """Root mean square over time of the distance to the nearest point of a polygon through the target points [m].

    Args:
        position: of the head, in any one frame [m].
        target: points of the path, in the same frame [m].
    """
    start, side = target[:-1], jnp.diff(target, axis=0)
    length2 = jnp.sum(side**2, axis=1)
    offset = position[:, None, :] - start[None]
    share = jnp.clip(jnp.sum(offset * side[None], axis=2) / length2[None], 0.0, 1.0)
    squares = jnp.sum((offset - share[..., None] * side[None]) ** 2, axis=2)
    return _root(jnp.mean(jnp.min(squares, axis=1)))


def _root(squares: Float[Array, "*more"]) -> Float[Array, "*more"]:
    """Square root, zero with a zero derivative where an interpolant of squares is not positive."""
    return jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1.0)), 0.0)


def _largest(values: Float[Array, "times stations 3"]) -> Float[Array, "stations"]:
    """Greatest norm over the period, at each station."""
    return _root(peak_over_period(jnp.sum(values**2, axis=2)))


steady_speed = quantity("steady speed", "m/s", speed_along_screw, "displacement", "turn", "period")
mean_power = quantity("mean power", "W", jnp.mean, "power")
cost_of_transport = quantity(
    "cost of transport",
    "1",
    lambda power, mass, *path: jnp.mean(power) / (mass * GRAVITY * speed_along_screw(*path)),
    *("power", "mass", "displacement", "turn", "period"),
)
turning_radius = quantity("turning radius", "m", radius_of_turn, "displacement", "turn")
section_torque = quantity("peak torque of each section", "N m", _largest, "torque")
peak_torque = quantity("peak torque", "N m", lambda torque: jnp.max(_largest(torque)), "torque")
section_curvature = quantity("peak curvature of each section", "1/m", _largest, "curvature")
peak_curvature = quantity("peak curvature", "1/m", lambda K: jnp.max(_largest(K)), "curvature")


def depth_rate(vertical: Numbers = (0.0, 0.0, 1.0)) -> Objective:
    """Mean rate of descent along a downward direction [m/s].

    Args:
        vertical: unit vector upwards, in the frame of the displacement.
    """
    up = finite("vertical", vertical, (3,))
    return quantity("depth rate", "m/s", lambda d, period: -(d @ up) / period, "displacement", "period")


def path_distance(target: Numbers) -> Objective:
    """Distance of the head from a target path, root mean square over time [m].

    Args:
        target: points of the path, joined by straight lines [m].
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
        raise ValueError(f"{a.name} [{a.unit}] and {b!r}: only objectives add; multiply by numbers")
    if a.unit != b.unit:
        raise ValueError(
            f"{a.name} [{a.unit}] and {b.name} [{b.unit}] do not add: divide them by references of theirs "
            "(`relative_to`), or by each other"
        )
    return a.unit


def _product(a: str, b: str) -> str:
    return b if a == "1" else a if b == "1" else f"{a} {b}"


def _ratio(a: str, b: str) -> str:
    return a if b == "1" else f"{a}/{b}" if b.isalpha() else f"{a}/({b})"


def _wrap(name: str) -> str:
    return f"({name})" if " + " in name or " - " in name else name
