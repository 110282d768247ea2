"""The figure of the benchmark: cost against size."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure


def growth_figure(curves: list[tuple[str, list[int], list[float]]]) -> Figure:
    """Seconds against nodes, links and batch, each beside the line of linear growth from its last point."""
    figure, axes = plt.subplots(1, len(curves), figsize=(4 * len(curves), 3.4), squeeze=False, layout="constrained")
    for ax, (axis, sizes, seconds) in zip(axes[0], curves, strict=True):
        n, cost = np.asarray(sizes, float), 1e6 * np.asarray(seconds)
        ax.loglog(n, cost[-1] * n / n[-1], "--", color="0.6", label="linear")
        ax.loglog(n, cost, "o-", color="tab:blue", label="measured")
        ax.set_xticks(n, [f"{k:g}" for k in n], minor=False)
        ax.minorticks_off()
        ax.set_xlabel(axis)
        ax.grid(alpha=0.3)
    axes[0, 0].set_ylabel("one evaluation [µs]")
    axes[0, 0].legend(frameon=False)
    return figure
