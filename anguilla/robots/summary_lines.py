"""Main results of a machine's run, as lines of text."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from ..view.power_identity import identity_residual, residual_text


def mean_speed(dataset: xr.Dataset, period: float) -> tuple[float, float]:
    """Mean speed of the centre of mass over the last period [m/s], and the duration of the average [s].

    Args:
        dataset: a result of `multibody.simulate`.
        period: period of the motion [s]; the whole run if it is shorter.
    """
    time, centre = dataset["time"].values, dataset["centre_of_mass"].values
    window = min(float(period), float(time[-1] - time[0]))
    before = np.array([np.interp(time[-1] - window, time, axis) for axis in centre.T])
    return float(np.linalg.norm(centre[-1] - before)) / window, window


def motion_lines(dataset: xr.Dataset, period: float) -> list[str]:
    """Speed, distance, final position of the head."""
    speed, window = mean_speed(dataset, period)
    time, centre = dataset["time"].values, dataset["centre_of_mass"].values
    x, y, z = dataset["head_position"].values[-1]
    swing = float(np.ptp(dataset["head_position"].sel(axis="y").values[time >= time[-1] - window - 1e-9]))
    return [
        f"mean speed      {speed:.4f} m/s over the last {window:g} s (centre of mass)",
        f"distance        {np.linalg.norm(centre[-1] - centre[0]):.4f} m in {time[-1] - time[0]:g} s (centre of mass)",
        f"head at the end ({x:.4f}, {y:.4f}, {z:.4f}) m, swinging {swing:.3f} m from side to side",
    ]


def torque_lines(dataset: xr.Dataset, families: Mapping[str, Sequence[str]], start: float) -> list[str]:
    """Peak torque of each family of joints compared with the limit of its actuators, during and after the start.

    Args:
        dataset: a record with `torque` and `torque_limit` [N·m].
        families: names of the freedoms in each family.
        start: time at which the smooth start ends [s].
    """
    lines = []
    for family, names in families.items():
        torque = np.abs(dataset["torque"].sel(freedom=list(names)).values)
        limit = float(dataset["torque_limit"].sel(freedom=list(names)).min())
        when, which = (int(k) for k in np.unravel_index(np.argmax(torque), torque.shape))
        peak, time = float(torque[when, which]), dataset["time"].values
        if peak < 1e-9 * limit:
            words = f"zero, limit {limit:g} N m"
        else:
            later = torque[time > start]
            after = f", {later.max():.2f} N m after the start" if later.size and time[when] <= start else ""
            share = f"within the limit of {limit:g} N m" if peak <= limit else f"{peak / limit:.2f} of {limit:g} N m"
            words = f"{peak:.2f} N m ({names[which]}, t = {time[when]:.2f} s){after}: {share}"
        lines.append(f"{'peak torques' if not lines else '':16}{family:6}{words}")
    return lines


def power_lines(dataset: xr.Dataset, period: float) -> list[str]:
    """Mean motor power, the power identity and, without a fluid, the momentum.

    Args:
        dataset: a record with the terms of its power budget.
        period: period of the motion [s].
    """
    time = dataset["time"].values
    last = time >= time[-1] - period - 1e-9
    power = dataset["actuator_power"].values
    lines = []
    if last.sum() > 1:
        mean = np.trapezoid(power[last], time[last]) / (time[last][-1] - time[last][0])
        lines.append(f"motor power     {mean:.3f} W in the mean of the last period, peak {power.max():.2f} W")
    residual = np.abs(identity_residual(dataset)).max()
    lines.append(f"power identity  {residual_text(residual, float(np.abs(power).max()))}")
    if not any(str(name).startswith("fluid_") for name in dataset.data_vars):
        drift = np.abs(dataset["momentum"].values - dataset["momentum"].values[:1]).max()
        lines.append(f"momentum        changes <= {drift:.1e} kg m/s, kg m^2/s (nothing acts on the bodies)")
    return lines
