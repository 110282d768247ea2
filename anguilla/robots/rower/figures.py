"""The figures of [KR13, VII.D]: joint curves, surge, heave, pitch; torques, power, fluid memory, sensitivity."""

import jax.numpy as jnp
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

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
from hydro import load_states, load_table
from hydro.radiation_fit import fit_group

COLOURS = {"40 % drive": BLUE, "50 % drive": VERMILLION, "50 % drive, steep": ORANGE, "optimised": GREEN}
CURVES = {"knee": "knee angle", "trunk": "trunk lean", "oar": "oar angle"}
PAPER = ("40 % drive", "50 % drive")
ORDERS = (2, 4, 6, 8, 10)


def rowing_joints(dataset: xr.Dataset, motions: tuple[str, ...] = PAPER) -> Figure:
    """Knee, trunk and oar of two motions, with the control polygons of their splines. [KR13, Figure 10]"""
    with styled():
        figure = new_figure(7.5, 6.6)
        panels = figure.subplots(3, 1, sharex=True)
        period = float(dataset.attrs["period"])
        for ax, (name, words) in zip(panels, CURVES.items(), strict=True):
            for motion in motions:
                one, colour = dataset.sel(motion=motion, curve_name=name), COLOURS[motion]
                ax.plot(one["stroke_time"], np.rad2deg(one["curve"]), color=colour, label=motion)
                at, value = one["control_time"].values, np.rad2deg(one["control_value"].values)
                keep = (at >= 0) & (at <= period)
                ax.plot(at[keep], value[keep], color=colour, lw=0.8, ls=":", marker="o", ms=3, mfc="white")
            ax.set_ylabel(label(words, "°"))
        panels[0].plot([], [], color=GREY, lw=0.8, ls=":", marker="o", ms=3, mfc="white", label="control polygon")
        frame_label(panels[0], "Motion of the rower")
        legend_outside(panels[0])
        panels[-1].set_xlabel(label("time from the catch", "s"))
    return figure


def rowing_surge(dataset: xr.Dataset, motions: tuple[str, ...] = PAPER) -> Figure:
    """Surge velocity over a stroke, with its mean. [KR13, Figure 11]"""
    with styled():
        figure = new_figure(7.5, 4.2)
        ax = figure.subplots()
        for motion in motions:
            one, colour = dataset.sel(motion=motion), COLOURS[motion]
            ax.plot(
                one["stroke_time"],
                one["surge"],
                color=colour,
                label=f"{motion}, mean {float(one['mean_speed']):.2f} m/s",
            )
            ax.axhline(float(one["mean_speed"]), color=colour, lw=0.9, ls="--")
        ax.set_xlabel(label("time from the catch", "s"))
        ax.set_ylabel(label("surge velocity", "m/s"))
        frame_label(ax, "Surge of the boat")
        legend_outside(ax)
    return figure


def rowing_heave(dataset: xr.Dataset) -> Figure:
    """Heave about its mean. [KR13, Figure 12]"""
    return _secondary(dataset, "heave", 1e3, "heave", "mm")


def rowing_pitch(dataset: xr.Dataset) -> Figure:
    """Pitch about its mean, bow down positive. [KR13, Figure 13]"""
    return _secondary(dataset, "pitch", np.rad2deg(1.0), "pitch, bow down", "°")


def _secondary(dataset, name, factor, words, unit):
    with styled():
        figure = new_figure(7.5, 3.8)
        ax = figure.subplots()
        for motion in PAPER:
            one = dataset.sel(motion=motion)
            values = factor * one[name].values
            ax.plot(
                one["stroke_time"], values, color=COLOURS[motion], label=f"{motion}, range {np.ptp(values):.3g} {unit}"
            )
        ax.axhline(0.0, color=GREY, lw=0.8)
        ax.set_xlabel(label("time from the catch", "s"))
        ax.set_ylabel(label(words, unit))
        frame_label(ax, f"{name.capitalize()} of the boat")
        legend_outside(ax)
    return figure


