"""Figures of machines made of rigid bodies, as in [KR13, Figures 6 and 7]."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .record import check_record
from .style import (
    BLACK,
    BLUE,
    DIVERGING,
    GREY,
    SEQUENTIAL,
    VERMILLION,
    few_ticks,
    figure_of,
    frame_label,
    label,
    legend_outside,
    new_figure,
    styled,
)
from .trajectory import configurations_plane

SPOT = 1e-3  # displacement below which the machine counts as stationary: forward is then -x [m]
OFF_SCALE = 5.0  # times the peak torque: a larger limit is not drawn
ZERO = 1e-9  # relative to its limit; a smaller torque is labelled as zero


def head_path(body: xr.Dataset, dataset: xr.Dataset, bodies: int = 2) -> Figure:
    """Path of the head and of the centre of mass from above, with the body at some instants. [KR13, Figure 6]

    Args:
        body: sections of the machine along one body, made by `chain_body`.
        dataset: the run they come from.
        bodies: number of instants, evenly spaced from the first to the last.
    """
    check_record(body, name="body", made_by="anguilla.view.chain_body")
    check_record(dataset, ("time", "centre_of_mass"), made_by="multibody.simulate")
    time = dataset["time"].values
    every = float(time[-1] - time[0]) / max(bodies - 1, 1)
    low, high = (bound(body["position"].sel(axis=["x", "y"]).values, axis=(0, 1)) for bound in (np.min, np.max))
    with styled():
        share = (high[1] - low[1] + 0.25) / (high[0] - low[0] + 0.25)
        ax = new_figure(10.0, float(np.clip(9.0 * share, 0.5, 7.0)) + 0.85).add_subplot()
        configurations_plane(body, every, ax=ax)
        centre = dataset["centre_of_mass"].values
        ax.plot(*centre[:, :2].T, color=VERMILLION, linewidth=1.2, zorder=5, label="path of the centre of mass")
        ax.yaxis.set_major_locator(MaxNLocator(4))
        frame_label(
            ax, f"From above, bodies at t = {', '.join(f'{t:g}' for t in time[0] + every * np.arange(bodies))} s"
        )
        legend_outside(ax)
        return figure_of(ax)


def forward_velocity(dataset: xr.Dataset, period: float | None = None, *, ax: Axes | None = None) -> Figure:
    """Velocity along the path of the head and of the centre of mass, and its mean. [KR13, Figure 7]

    Args:
        dataset: a result of `multibody.simulate`.
        period: period of the motion, over which the mean is taken [s]; no mean when None.
        ax: axes to draw in; a new figure when None.
    """
    check_record(dataset, ("time", "centre_of_mass", "head_velocity", "centre_velocity"), made_by="multibody.simulate")
    with styled():
        ax = ax or new_figure(8.0, 3.6).add_subplot()
        time, centre = dataset["time"].values, dataset["centre_of_mass"].values
        way = centre[-1] - centre[0]
        way = way / np.linalg.norm(way) if np.linalg.norm(way) > SPOT else np.array([-1.0, 0.0, 0.0])
        ax.axhline(0.0, color=BLACK, linewidth=0.6)
        ax.plot(time, dataset["head_velocity"].values @ way, color=BLUE, linewidth=1.0, label="head")
        ax.plot(time, dataset["centre_velocity"].values @ way, color=VERMILLION, linewidth=1.2, label="centre of mass")
        half = np.inf if period is None else period / 2
        middle = time[(time >= time[0] + half) & (time <= time[-1] - half)]
        if period is not None and len(middle) > 1:
            along = centre @ way
            mean = (np.interp(middle + period / 2, time, along) - np.interp(middle - period / 2, time, along)) / period
            ax.plot(middle, mean, color=BLACK, linewidth=1.2, linestyle=":", label=f"its mean over {period:.3g} s")
        ax.set_xlabel(label("time", "s"))
        ax.set_ylabel(label("forward velocity", "m/s"))
        ax.margins(x=0.0)
        frame_label(ax, "Forward velocity in the world")
        legend_outside(ax)
        return figure_of(ax)


def joint_torques(dataset: xr.Dataset, families: Mapping[str, Sequence[str]] | None = None) -> Figure:
    """Motor torques against time, with the limits of the actuators where they have any; a panel per family of joints.

    The axis is scaled by the torques: a limit of more than five times the peak is only in the legend, "off scale".

    Args:
        dataset: a result of `multibody.simulate`.
        families: names of the freedoms in each, from head to tail; one of all joints when None.
    """
    check_record(dataset, ("time", "torque"), made_by="multibody.simulate")
    families = {"all joints": [str(name) for name in dataset["freedom"].values]} if families is None else families
    torques = {name: dataset["torque"].sel(freedom=list(freedoms)).values for name, freedoms in families.items()}
    unit = dataset["torque"].attrs.get("units", "N m")  # N for a tree whose joints slide
    least = dataset.get("torque_limit", xr.full_like(dataset["torque"].isel(time=0), np.inf))
    limits = {name: least.sel(freedom=list(f)).values for name, f in families.items()}
    nothing = {name: ZERO * limit.min() if np.isfinite(limit.min()) else 0.0 for name, limit in limits.items()}
    still = [bool(np.abs(torques[name]).max() <= nothing[name]) for name in families]
    with styled():
        figure = new_figure(9.0, 1.0 + sum(1.3 if zero else 3.4 for zero in still))
        grid = figure.subplots(
            len(families), 1, sharex=True, squeeze=False, height_ratios=[1.0 if zero else 3.2 for zero in still]
        )
        panels = [row[0] for row in grid]
        for ax, (name, torque), zero in zip(panels, torques.items(), still, strict=True):
            _draw_torques(ax, dataset["time"].values, torque, limits[name], unit)
            ax.set_ylabel(label("force" if unit == "N" else "torque", unit))
            frame_label(ax, f"Motors, {name}" + (": zero" if zero else ""))
        panels[-1].set_xlabel(label("time", "s"))
        _joint_bar(figure, panels, max(torque.shape[1] for torque in torques.values()))
        return figure


def joint_maps(dataset: xr.Dataset, freedoms: Sequence[str] | None = None, name: str = "joint") -> Figure:
    """Angle, torque and power of the motors over joints and time.

    Args:
        dataset: a result of `multibody.simulate`; the joints have one freedom each.
        freedoms: names of the joints, from head to tail; all when None.
        name: name of the joints, for labels.
    """
    check_record(dataset, ("time", "joint_position", "torque", "motor_power"), made_by="multibody.simulate")
    chosen = [str(joint) for joint in dataset["freedom"].values] if freedoms is None else list(freedoms)
    unit = dataset["torque"].attrs.get("units", "N m")  # N for a tree whose joints slide
    fields = (
        (*_position_of(dataset), dataset["joint_position"].sel(coordinate=chosen).values),
        (r"force $\tau$" if unit == "N" else r"torque $\tau$", unit, dataset["torque"].sel(freedom=chosen).values),
        (r"motor power $\tau\dot q$", "W", dataset["motor_power"].sel(freedom=chosen).values),
    )
    with styled():
        figure = new_figure(10.5, 5.2)
        columns = figure.subplots(1, len(fields), sharex=True, sharey=True)
        for ax, (title, unit, values) in zip(columns, fields, strict=True):
            size = max(float(np.abs(values).max()), 1e-12)
            shown = ax.pcolormesh(
                np.arange(1, len(chosen) + 1),
                dataset["time"].values,
                values,
                cmap=DIVERGING,
                vmin=-size,
                vmax=size,
                shading="nearest",
                rasterized=True,
            )
            ax.set_xlabel(label(name, "number from the head"))
            ax.set_xticks(_ticks(len(chosen)))
            ax.grid(False)
            frame_label(ax, title.capitalize() if title[0] != "$" else title)
            bar = figure.colorbar(shown, ax=ax, location="bottom", pad=0.02, aspect=30, ticks=few_ticks())
            bar.set_label(label(title, unit))
        columns[0].set_ylabel(label("time", "s"))
        return figure


def _position_of(dataset: xr.Dataset) -> tuple[str, str]:
    """Name and unit of the joints' positions."""
    unit = dataset["joint_position"].attrs.get("units", "rad")
    return ("displacement $q$" if unit == "m" else "angle $q$"), unit


