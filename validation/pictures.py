"""Figures of the report, from arrays recorded by the checks."""

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .running import Outcome


def figures(outcome: Outcome) -> list[tuple[str, Figure]]:
    """Figures of the recorded arrays; those whose checks were not run are omitted."""
    shown, pictures = outcome.exhibits, []
    if "swims" in shown:
        caption = "Head of the eel in the four published gaits, 10 s from rest: from above, and its depth."
        pictures.append((caption, _swim_figure(shown["swims"])))
    if {"chain in vacuum", "chain in water"} <= shown.keys():
        caption = "Chains of rigid links converge to the beam at second order (spiral gait)."
        pictures.append((caption, _chain_figure(shown["chain in vacuum"], shown["chain in water"])))
    if "lamb" in shown:
        caption = "Added inertia by sections converges to Lamb's exact ellipsoid as it becomes slender."
        pictures.append((caption, _lamb_figure(shown["lamb"])))
    return pictures


def _figure(rows=1, **options):
    with matplotlib.rc_context({"font.size": 10}):
        figure = Figure(figsize=(4.8, 3.8), layout="constrained")
        FigureCanvasAgg(figure)
        axes = np.atleast_1d(figure.subplots(rows, 1, **options))
    for one in axes:
        one.grid(alpha=0.3)
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _chain_figure(vacuum, water):
    figure, (axes,) = _figure()
    for case, marker, colour in ((vacuum, "o", "#0b6e8a"), (water, "s", "#d1672b")):
        axes.loglog(case["links"], case["error"], marker + "-", color=colour)
    links = np.asarray(water["links"], float)
    axes.loglog(links, 1.6 * water["error"][0] * (links[0] / links) ** 2, "k:", label="second order")
    axes.text(links[-1] * 1.06, water["error"][-1], "water", color="#d1672b", va="center")
    axes.text(links[-1] * 1.06, vacuum["error"][-1], "vacuum", color="#0b6e8a", va="center")
    axes.set(xlabel="links", ylabel="relative error of the head's acceleration", xlim=(links[0] * 0.85, links[-1] * 2))
    axes.set_xticks(links, [f"{n:.0f}" for n in links])
    axes.minorticks_off()
    axes.legend(frameon=False)
    return figure


def _lamb_figure(shown):
    figure, (axes,) = _figure()
    slenderness, errors = shown["slenderness"], np.abs(shown["error"])
    for k, label in enumerate(("$m_2$", "$m_3$", "$I_1$", "$I_2$", "$I_3$", "$m_1$ / displaced mass")):
        axes.loglog(slenderness, errors[:, k], "o-", ms=3, lw=1.2, label=label)
    axes.set(xlabel="slenderness C/A", ylabel="relative difference")
    axes.set_xticks(slenderness, [f"1/{1 / s:.0f}" for s in slenderness])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8)
    return figure


def _swim_figure(paths):
    figure, (above, side) = _figure(2, sharex=True, height_ratios=(3, 2))
    for (name, path), colour in zip(paths.items(), ("#222222", "#0b6e8a", "#d1672b", "#7a4fa3"), strict=False):
        above.plot(path[:, 0], path[:, 1], lw=1.2, color=colour, label=name)
        side.plot(path[:, 0], path[:, 2], lw=1.2, color=colour)
        for axes, k in ((above, 1), (side, 2)):
            axes.plot(path[-1, 0], path[-1, k], "o", ms=4, color=colour)
    above.set(ylabel="y [m]")
    side.set(xlabel="x [m]", ylabel="z [m]")
    above.legend(frameon=False, fontsize=9, ncols=2)
    return figure