def rowing_torques(dataset: xr.Dataset) -> Figure:
    """Torques of knee, hip and one oar for both motions."""
    with styled():
        figure = new_figure(7.5, 6.4)
        panels = figure.subplots(3, 1, sharex=True)
        names = {"knee": "both knees", "hip": "hip", "port_oar": "one oar"}
        for ax, (joint, words) in zip(panels, names.items(), strict=True):
            for motion in PAPER:
                one = dataset.sel(motion=motion, joint=joint)
                ax.plot(one["stroke_time"], one["motion_torque"], color=COLOURS[motion], label=motion)
            ax.axhline(0.0, color=GREY, lw=0.8)
            ax.set_ylabel(label(words, "N m"))
        frame_label(panels[0], "Torques of the rower")
        legend_outside(panels[0])
        panels[-1].set_xlabel(label("time from the catch", "s"))
    return figure


def rowing_power(dataset: xr.Dataset) -> Figure:
    """Power budget of the first motion, over time and averaged."""
    one = dataset.sel(motion="40 % drive")
    colours = dict(zip(map(str, dataset["sink"].values), (BLACK, VERMILLION, BLUE, PURPLE), strict=True))
    with styled():
        figure = new_figure(8.6, 4.0)
        left, right = figure.subplots(1, 2, width_ratios=(3, 1))
        for name, colour in colours.items():
            left.plot(one["stroke_time"], one["motion_power"].sel(sink=name), color=colour, label=name)
        left.set_xlabel(label("time from the catch", "s"))
        left.set_ylabel(label("power given to boat and rower", "W"))
        frame_label(left, "Power, 40 % drive")
        legend_outside(left)
        mean = one["mean_power"]
        right.bar(0, float(mean.sel(sink="motors")), color=BLACK, width=0.6)
        bottom = 0.0
        for name in ("resistance", "blades", "radiation"):
            size = -float(mean.sel(sink=name))
            right.bar(1, size, bottom=bottom, color=colours[name], width=0.6)
            inside = size > 60
            right.text(
                1.0 if inside else 1.36,
                bottom + 0.5 * size,
                f"{size:.0f}",
                ha="center" if inside else "left",
                va="center",
                color="white" if inside else BLACK,
            )
            bottom += size
        right.text(0, 0.5 * bottom, f"{float(mean.sel(sink='motors')):.0f}", ha="center", va="center", color="white")
        right.set_xticks([0, 1], ["motors", "losses"])
        right.set_xlim(-0.5, 1.75)
        right.set_ylabel(label("mean power", "W"))
        right.grid(axis="x", visible=False)
    return figure


def rowing_memory() -> Figure:
    """Step responses of the radiation kernels of heave and pitch and of their state-space models; error by order."""
    table, states = load_table(), load_states()
    time = np.arange(0.0, 5.0, 0.01)
    wanted, ours = table.kernel(time), np.asarray(states.kernel(jnp.asarray(time)))
    with styled():
        figure = new_figure(8.6, 6.2)
        axes = np.asarray(figure.subplots(2, 2), dtype=object)
        for column, (mode, words, unit) in enumerate(((2, "heave", "N s/m"), (4, "pitch", "N m s"))):
            K, k = wanted[:, mode, mode], ours[:, mode, mode]
            answer, model = _cumulative_integral(K, time), _cumulative_integral(k, time)
            peak = np.abs(answer).max()
            ax = axes[0, column]
            ax.plot(time, answer, color=BLACK, lw=2.2, label="convolution")
            ax.plot(time, model, color=SKY, lw=1.3, ls="--", label="state-space model")
            error = 100 * np.abs(answer - model).max() / peak
            ax.set_title(f"{words.capitalize()}: step response, error {error:.1f} %")
            ax.set_ylabel(label("moment per rate" if words == "pitch" else "force per velocity", unit))
            ax.set_xlabel(label("time", "s"))
            ax.legend()
            errors = {free: _errors(table, mode, free) for free in (False, True)}
            below = axes[1, column]
            below.semilogy(ORDERS, errors[True], color=BLUE, marker="o", label="passive")
            below.semilogy(ORDERS, errors[False], color=GREY, marker="s", ls=":", label="not passive")
            below.set_title(f"{words.capitalize()}: error of the kernel")
            below.set_xlabel(label("number of states", "-"))
            below.set_ylabel(label("relative error (root mean square)", "-"))
            below.legend()
    return figure


def _cumulative_integral(values, time):
    step = time[1] - time[0]
    return np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1])) * step])


