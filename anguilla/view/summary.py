"""Summary of a swim in a few numbers."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from spatial import positive

from .links import is_tree
from .power_identity import energy_rate, identity_residual, residual_text
from .record import check_record

IN_VACUUM = {"none": "in vacuum", "Void": "in vacuum", "Weight": "in vacuum, with weight"}  # by the fluid of a record
FORMS = {"paper": ", added mass of the paper", "kirchhoff": ", added mass of Kirchhoff"}
PRINTED = 1e-4  # m/s: the digits of a speed that are printed
STEADY = 0.02  # relative change of the mean speed from one window to the next above which it is said to change


@dataclass(frozen=True)
class Summary:
    """Main results of a swim.

    Attributes:
        duration: duration of the swim [s].
        window: interval at the end over which the speed is averaged [s].
        speed: mean speed of the centre of mass in that interval: displacement over time [m/s].
        distance: displacement of the centre of mass over the whole swim [m].
        nose: final position of the nose, or of the base of a tree, in the world [m].
        tail_force: maximum of |n(L)| [N], a measure of the agreement of the two space loops. On Gauss panels they share
            their quadrature, so that this is not the error of n: see `force_error`. None for a tree.
        tail_moment: maximum of |M(L)| [N·m], likewise.
        surroundings: fluid or other loads around the body, with the form of Morison's added mass; "in vacuum" for none,
            None if the record does not say.
        speed_before: mean speed in the interval of the same length before the last one [m/s]; None if the swim is
            shorter than both.
        peak_torque: maximum torque (or force) of a motor of a tree [N·m or N]; None for a beam.
        peak_unit: its unit, "N m or N" if some joints turn and others slide.
        identity: maximum residual of the power identity [W]; None for a tree in `hydro.Lighthill` water.
        peak_power: maximum power of the actuators, by size [W].
        identity_exact: whether the rate of energy in the identity is exact; otherwise it is differenced between output
            times.
        force_error: estimated error of n due to the grid along the body, relative to its maximum [-], from a grid twice
            as fine; None if there is no estimate, as for an adaptive space path or a tree.
        moment_error: the same for M.
        power_error: the same for the power of the actuators.
        modes_error: estimated relative error of the free strains of a soft beam due to its modes [-]; None for others.
    """

    duration: float
    window: float
    speed: float
    distance: float
    nose: tuple[float, float, float]
    tail_force: float | None
    tail_moment: float | None
    identity: float | None
    identity_exact: bool
    force_error: float | None = None
    moment_error: float | None = None
    power_error: float | None = None
    modes_error: float | None = None
    peak_torque: float | None = None
    peak_unit: str = "N m"
    peak_power: float = 0.0
    surroundings: str | None = None
    speed_before: float | None = None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    @property
    def changing(self) -> bool:
        """Whether the mean speed differs from that of the interval before by more than 2 % and what is printed."""
        before = self.speed if self.speed_before is None else self.speed_before
        return abs(self.speed - before) > max(STEADY * max(self.speed, before), PRINTED)

    def lines(self) -> list[str]:
        """The summary as lines of text."""
        x, y, z = self.nose
        errors = "not estimated for this space path"
        if self.force_error is not None:
            modes = "" if self.modes_error is None else f", free strains {self.modes_error:.0e}"
            parts = f"n {self.force_error:.0e}, M {self.moment_error:.0e}, power {self.power_error:.0e}{modes}"
            errors = f"{parts} (relative)"
        lines = [] if self.surroundings is None else [f"surroundings    {self.surroundings}"]
        change = ""
        if self.changing:
            change = f"; still changing: {self.speed_before:.4f} m/s in the {self.window:g} s before"
        lines += [
            f"mean speed      {self.speed:.4f} m/s over the last {self.window:g} s (centre of mass){change}",
            f"distance        {self.distance:.4f} m in {self.duration:g} s (centre of mass)",
        ]
        if self.tail_force is None:
            unit = self.peak_unit.replace("N m or N", "N m (N where a joint slides)")
            lines += [
                f"base at the end ({x:.5f}, {y:.5f}, {z:.5f}) m",
                f"peak of motors  {self.peak_torque:.4g} {unit}",
            ]
        else:
            lines += [
                f"nose at the end ({x:.5f}, {y:.5f}, {z:.5f}) m",
                f"estimated error {errors}",
                f"loops agree to  |n(L)| <= {self.tail_force:.1e} N, |M(L)| <= {self.tail_moment:.1e} N m",
            ]
        if self.identity is None:
            return [*lines, "power identity  none: water passes along the chain"]
        how = "" if self.identity_exact else " (energy differenced between output times: more samples lower it)"
        return [*lines, f"power identity  {residual_text(self.identity, self.peak_power)}{how}"]


def summarise(dataset: xr.Dataset, period: float = 1.0) -> Summary:
    """Computes the summary of a swim.

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        period: period of the gait [s]; the speed is that of the last period, or of the whole swim if it is shorter.
    """
    tree = isinstance(dataset, xr.Dataset) and is_tree(dataset)
    own = ("torque",) if tree else ("tail_force", "tail_moment")
    maker = "multibody.simulate" if tree else "cosserat.simulate"
    check_record(dataset, ("time", "centre_of_mass", "head_position", *own), made_by=maker)
    period = float(positive("period", period, "s", ()))
    time = dataset["time"].values
    duration = float(time[-1] - time[0])
    window = min(period, duration)
    centre = dataset["centre_of_mass"].values
    ends = time[-1] - window * np.arange(3)
    last, before, first = (np.array([np.interp(end, time, axis) for axis in centre.T]) for end in ends)
    nose = dataset["head_position"].values[-1]
    fluid, form = dataset.attrs.get("fluid"), dataset.attrs.get("added_mass", "none")
    return Summary(
        duration=duration,
        window=window,
        speed=float(np.linalg.norm(last - before)) / window,
        distance=float(np.linalg.norm(centre[-1] - centre[0])),
        nose=(float(nose[0]), float(nose[1]), float(nose[2])),
        tail_force=None if tree else _greatest(dataset["tail_force"]),
        tail_moment=None if tree else _greatest(dataset["tail_moment"]),
        peak_torque=float(np.abs(dataset["torque"].values).max(initial=0.0)) if tree else None,
        peak_unit=str(dataset["torque"].attrs.get("units", "N m or N")) if tree else "N m",
        identity=None if tree and "fluid_carried" in dataset else float(np.abs(identity_residual(dataset)).max()),
        peak_power=float(np.abs(dataset["actuator_power"].values).max()),
        identity_exact=energy_rate(dataset)[1],
        surroundings=None if fluid is None else IN_VACUUM.get(fluid, str(fluid)) + FORMS.get(form, ""),
        speed_before=float(np.linalg.norm(before - first)) / window if 2.0 * window <= duration + 1e-9 else None,
        **{f"{name}_error": dataset.attrs.get(f"space_error_{name}") for name in ("force", "moment", "power", "modes")},
    )


def _greatest(vectors: xr.DataArray) -> float:
    """Maximum magnitude over time."""
    return float(np.linalg.norm(vectors.values, axis=1).max())
