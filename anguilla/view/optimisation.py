"""Figures of optimised gaits: the way to the optimum, the gait before and after, one optimiser against another."""

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
        optimum: what `gaits.optimise` returned.
    """
    with styled():
        return optimum.plot(new_figure(8.6, 6.4))


def gaits_compared(before: xr.Dataset, after: xr.Dataset, periods: tuple[float, float], torque_limit: float) -> Figure:
    """The last period of two swims: the body seen from above, and peak torque and curvature along it.

    Args:
        before: a swim of the reference gait.
        after: a swim of the optimised one.
        periods: their periods [s].
        torque_limit: greatest torque allowed [N·m].
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
    """Best value so far against rollouts, gradients against CMA-ES, one problem beside the other.

    Args:
        comparisons: what `anguilla.cma_comparison.against_cma` returned, for each problem.
    """
    with styled():
        figure = new_figure(6.4 * len(comparisons), 5.0)
        for ax, comparison in zip(np.atleast_1d(figure.subplots(1, len(comparisons))), comparisons, strict=True):
            _compare(ax, comparison)
        return figure


def _compare(ax: Axes, comparison: Any) -> None:
    optimum, runs = comparison.optimum, comparison.runs
    rollouts, with_derivatives, values = comparison.gradient_history
    price = f"derivatives counted too: {comparison.rollouts_with_derivatives:.0f} rollouts"
    ax.step(rollouts, values, where="post", color=BLUE, linewidth=2.2, zorder=3,
            label=f"gradients: {optimum.value:.5g} in {comparison.rollouts} rollouts")  # fmt: skip
    ax.step(with_derivatives, values, where="post", color=BLUE, linewidth=1.4, linestyle="--", zorder=3, label=price)
    for k, (run, shade) in enumerate(zip(runs, np.linspace(1.0, 0.45, len(runs)), strict=True)):
        words = f"CMA-ES, seed {run.seed}: {run.value:.5g} in {len(run.history)} rollouts"
        counts = np.arange(1, len(run.history) + 1)
        ax.step(counts, run.history, where="post", color=VERMILLION, alpha=shade, linewidth=1.6, label=words)
        reached = run.reached(optimum.value)
        if reached is not None:
            ax.plot(reached, run.history[reached - 1], "o", color=VERMILLION, markersize=6, zorder=4,
                    label="as low as the gradients" if k == len(runs) - 1 else None)  # fmt: skip
    ax.axhline(optimum.value, color=INK, linestyle=":", linewidth=1.0)
    ax.set_xscale("log")
    ax.set_xlabel(label("rollouts: steady swims", "-"))
    ax.set_ylabel(label(f"{optimum.objective}, best so far", optimum.unit if optimum.unit != "1" else "-"))
    least, most = min(optimum.value, *(run.value for run in runs)), optimum.before
    ax.set_ylim(least - 0.08 * (most - least), most + 0.85 * (most - least))
    frame_label(ax, f"{comparison.name}: {comparison.verdict}")
    ax.legend(loc="upper right")


def _last(swim: xr.Dataset, period: float) -> xr.Dataset:
    return swim.sel(time=swim["time"] >= float(swim["time"][-1]) - period * (1 + 1e-9))


def _snapshots(ax: Axes, swim: xr.Dataset, period: float, name: str) -> None:
    """The body eight times in the last period, turned so that it swims to the left, from its mean place."""
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
