"""Where the power goes: actuators, water, kinetic energy, and what their identity leaves."""

import numpy as np
import xarray as xr
from jaxtyping import Float
from matplotlib.figure import Figure
from scipy.interpolate import make_interp_spline

from ..record import check_record
from .style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    VERMILLION,
    SomeAxes,
    figure_of,
    frame_label,
    given_axes,
    label,
    legend_outside,
    new_figure,
    styled,
)

POWERS = ("time", "actuator_power", "dissipation", "convective_power")


def energy_rate(dataset: xr.Dataset) -> tuple[Float[np.ndarray, "time"], bool]:
    """d/dt(T + T_a) [W], and whether it is exact.

    Exact when the dataset holds `energy_rate` (see `anguilla.with_energy_rate`); else the derivative of a quintic
    spline through the recorded energies, as good as the output times are dense.
    """
    if "energy_rate" in dataset:
        return dataset["energy_rate"].values, True
    energy = (dataset["kinetic_energy"] + dataset["added_energy"]).values
    degree = min(5, (len(energy) - 1) // 2 * 2 + 1, len(energy) - 1)
    spline = make_interp_spline(dataset["time"].values, energy, k=max(degree if degree % 2 else degree - 1, 1))
    return np.asarray(spline.derivative()(dataset["time"].values)), False


def identity_residual(dataset: xr.Dataset) -> Float[np.ndarray, "time"]:
    """What the power identity leaves [W]: actuators - d/dt(T + T_a) - dissipation + convective power."""
    check_record(dataset, POWERS)
    powers = dataset["actuator_power"] - dataset["dissipation"] + dataset["convective_power"]
    return powers.values - energy_rate(dataset)[0]


def power_budget(dataset: xr.Dataset, *, axes: SomeAxes | None = None) -> Figure:
    """Power of the actuators, of the water and of the kinetic energy against time, and the identity's residual.

    Args:
        dataset: a result of `cosserat.simulate`.
        axes: two axes (powers, residual) to draw in; a new figure when None.
    """
    check_record(dataset, POWERS)
    with styled():
        rows = given_axes(axes, 2)
        if rows is None:
            figure = new_figure(8.0, 5.2)
            rows = list(figure.subplots(2, 1, sharex=True, height_ratios=[3, 1.2]))
        upper, lower = rows
        time = dataset["time"].values
        rate, exact = energy_rate(dataset)
        upper.axhline(0.0, color=BLACK, linewidth=0.6)
        upper.plot(time, dataset["actuator_power"], color=BLUE, label="actuators")
        upper.plot(time, rate, color=ORANGE, label=r"$\mathrm{d}(T+T_a)/\mathrm{d}t$")
        upper.plot(time, dataset["dissipation"], color=VERMILLION, label="dissipated by drag")
        upper.plot(time, dataset["convective_power"], color=GREEN, label="convective")
        upper.set_ylabel(label("power", "W"))
        upper.margins(x=0.0)
        frame_label(upper, "Power")
        legend_outside(upper)
        lower.semilogy(time, np.maximum(np.abs(identity_residual(dataset)), 1e-16), color=BLACK, linewidth=1.0)
        lower.set_ylabel(label("|residual|", "W"))
        lower.set_xlabel(label("time", "s"))
        how = "" if exact else " (rate of energy differenced)"
        frame_label(lower, f"Residual of the power identity{how}")
        return figure_of(upper)