def _errors(table, mode, passive):
    from scipy.linalg import expm

    time = np.arange(0.0, 8.0, 0.02)
    wanted = table.kernel(time)[:, mode, mode]
    errors = []
    for order in ORDERS:
        A, B, C = fit_group(table, (mode,), order, passive)
        step, x, values = expm(0.02 * A), B, []
        for _ in time:
            values.append((C @ x).item())
            x = step @ x
        errors.append(np.linalg.norm(np.array(values) - wanted) / np.linalg.norm(wanted))
    return errors


SYMBOLS = (
    "$L_e$: lever of the oar, from the lock to the blade; fitted to the published speed.  "
    "$k$: form factor of the hull,\nwhose resistance is $(1 + k)$ times its friction; the paper prints $k$ = 1.  "
    "Dashed: as fitted."
)


def rowing_sensitivity(dataset: xr.Dataset) -> Figure:
    """Mean speed and power of the first motion when one parameter is changed."""
    cases = [str(case) for case in dataset["case"].values]
    rows = np.arange(len(cases))[::-1]
    with styled():
        figure = new_figure(8.6, 3.9)
        left, right = figure.subplots(1, 2, sharey=True)
        for ax, name, words, unit in (
            (left, "case_speed", "mean speed", "m/s"),
            (right, "case_power", "mean power", "W"),
        ):
            values = dataset[name].values
            ax.axvline(values[0], color=GREY, lw=1.0, ls="--")
            ax.hlines(rows, values[0], values, color=SKY, lw=3.0)
            ax.plot(values, rows, "o", color=BLUE, ms=6)
            for row, value in zip(rows, values, strict=True):
                text = f"{value:.2f}" if unit == "m/s" else f"{value:.0f}"
                clear = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
                ax.annotate(
                    text, (value, row), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=8, bbox=clear
                )
            ax.set_xlabel(label(words, unit))
            ax.margins(x=0.12, y=0.09)
        left.set_yticks(rows, [case.replace("L_e", "$L_e$") for case in cases])
        left.grid(axis="y", visible=False)
        right.grid(axis="y", visible=False)
        figure.suptitle(SYMBOLS, fontsize=9, x=0.01, ha="left")
    return figure


def rowing_optimised(dataset: xr.Dataset) -> Figure:
    """The first motion and the faster one at the same power: curves, surge velocity, torque of an oar."""
    pair = ("40 % drive", "optimised")
    with styled():
        figure = new_figure(9.4, 5.4)
        axes = np.asarray(figure.subplots(2, 3, sharex=True), dtype=object)
        for ax, (name, words) in zip(axes[0], CURVES.items(), strict=True):
            for motion in pair:
                one = dataset.sel(motion=motion, curve_name=name)
                ax.plot(one["stroke_time"], np.rad2deg(one["curve"]), color=COLOURS[motion], label=motion)
            ax.set_ylabel(label(words, "°"))
        for motion in pair:
            one, colour = dataset.sel(motion=motion), COLOURS[motion]
            axes[1, 0].plot(one["stroke_time"], one["surge"], color=colour, label=f"{motion}")
            axes[1, 0].axhline(float(one["mean_speed"]), color=colour, lw=0.9, ls="--")
            axes[1, 1].plot(one["stroke_time"], one["motion_torque"].sel(joint="port_oar"), color=colour)
            axes[1, 2].plot(one["stroke_time"], one["motion_power"].sel(sink="motors"), color=colour)
        axes[1, 0].set_ylabel(label("surge velocity", "m/s"))
        axes[1, 1].set_ylabel(label("torque of one oar", "N m"))
        axes[1, 2].set_ylabel(label("power of the motors", "W"))
        for ax in axes[1]:
            ax.set_xlabel(label("time", "s"))
        speeds = [float(dataset["mean_speed"].sel(motion=m)) for m in pair]
        powers = [float(dataset["mean_power"].sel(motion=m, sink="motors")) for m in pair]
        axes[0, 0].legend(loc="lower center")
        figure.suptitle(
            f"{speeds[0]:.3f} m/s for {powers[0]:.0f} W, then {speeds[1]:.3f} m/s for {powers[1]:.0f} W", fontsize=11
        )
    return figure
