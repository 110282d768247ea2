"""Figure of the convergence of chains of rigid links to the continuous body."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from .style import BLUE, GREY, INK, VERMILLION, figure_of, frame_label, label, new_figure, styled

COLOURS = (BLUE, VERMILLION)  # by fluid
SIGNS = (("o", "-"), ("s", "--"))  # by gait


def beam_against_chain(study: xr.Dataset, *, ax: Axes | None = None) -> Figure:
    """Error of the head acceleration against the number of links, with a reference line of slope 2 in 1/N.

    Args:
        study: a result of `validation.beam_against_chain.beam_against_chain`.
        ax: axes to draw in; a new figure when None.
    """
    with styled():
        ax = ax or new_figure(6.4, 4.4).add_subplot()
        links, error = study["links"].values.astype(float), study["error"]
        for gait, (marker, line) in zip(study["gait"].values, SIGNS, strict=False):
            for fluid, colour in zip(study["fluid"].values, COLOURS, strict=False):
                order = float(study["order"].sel(gait=gait, fluid=fluid))
                ax.loglog(
                    links,
                    error.sel(gait=gait, fluid=fluid),
                    color=colour,
                    marker=marker,
                    linestyle=line,
                    markerfacecolor="white",
                    label=f"{gait}, {fluid}: order {order:.2f}",
                )
        guide = 0.45 * float(error.isel(links=0).min()) * ((links[0] - 1) / (links - 1)) ** 2
        ax.loglog(links, guide, color=GREY, linewidth=1.2)
        middle = len(links) // 2
        ax.annotate(
            r"slope 2: $(N-1)^{-2}$",
            (links[middle], guide[middle]),
            (-8, -6),
            textcoords="offset points",
            color=INK,
            ha="right",
            va="top",
        )
        ax.set_xticks(links, labels=[f"{n:.0f}" for n in links])
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_ylim(0.3 * np.min(guide), 2.5 * float(error.max()))
        ax.set_xlabel(label("number of links N", "-"))
        ax.set_ylabel(label("relative error of the head's acceleration", "-"))
        frame_label(ax, "Chain of rigid links against beam")
        ax.legend(loc="upper right")
        return figure_of(ax)
