"""Figure of the power budget: actuators, water, kinetic energy, and the residual of their identity."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from .links import is_tree
from .power_identity import energy_rate, identity_residual as identity_residual, with_losses
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
    thin_where_crowded,
)


def power_budget(dataset: xr.Dataset, *, axes: SomeAxes | None = None) -> Figure:
    """Power of the actuators, of the water and of the kinetic energy against time, and the residual of their identity.

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        axes: two axes (powers, residual) to draw in; a new figure when None.
    """
    dataset = with_losses(dataset)
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
        stored = "T+T_a+U" if {"elastic_energy", "potential_energy"} & set(dataset.data_vars) else "T+T_a"
        upper.plot(time, rate, color=ORANGE, label=rf"$\mathrm{{d}}({stored})/\mathrm{{d}}t$")
        upper.plot(
            time,
            dataset["dissipation"],
            color=VERMILLION,
            label="lost to drag and joints" if is_tree(dataset) else "lost to drag",
        )
        upper.plot(time, dataset["convective_power"], color=GREEN, label="added mass, convective")
        if "viscous_loss" in dataset:
            upper.plot(time, dataset["viscous_loss"], color=BLACK, linestyle="--", label="to damping")
        upper.set_ylabel(label("power", "W"))
        upper.margins(x=0.0)
        frame_label(upper, "Power")
        legend_outside(upper)
        thin_where_crowded(upper)
        lower.semilogy(time, np.maximum(np.abs(identity_residual(dataset)), 1e-16), color=BLACK, linewidth=1.0)
        lower.set_ylabel(label("|residual|", "W"))
        lower.set_xlabel(label("time", "s"))
        how = "" if exact else " (rate of energy differenced)"
        frame_label(lower, f"Residual of the power identity{how}")
        return figure_of(upper)
