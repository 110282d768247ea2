"""Figures of the snake on the ground."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from anguilla.view.style import (
    BLACK,
    BLUE,
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

SHADES = (GREY, "#88c0d0", BLUE, ORANGE, VERMILLION)


def tracks(body: xr.Dataset, every: float) -> Figure:
    """The body on the ground at evenly spaced times, with the paths of head and tail.

    Args:
        body: sections of the snake, from the `body` of its entry.
        every: time between two bodies [s].
    """
    place, time = body["position"].values, body["time"].values
    with styled():
        ax = new_figure(9.0, 4.2).add_subplot()
        for station, colour, name in ((0, VERMILLION, "head"), (-1, ORANGE, "tail")):
            ax.plot(
                place[:, station, 0], place[:, station, 1], color=colour, linewidth=0.9, label=f"path of the {name}"
            )
        marks = np.searchsorted(time, np.arange(time[0], time[-1] + 1e-9, every))
        for n, k in enumerate(np.clip(marks, 0, len(time) - 1)):
            shade = min(0.2 + 0.8 * n / max(len(marks) - 1, 1), 1.0)
            ax.plot(place[k, :, 0], place[k, :, 1], color=BLUE, alpha=shade, linewidth=3.0, solid_capstyle="round")
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel(label("x", "m"))
        ax.set_ylabel(label("y", "m"))
        ax.legend(loc="best", fontsize=8)
        frame_label(ax, f"On the ground, a body every {every:g} s")
        return figure_of(ax)


def speeds(dataset: xr.Dataset) -> Figure:
    """Speed over amplitude for several friction ratios, with the speed on ideal wheels.

    Args:
        dataset: `speed` and `ideal_speed`, from `anguilla.robots.snake.study.speed_map`.
    """
    degrees = np.rad2deg(dataset["joint_amplitude"].values)
    with styled():
        ax = new_figure(7.5, 4.2).add_subplot()
        for k, ratio in enumerate(dataset["friction_ratio"].values):
            ax.plot(
                degrees, dataset["speed"].values[:, k], "o-", color=SHADES[k], label=f"ratio {ratio:g}", markersize=4
            )
        ax.plot(degrees, dataset["ideal_speed"].values, color=BLACK, linestyle="--", label="ideal wheels")
        ax.set_xlabel(label("amplitude of the joints", "deg"))
        ax.set_ylabel(label("speed", "m/s"))
        ax.set_ylim(bottom=0.0)
        legend_outside(ax)
        frame_label(ax, "Speed, by the ratio of sideways to forward friction")
        return figure_of(ax)


def friction_power(dataset: xr.Dataset) -> Figure:
    """Power of the motors and of friction over time, and the rate of kinetic energy.

    Args:
        dataset: a result of `anguilla robot snake`.
    """
    with styled():
        ax = new_figure(7.5, 3.6).add_subplot()
        time = dataset["time"].values
        ax.plot(time, dataset["actuator_power"], color=BLUE, label="motors")
        ax.plot(time, dataset["energy_rate"], color=GREY, label="rate of kinetic energy")
        if "power_friction" in dataset:
            ax.plot(time, dataset["power_friction"], color=VERMILLION, label="friction")
        ax.axhline(0.0, color=GREY, linewidth=0.6)
        ax.set_xlabel(label("time", "s"))
        ax.set_ylabel(label("power", "W"))
        ax.margins(x=0.0)
        ax.legend(fontsize=8)
        frame_label(ax, "Power")
        return figure_of(ax)
