"""Figures of the atlas: speeds of all swimmers, and the curves of one."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from anguilla.view.style import BLACK, BLUE, GREY, VERMILLION, frame_label, styled

from .curve import Curves, CurveSwimmer
from .swimming import Swum


@styled()
def speeds_figure(rows: Sequence[Swum]) -> Picture:
    """Speeds of all swimmers under all rules, with the independent and the published ones."""
    figure, axes = plt.subplots(figsize=(7.0, 0.35 * len(rows) + 1.8), layout="constrained")
    seen = set()

    def mark(x, k, style, label, **options):
        axes.plot(x, k, style, label=None if label in seen else label, **options)
        seen.add(label)

    for k, row in enumerate(rows):
        mark(row.speed, k, "o", "this code", color=BLUE)
        if row.independent is not None:
            mark(row.independent, k, "|", "independent program, same theory", color=BLACK, ms=14)
        if row.swimmer.speed is not None:
            mark(row.swimmer.speed.value, k, "x", "published", color=VERMILLION)
    axes.set_yticks(range(len(rows)), [f"{row.swimmer.name}, {row.water}, Cd {row.cross_flow:g}" for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("speed [lengths per period]")
    axes.set_xlim(0.0, 1.05 * axes.get_xlim()[1])
    frame_label(axes, "Speeds of published swimmers")
    figure.legend(loc="outside upper center", ncols=3, fontsize=8)
    return figure


@styled()
def curves_figure(swimmer: CurveSwimmer, curves: Curves) -> Picture:
    """The curves of one swimmer side by side."""
    count = len(curves.panels)
    figure, all_axes = plt.subplots(1, count, figsize=(3.6 * count, 3.0), layout="constrained", squeeze=False)
    for axes, panel in zip(all_axes[0], curves.panels, strict=True):
        axes.plot(panel.x, panel.y, "o-", ms=4, color=BLUE)
        for k, mark in enumerate(panel.marks):
            axes.axvline(mark, color=GREY, ls="--", lw=1.0, label="natural frequencies" if k == 0 else None)
        if panel.published is not None:
            axes.axhline(panel.published, color=VERMILLION, ls=":", lw=1.2, label="published maximum")
        if panel.marks or panel.published is not None:
            axes.legend(fontsize=8)
        if min(panel.x) > 0 and max(panel.x) > 10.0 * min(panel.x):
            axes.set_xscale("log")
            narrow = max(panel.x) < 100.0 * min(panel.x)
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,)))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(panel.parameter)
        axes.set_ylabel(panel.quantity)
        if min(panel.y) >= 0:
            axes.set_ylim(bottom=0.0)
        else:
            axes.axhline(0.0, color=GREY, lw=0.8)
    figure.suptitle(swimmer.title, fontsize=10, fontweight="bold")
    return figure
