"""Limits of joints and motors, stored with the tree and compared with a run."""

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from spatial import Numbers
from spatial.checks import integer, of_kind, real, shown
from spatial.printing import Printed


class JointLimits(Printed):
    """Limits per freedom; infinite where there is no limit.

    Attributes:
        lower: lower limit of the position [rad or m].
        upper: upper limit of the position [rad or m].
        speed: largest speed [rad/s or m/s].
        effort: largest torque or force of the motor [N·m or N].
    """

    lower: Float[Array, "freedoms"]
    upper: Float[Array, "freedoms"]
    speed: Float[Array, "freedoms"]
    effort: Float[Array, "freedoms"]

    def __init__(
        self,
        freedoms: int,
        lower: Numbers = -np.inf,
        upper: Numbers = np.inf,
        speed: Numbers = np.inf,
        effort: Numbers = np.inf,
    ):
        """Each limit is one number for all freedoms, or an array with one entry per freedom."""
        given = {"lower": lower, "upper": upper, "speed": speed, "effort": effort}
        freedoms = integer("JointLimits.freedoms", freedoms, 0)
        for name, value in given.items():
            array = np.asarray(real(f"JointLimits.{name}", value))
            if array.shape not in ((), (freedoms,)) or np.isnan(array).any():
                raise ValueError(f"JointLimits.{name} = {shown(value)}: must be one number or {freedoms}, none NaN")
            if name in ("speed", "effort") and (array < 0).any():
                raise ValueError(f"JointLimits.{name} = {shown(value)}: must not be negative")
            setattr(self, name, jnp.asarray(np.broadcast_to(array, (freedoms,))))
        wrong = np.flatnonzero(np.asarray(self.lower) > np.asarray(self.upper))
        if wrong.size:
            k = int(wrong[0])
            raise ValueError(f"JointLimits: lower[{k}] = {self.lower[k]} is above upper[{k}] = {self.upper[k]}")


def limit_use(run: xr.Dataset) -> xr.Dataset:
    """Largest values of a run relative to the joint limits, per freedom; a value above one exceeds its limit.

    Args:
        run: a result of `simulate` for a tree with limits.

    Returns:
        `torque`: largest torque over its limit [-]. `speed`: largest speed over its limit [-]. `range`: largest
        distance from the middle of the range, over half the range [-]; only if every joint has as many positions as
        freedoms. NaN where there is no limit.
    """
    of_kind("run", run, xr.Dataset, "a result of multibody.simulate")
    if "torque_limit" not in run:
        raise ValueError("limit_use: the run has no torque_limit: its tree has no limits, see Tree.with_limits")
    known = lambda limit: xr.where(np.isfinite(limit), limit, np.nan)  # noqa: E731
    out = xr.Dataset(
        {
            "torque": abs(run["torque"]).max("time") / known(run["torque_limit"]),
            "speed": abs(run["joint_velocity"]).max("time") / known(run["speed_limit"]),
        }
    )
    if run.sizes["coordinate"] == run.sizes["freedom"]:
        lower, upper = known(run["position_lower"]), known(run["position_upper"])
        position = run["joint_position"].rename(coordinate="freedom").assign_coords(freedom=run["freedom"])
        out["range"] = (abs(position - (lower + upper) / 2)).max("time") / ((upper - lower) / 2)
    for name in out:
        out[name].attrs = {"units": "1", "long_name": f"largest {name} over its limit"}
    return out
