"""Figures of optimised gaits: history of the optimisation, gait before and after, comparison of optimisers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .style import BLUE, GREY, INK, VERMILLION, frame_label, label, new_figure, styled, time_colours


def optimum_path(optimum: Any) -> Figure:
    """Objective and parameters against evaluations.

    Args:
        optimum: result of `gaits.optimise`.
    """
    with styled():
        return optimum.plot(new_figure(8.6, 6.4))


def gaits_compared(before: xr.Dataset, after: xr.Dataset, periods: tuple[float, float], torque_limit: float) -> Figure:
    """Last period of two swims: the body from above, and peak torque and curvature along it.

    Args:
        before: a swim of the reference gait.
        after: a swim of the optimised one.
        periods: periods of the two gaits [s].
        torque_limit: maximum allowed torque [N·m].
    """
    with styled():
        figure = new_figure(9.0, 7.2)
        parts = figure.add_gridspec(3, 2, height_ratios=(0.36, 0.36, 1.0))
        above = [figure.add_subplot(parts[row, :]) for row in range(2)]
        below = [figure.add_subplot(parts[2, column]) for column in range(2)]
        for ax, swim, period, name in zip(above, (before, after), periods, ("published", "optimised"), strict=True):
            _snapshots(ax, swim, period, name)
        limits = [ax.axis() for ax in above]
        for ax in above:
            ax.set_xlim(min(box[0] for box in limits), max(box[1] for box in limits))
            ax.set_ylim(1.15 * min(box[2] for box in limits), 1.15 * max(box[3] for box in limits))
        above[1].set_xlabel(label("x, swimming to the left", "m"))
        for ax, name, quantity, unit in zip(
            below, ("internal_moment", "strain"), ("peak torque", "peak curvature"), ("N m", "1/m"), strict=True
        ):
            for swim, period, colour, words in zip(
                (before, after), periods, (GREY, VERMILLION), ("published", "optimised"), strict=True
            ):
                values = _last(swim, period)[name].values[..., -3:]
                top = np.linalg.norm(values, axis=2).max(axis=0)
                ax.plot(swim["X"], top, color=colour, linewidth=2.0, label=words)
            ax.set_xlabel(label("abscissa X from nose to tail", "m"))
            ax.set_ylabel(label(quantity, unit))
            ax.set_ylim(bottom=0.0)
        below[0].axhline(torque_limit, color=INK, linestyle=":", linewidth=1.0)
        below[0].annotate(
            "limit", (0.0, torque_limit), (2, -3), textcoords="offset points", color=INK, va="top", fontsize=9
        )
        frame_label(below[0], "Torque along the body")
        frame_label(below[1], "Curvature along the body")
        below[1].legend(loc="upper left")
        return figure


def optimisers_compared(comparisons: Sequence[Any]) -> Figure:
    """Best value so far against rollouts, gradients against CMA-ES, one panel per problem.

    Args:
        comparisons: results of `anguilla.studies.cma_comparison.against_cma`, one per problem.
    """
    with styled():
        figure = new_figure(6.4 * len(comparisons), 5.0)
        for ax, comparison in zip(np.atleast_1d(figure.subplots(1, len(comparisons))), comparisons, strict=True):
            _compare(ax, comparison)
        return figure


def _compare(ax: Axes, comparison: Any) -> None:
    for runs, colour, words, price, style in (
        (comparison.strategy, VERMILLION, "CMA-ES", 1.0, "-"),
        (comparison.gradients, BLUE, "gradients", 1.0, "-"),
        (comparison.gradients, BLUE, "gradients, derivatives counted too", comparison.price, ":"),
    ):
        for run in runs:
            rollouts = run.rollouts(price)
            ax.step(rollouts, run.history, where="post", color=colour, linewidth=1.5, linestyle=style, alpha=0.8)
            reached = run.reached(comparison.least)
            if reached is not None:
                face = colour if style == "-" else "white"
                ax.plot(rollouts[reached - 1], run.history[reached - 1], "o", color=colour, markerfacecolor=face,
                        markersize=6, zorder=4)  # fmt: skip
        expected = comparison.expected(runs, price)
        words += f": {expected:.0f} rollouts" if np.isfinite(expected) else ": never"
        ax.plot([], [], color=colour, linestyle=style, linewidth=1.8, label=words)
    ax.axhline(comparison.least, color=INK, linestyle=":", linewidth=1.0)
    ax.set_xscale("log")
    ax.set_xlabel(label("rollouts: steady swims", "-"))
    unit = comparison.unit if comparison.unit != "1" else "-"
    ax.set_ylabel(label(f"{comparison.objective}, best so far", unit))
    least, most = comparison.least, comparison.before
    ax.set_ylim(least - 0.06 * (most - least), most + 0.45 * (most - least))
    frame_label(ax, f"{comparison.name}: {comparison.verdict}")
    ax.legend(loc="upper right", title="to the best optimum, mean of the seeds", title_fontsize=9)


def _last(swim: xr.Dataset, period: float) -> xr.Dataset:
    return swim.sel(time=swim["time"] >= float(swim["time"][-1]) - period * (1 + 1e-9))


def _snapshots(ax: Axes, swim: xr.Dataset, period: float, name: str) -> None:
    """The body at eight instants of the last period, rotated to swim to the left, relative to its mean position."""
    last = _last(swim, period)
    position = last["position"].values[:, :, :2]
    centre = last["centre_of_mass"].values[:, :2]
    along = centre[-1] - centre[0]
    speed = float(np.linalg.norm(along)) / period
    ahead = -along / np.linalg.norm(along)
    turned = (position - centre[:1, None]) @ np.array([[ahead[0], -ahead[1]], [ahead[1], ahead[0]]])
    chosen = np.linspace(0, len(turned) - 1, 9).astype(int)[:-1]
    colours = time_colours(last["time"].values[chosen])
    for k, colour in zip(chosen, colours, strict=True):
        ax.plot(*turned[k].T, color=colour, linewidth=1.8)
        ax.plot(*turned[k, 0], "o", color=colour, markersize=4)
    ax.set_aspect("equal")
    ax.set_yticks([-0.1, 0.0, 0.1])
    ax.set_ylabel(label("y", "m"))
    frame_label(ax, f"{name}: {speed:.3f} m/s, period {period:.3f} s")
