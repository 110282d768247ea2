"""The figures of [PBB13, IV.C]: snapshots, velocities, wing deformation and torque, forces; and the multipliers."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from anguilla.view.camera import Camera
from anguilla.view.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    frame_label,
    label,
    legend_outside,
    new_figure,
    styled,
)
from anguilla.view.surface import lit

from .drawing import moth_mesh

SECTIONS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY)
SIDE_VIEW, FRONT_VIEW = Camera(0.0, 0.0), Camera(np.pi / 2, 0.0)


def moth_snapshots(dataset: xr.Dataset, count: int = 11) -> Figure:
    """Sagittal and coronal views at evenly spaced times of one stroke. [PBB13, Figure 5]"""
    columns = (count + 1) // 2
    with styled():
        figure = new_figure(1.75 * columns, 4.5)
        axes = np.asarray(figure.subplots(4, columns), dtype=object)
        for ax in axes.ravel():
            ax.set_axis_off()
        last = int(np.searchsorted(dataset["time"].values, float(dataset.attrs["period"]) - 1e-9))
        for k, instant in enumerate(np.linspace(0, last, count).round().astype(int)):
            row, column = 2 * (k // columns), k % columns
            for offset, (view, name) in enumerate(((SIDE_VIEW, "sagittal"), (FRONT_VIEW, "coronal"))):
                ax = axes[row + offset, column]
                _paint(ax, dataset, int(instant), view)
                if offset == 0:
                    ax.set_title(f"{k}: {1e3 * float(dataset['time'][instant]):.0f} ms", loc="center")
                if column == 0:
                    ax.text(-0.02, 0.5, name, transform=ax.transAxes, rotation=90, va="center", ha="right")
        scale = axes[-2, -1] if count % 2 else axes[-1, -1]
        _scale_bar(scale, dataset)
    return figure


def moth_velocities(dataset: xr.Dataset) -> Figure:
    """Linear and angular speeds of the thorax in the sagittal plane. [PBB13, Figure 6]"""
    time = 1e3 * dataset["time"].values
    with styled():
        figure = new_figure(7.5, 4.8)
        above, below = figure.subplots(2, 1, sharex=True)
        velocity = dataset["head_velocity"]
        above.plot(time, velocity.sel(axis="y"), color=BLUE, label="along n (forward)")
        above.plot(time, velocity.sel(axis="z"), color=VERMILLION, label="along a (up)")
        above.set_ylabel(label("velocity", "m/s"))
        frame_label(above, "Thorax, one stroke")
        legend_outside(above)
        below.plot(time, dataset["head_angular_velocity"].sel(axis="x"), color=GREEN)
        below.set_ylabel(label("pitch rate", "rad/s"))
        below.set_xlabel(label("time", "ms"))
    return figure


def moth_deformation(dataset: xr.Dataset) -> Figure:
    """Bending and twisting of the right wing, and the torque of its motor. [PBB13, Figure 7]"""
    time = 1e3 * dataset["time"].values
    names = [str(name) for name in dataset["coordinate"].values]
    angles = np.rad2deg(dataset["joint_position"].values)
    with styled():
        figure = new_figure(7.5, 7.4)
        panels = figure.subplots(3, 1, sharex=True)
        for ax, motion, words in zip(panels, ("bend", "twist"), ("bending", "twisting"), strict=False):
            rows = [k for k, name in enumerate(names) if name.startswith(f"right_{motion}")]
            for k in rows if len(rows) <= len(SECTIONS) else ():
                section = int(names[k].removeprefix(f"right_{motion}"))
                ax.plot(time, angles[:, k], color=SECTIONS[section - 1], lw=1.0, label=f"section {section}")
            ax.plot(time, angles[:, rows].sum(axis=1), color=BLACK, lw=2.0, label="tip")
            ax.plot(time, angles[:, names.index("right_stroke")], color=GREY, ls=":", label="stroke")
            ax.set_ylabel(label(words, "°"))
            legend_outside(ax)
        frame_label(panels[0], "Right wing, one stroke")
        freedom = [str(name) for name in dataset["freedom"].values]
        panels[2].plot(time, 1e3 * dataset["torque"].values[:, freedom.index("right_stroke")], color=VERMILLION)
        panels[2].set_ylabel(label("stroke torque", "mN m"))
        panels[2].set_xlabel(label("time", "ms"))
    return figure


def moth_forces(dataset: xr.Dataset) -> Figure:
    """Force of the air on the moth, along n and along a. [PBB13, Figure 8]"""
    time, force = 1e3 * dataset["time"].values, 1e3 * dataset["air_force"].values
    weight = 1e3 * float(dataset.attrs["weight"])
    with styled():
        figure = new_figure(7.5, 5.0)
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(time, force[:, 1], color=BLUE)
        above.set_ylabel(label("force along n (forward)", "mN"))
        frame_label(above, "Force of the air, one stroke")
        below.plot(time, force[:, 2], color=VERMILLION, label="air")
        below.axhline(weight, color=GREY, ls="--", label=f"weight, {weight:.1f} mN")
        below.set_ylabel(label("force along a (up)", "mN"))
        below.set_xlabel(label("time", "ms"))
        legend_outside(below)
    return figure


def moth_multipliers(dataset: xr.Dataset) -> Figure:
    """Floquet multipliers of the hover in the complex plane, with the unit circle."""
    with styled():
        figure = new_figure(5.4, 5.2)
        ax = figure.subplots()
        angle = np.linspace(0.0, 2.0 * np.pi, 400)
        ax.plot(np.cos(angle), np.sin(angle), color=GREY, lw=1.0)
        for kind, colour, marker in (("sagittal", BLUE, "o"), ("lateral", VERMILLION, "s")):
            values = dataset[f"multipliers_{kind}"].values
            ax.plot(values[:, 0], values[:, 1], marker, color=colour, ms=7, mfc="none", mew=1.6, label=kind)
        ax.set_aspect("equal")
        ax.set_xlabel(label("real part of the multiplier", "-"))
        ax.set_ylabel(label("imaginary part", "-"))
        ax.set_xticks(np.arange(-1.0, 1.1, 0.5))
        ax.set_yticks(np.arange(-1.0, 1.1, 0.5))
        frame_label(ax, "Floquet multipliers")
        legend_outside(ax)
    return figure


def _paint(ax: Axes, dataset: xr.Dataset, instant: int, view: Camera) -> None:
    """Draws the moth along an axis, far faces first."""
    mesh = moth_mesh(dataset, instant)
    seen = mesh.normals @ view.towards() > -0.02
    place = view.project(mesh.corners[seen])
    order = np.argsort(place[..., 2].mean(axis=1))
    colours = lit(mesh, view.light())[seen][order]
    outline = PolyCollection(list(place[order][..., :2]), facecolors=colours, edgecolors=colours, linewidths=0.2)
    ax.add_collection(outline)
    reach, body = 1.05 * float(dataset.attrs["span"]), float(dataset.attrs["thorax"][2])
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-1.2 * body, 1.6 * body)
    ax.set_aspect("equal")


def _scale_bar(ax: Axes, dataset: xr.Dataset) -> None:
    """A scale bar of five centimetres in an empty panel."""
    reach = 1.05 * float(dataset.attrs["span"])
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-0.05, 0.05)
    ax.set_aspect("equal")
    ax.plot([-0.025, 0.025], [0.0, 0.0], color=BLACK, lw=2.0)
    ax.text(0.0, 0.006, "0.05 m", ha="center")
