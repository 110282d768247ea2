"""Figures of a floating robot, as in [XHLB23, Figures 4 to 6]."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from anguilla.view.style import (
    BLACK,
    BLUE,
    COMPONENTS,
    GREY,
    ORANGE,
    VERMILLION,
    figure_of,
    frame_label,
    label,
    legend_outside,
    new_figure,
    styled,
)

PUBLISHED_BAND = (1.33, 1.41)  # capsizing at Q = 0.25 rad [Hz], [XHLB23, V.B]
MARKS = (("nonlinear", "o", BLACK), ("beat", "^", BLUE), ("capsize", "*", VERMILLION))


def energy_drift(dataset: xr.Dataset) -> Figure:
    """Relative change of the energy of a frozen shape that rocks. [XHLB23, Figure 4]

    Args:
        dataset: `energy_change` over `rocking_time`, from `anguilla robot natrix`.
    """
    with styled():
        ax = new_figure(7.5, 3.6).add_subplot()
        ax.plot(dataset["rocking_time"], dataset["energy_change"], color=BLUE, linewidth=1.2)
        ax.axhline(0.0, color=GREY, linewidth=0.6)
        ax.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
        ax.set_xlabel(label("time", "s"))
        ax.set_ylabel(label("energy change / energy of rocking", "-"))
        ax.margins(x=0.0)
        frame_label(ax, "Energy of a frozen shape on the water (published: -1e-2 after 10 s)")
        return figure_of(ax)


def centre_drift(dataset: xr.Dataset) -> Figure:
    """Displacement of the centre of mass while the robot bends freely. [XHLB23, Figure 5]

    Args:
        dataset: `centre_change` over `bending_time` and axis, and `bending_angle`, from `anguilla robot natrix`.
    """
    with styled():
        figure = new_figure(7.5, 4.6)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 1.0])
        for k, (axis, colour) in enumerate(zip("xyz", COMPONENTS, strict=True)):
            above.plot(dataset["bending_time"], dataset["centre_change"][:, k], color=colour, label=axis, linewidth=1.2)
        above.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
        above.set_ylabel(label("displacement", "m"))
        frame_label(above, "Centre of mass, no external force (published: 1e-4 m)")
        legend_outside(above)
        below.plot(dataset["bending_time"], np.rad2deg(dataset["bending_angle"]), color=BLACK, linewidth=1.2)
        below.set_ylabel(label("each joint", "deg"))
        below.set_xlabel(label("time", "s"))
        below.margins(x=0.0)
        below.yaxis.set_major_locator(MaxNLocator(3))
        return figure


def head_roll(dataset: xr.Dataset) -> Figure:
    """Roll of the head and height of the centre of mass over time.

    Args:
        dataset: a result of `anguilla robot natrix`.
    """
    with styled():
        figure = new_figure(8.0, 5.0)
        above, below = figure.subplots(2, 1, sharex=True)
        time = dataset["time"].values
        above.plot(time, np.rad2deg(dataset["head_roll"]), color=BLUE, linewidth=1.0)
        above.axhline(0.0, color=GREY, linewidth=0.6)
        above.set_ylabel(label("roll of the head", "deg"))
        frame_label(above, f"Undulation, Q = {dataset.attrs['amplitude']:g} rad, F = {dataset.attrs['frequency']:g} Hz")
        below.plot(time, 1e3 * dataset["centre_of_mass"].values[:, 2], color=VERMILLION, linewidth=1.0)
        below.set_ylabel(label("height of centre of mass", "mm"))
        below.set_xlabel(label("time", "s"))
        below.margins(x=0.0)
        return figure


def righting_arms(dataset: xr.Dataset) -> Figure:
    """Righting arm over heel of several frozen shapes.

    Args:
        dataset: `righting_arm` over `shape` and `heel`, from `anguilla robot natrix`.
    """
    with styled():
        ax = new_figure(7.5, 3.8).add_subplot()
        for k, (name, colour) in enumerate(zip(dataset["shape"].values, (BLACK, BLUE, ORANGE), strict=False)):
            ax.plot(np.rad2deg(dataset["heel"]), 1e3 * dataset["righting_arm"][k], color=colour, label=str(name))
        ax.axhline(0.0, color=GREY, linewidth=0.6)
        ax.set_xlabel(label("heel", "deg"))
        ax.set_ylabel(label("righting arm", "mm"))
        ax.set_xticks(np.arange(-180, 181, 60))
        ax.margins(x=0.0)
        frame_label(ax, "Righting arm")
        legend_outside(ax)
        return figure_of(ax)


def roll_over_frequency(dataset: xr.Dataset) -> Figure:
    """Roll over the frequency of undulation, each run marked by its regime. [XHLB23, Figure 6, left]

    Args:
        dataset: a result of `anguilla.robots.natrix.study.roll_map`; the first amplitude is shown.
    """
    row = dataset.isel(amplitude=0) if "amplitude" in dataset.dims else dataset
    frequency, regime = row["frequency"].values, row["regime"].values
    deviation = np.rad2deg(row["deviation"].values)
    with styled():
        figure = new_figure(8.0, 5.2)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[2.4, 1.0])
        for ax in (above, below):
            ax.axvspan(*PUBLISHED_BAND, color=VERMILLION, alpha=0.14, linewidth=0)
        across = np.broadcast_to(frequency[:, None], regime.shape)
        for code, (name, mark, colour) in enumerate(MARKS):
            chosen = regime == code
            above.scatter(
                across[chosen],
                deviation[chosen],
                marker=mark,
                s=18 if mark != "*" else 60,
                label=name,
                facecolor="none" if mark == "o" else colour,
                edgecolor=colour,
                linewidth=0.8,
                zorder=3 + code,
            )
        above.set_ylabel(label("standard deviation of roll", "deg"))
        above.set_ylim(bottom=0.0)
        runs = regime.shape[1]
        frame_label(above, f"Roll of the head, Q = {float(row['amplitude']):g} rad")
        legend_outside(above)
        below.plot(frequency, row["capsized"], color=VERMILLION, marker="*", markersize=6, linewidth=1.0)
        below.set_ylabel(label("probability", "-"))
        below.set_ylim(0.0, max(0.4, 1.15 * float(row["capsized"].max())))
        below.set_xlabel(label("frequency F", "Hz"))
        frame_label(below, f"Capsizing over {runs} initial rolls; shaded: published band")
        return figure


def capsizing_map(dataset: xr.Dataset) -> Figure:
    """Probability of capsizing over amplitude and frequency, and where beats occur. [XHLB23, Figure 6, right]

    Args:
        dataset: a result of `anguilla.robots.natrix.study.roll_map`.
    """
    Q, F = dataset["amplitude"].values, dataset["frequency"].values
    with styled():
        ax = new_figure(7.5, 5.0).add_subplot()
        shown = ax.pcolormesh(
            Q, F, dataset["capsized"].transpose("frequency", "amplitude").values, cmap="OrRd", vmin=0.0, vmax=1.0,
            shading="nearest",
        )  # fmt: skip
        beats = (dataset["regime"] == 1).mean("run").transpose("frequency", "amplitude").values > 0.5
        rows, columns = np.nonzero(beats)
        ax.scatter(Q[columns], F[rows], s=9, color=BLUE, label="beats in most runs", zorder=3)
        sure = dataset["capsized"].transpose("frequency", "amplitude").values > 0
        rows, columns = np.nonzero(sure)
        ax.scatter(Q[columns], F[rows], s=70, marker="*", color=VERMILLION, edgecolor="white", linewidth=0.5,
                   label="some run capsizes", zorder=4)  # fmt: skip
        ax.plot([0.262] * 2, PUBLISHED_BAND, color=BLACK, linewidth=4.0, solid_capstyle="butt", label="published band")
        ax.set_xlabel(label("amplitude Q", "rad"))
        ax.set_ylabel(label("frequency F", "Hz"))
        ax.grid(False)
        figure = figure_of(ax)
        runs = dataset.sizes["run"]
        figure.colorbar(shown, ax=ax).set_label(label(f"probability of capsizing over {runs} initial rolls", "-"))
        frame_label(ax, "Capsizing")
        legend_outside(ax)
        return figure