def _draw_torques(ax: Axes, time: np.ndarray, torque: np.ndarray, limits: np.ndarray, unit: str) -> None:
    for colour, values in zip(_colours(torque.shape[1]), torque.T, strict=True):
        ax.plot(time, values, color=colour, linewidth=0.9)
    finite = np.isfinite(limits)
    peak = float(np.abs(torque).max(initial=0.0))
    far = OFF_SCALE * peak if peak > ZERO * limits.min(initial=np.inf, where=finite) else np.inf
    for limit in np.unique(limits[finite]):
        mine = np.flatnonzero(limits == limit)
        one = len(mine) == len(limits)  # one limit for all joints
        colour, whose = (VERMILLION, "") if one else (_colours(len(limits))[mine[0]], f", joint {_numbers(mine + 1)}")
        look = {"color": colour, "linewidth": 1.2, "linestyle": "--"}
        if limit > far:
            ax.plot([], [], **look, label=f"limit ±{limit:g} {unit}{whose} (off scale)")
            continue
        ax.axhline(limit, **look, label=f"limit ±{limit:g} {unit}{whose}")
        ax.axhline(-limit, **look)
    ax.axhline(0.0, color=GREY, linewidth=0.6)
    limit = float(limits[finite & (limits <= far)].max(initial=0.0))
    reach = 1.15 * max(limit, peak) or 1.0
    ax.set_ylim(-reach, reach)
    ax.yaxis.set_major_locator(MaxNLocator(4 if limit < 1 else 6, min_n_ticks=3))
    ax.margins(x=0.0)
    if finite.any():
        legend_outside(ax)


def _colours(count: int) -> np.ndarray:
    return matplotlib.colormaps[SEQUENTIAL](np.linspace(0.05, 0.9, count))


def _numbers(numbers: np.ndarray) -> str:
    """Numbers of joints in a few words."""
    return (
        ", ".join(map(str, numbers)) if len(numbers) < 5 else f"{numbers[0]} to {numbers[-1]}, {len(numbers)} of them"
    )


def _ticks(count: int) -> list[int]:
    """Joint numbers for the tick labels: all of them, or as many as fit."""
    return list(range(1, count + 1, -(-count // 14)))


def _joint_bar(figure: Figure, axes: Any, count: int) -> None:
    """Colour bar of the joints, from head to tail."""
    shown = ScalarMappable(BoundaryNorm(np.arange(count + 1) + 0.5, count), ListedColormap(_colours(count)))
    bar = figure.colorbar(shown, ax=axes, pad=0.02, fraction=0.03, aspect=40)
    bar.set_ticks(list(range(1, count + 1)), labels=[str(k) for k in range(1, count + 1)])
    bar.set_label(label("joint", "number from the head"))
    bar.ax.tick_params(length=0)
    bar.minorticks_off()
