"""Figure of the history of an optimisation."""

from typing import Any

import numpy as np

from spatial.figure_style import INK, RC

from .objectives import aim_of

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#22303A")


def draw(optimum: Any, figure: Any = None) -> Any:
    """Draws the objective of all starts, and feasibility and parameters of the best start, against evaluations.

    Args:
        optimum: a `gaits.Optimum`.
        figure: a matplotlib figure; a new one when None.
    """
    import matplotlib
    from matplotlib.figure import Figure

    if figure is None:
        figure = Figure(figsize=(8.0, 6.4), layout="constrained")
    with matplotlib.rc_context(RC):
        return _draw(optimum, figure)


def _draw(optimum: Any, figure: Any) -> Any:
    from matplotlib.ticker import MaxNLocator

    top, bottom = figure.subplots(2, 1, sharex=True)
    sign, words, aim = aim_of(optimum.objective)
    ways = sorted({e.start for e in optimum.history})
    winner = next(e.start for e in optimum.history if e.values[0] == optimum.value and e.violation == optimum.violation)
    for start in ways:
        steps = [e for e in optimum.history if e.start == start]
        k = np.arange(1, len(steps) + 1)
        value = sign * np.array([e.values[0] for e in steps])
        good = np.array([e.violation <= max(1e-6, optimum.violation) for e in steps])
        own = start == winner
        colour = COLOURS[0] if own else "#B8C2CA"
        top.plot(k, value, color=colour, linewidth=1.6 if own else 0.9, zorder=3 if own else 1)
        if own:
            top.plot(k[good], value[good], "o", color=colour, markersize=5, zorder=4, label="feasible")
            top.plot(k[~good], value[~good], "o", markerfacecolor="white", markeredgecolor=colour, markersize=5,
                     zorder=4, label="infeasible")  # fmt: skip
            _parameters(bottom, optimum, k, steps)
    top.axhline(sign * optimum.value, color=INK, linewidth=0.8, linestyle=":")
    unit = optimum.unit if optimum.unit and optimum.unit != "1" else ""
    top.set_ylabel(f"{words} [{unit or '-'}]")
    change = f"{sign * optimum.before:.4g} to {sign * optimum.value:.4g} {unit}".rstrip()
    top.set_title(f"{words[:1].upper()}{words[1:]}, {aim}: {change}", loc="left", pad=8)
    if optimum.limits:
        top.legend(loc="best")
    bottom.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    bottom.set_xlabel("evaluation (value and derivatives) [-]")
    return figure


def _parameters(axes: Any, optimum: Any, k: np.ndarray, steps: list[Any]) -> None:
    width = optimum.high - optimum.low
    bounded = np.isfinite(width).all()
    x = np.array([e.x for e in steps])
    if bounded:
        x = x * optimum.scale / width  # the vectors count from the lower bounds, in units of the scale
    for n, name in enumerate(optimum.names):
        axes.plot(k, x[:, n], color=COLOURS[n % len(COLOURS)], marker=".", markersize=4, linewidth=1.2, label=name)
    if bounded:
        axes.set_ylim(-0.04, 1.04)
        axes.set_yticks([0.0, 0.5, 1.0], labels=["lower\nbound", "middle", "upper\nbound"])
    axes.set_ylabel(f"parameters, relative to their {'bounds' if bounded else 'scales'} [-]")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
