"""Names, units and meanings of the variables of a run, common to both engines."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Int

AXES = ("x", "y", "z")
OWN_AXES = ("t1", "t2", "t3")
QUATERNION = ("w", "x", "y", "z")
TWIST = ("V1", "V2", "V3", "W1", "W2", "W3")
WRENCH = ("f1", "f2", "f3", "c1", "c2", "c3")
STRAIN = ("G1", "G2", "G3", "K1", "K2", "K3")

Label = tuple[tuple[str, ...], str, str]  # dimensions, unit, meaning

# Variables of the leading frame, for beam and tree.
HEAD: dict[str, Label] = {
    "head_position": (("time", "axis"), "m", "position of the head (nose or base) in the world"),
    "head_quaternion": (("time", "quaternion"), "1", "orientation of the head in the world"),
    "head_twist": (("time", "twist"), "m/s, rad/s", "velocity of the head in its own frame"),
    "head_twist_rate": (("time", "twist"), "m/s^2, rad/s^2", "rate of the head's twist in its own frame"),
    "head_velocity": (("time", "axis"), "m/s", "velocity of the head in the world"),
    "head_angular_velocity": (("time", "axis"), "rad/s", "angular velocity of the head in the world"),
    "centre_of_mass": (("time", "axis"), "m", "centre of mass in the world"),
    "centre_velocity": (("time", "axis"), "m/s", "velocity of the centre of mass in the world"),
    "momentum": (("time", "wrench"), "kg m/s, kg m^2/s", "momentum about the world's origin"),
    "kinetic_energy": (("time",), "J", "kinetic energy of the body"),
    "added_energy": (("time",), "J", "kinetic energy of the added mass"),
    "actuator_power": (("time",), "W", "power delivered by the actuators to the body"),
}


def labelled(
    fields: dict[str, Any], labels: dict[str, Label], describe: Callable[[str], Label]
) -> dict[str, xr.Variable]:
    """Variables of a dataset: each array with its dimensions, unit and meaning.

    Args:
        fields: arrays by name.
        labels: labels by name.
        describe: function that labels any other name.
    """
    out = {}
    for name, values in fields.items():
        dims, units, meaning = labels[name] if name in labels else describe(name)
        out[name] = _variable(dims, values, {"units": units, "long_name": meaning})
    return out


def coordinates(time: Float[Array, "times"], **others: Any) -> dict[str, Any]:
    """The coordinates common to all runs, and the given others.

    Args:
        time: output times [s].
        others: a list of labels, or a tuple of dimensions, values and attributes, by name.
    """
    always = {"axis": AXES, "quaternion": QUATERNION, "twist": TWIST, "wrench": WRENCH}
    return {
        "time": _variable(("time",), time, {"units": "s", "long_name": "time"}),
        **{name: _variable((name,), labels) for name, labels in always.items()},
        **{
            name: _variable(*given) if isinstance(given, tuple) else _variable((name,), given)
            for name, given in others.items()
        },
    }


def _variable(dims: str | tuple[str, ...], values: Any, attrs: dict[str, str] | None = None) -> xr.Variable:
    """A variable of plain NumPy values. Without `fastpath` xarray imports dask.array if it is installed: 0.3 s."""
    return xr.Variable(dims, np.asarray(values), attrs, fastpath=True)


def attributes(
    title: str, fluid: Any, steps: Int[Array, "2"], rtol: float, atol: float, **others: str | float
) -> dict[str, Any]:
    """Attributes that describe how a run was made."""
    accepted, rejected = np.asarray(steps).tolist()
    return {
        "title": f"anguilla: {title}",
        "conventions": "SI; X from nose to tail; forward is -t1; (w,x,y,z) quaternions; wrenches act on the body",
        "fluid": "none" if fluid is None else type(fluid).__name__,
        "added_mass": str(getattr(fluid, "added_mass", "none")),
        "rtol": float(rtol),
        "atol": float(atol),
        "steps_accepted": accepted,
        "steps_rejected": rejected,
        **others,
    }


def words(name: str) -> str:
    """A variable's name as text."""
    return name.replace("_", " ")
