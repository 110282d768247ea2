"""Figure of the moth's hover against the number of wing sections."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from anguilla.view.style import BLUE, GREEN, ORANGE, PURPLE, VERMILLION, label, legend_outside, new_figure, styled

COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE)
PANELS = ("amplitude", "power", "twist", "bend")


def hover_over_sections(study: xr.Dataset) -> Figure:
    """Amplitude, power, twist and bend of the hover against the number of sections of a wing.

    Args:
        study: a result of `anguilla.robots.moth.sections_study.hover_by_sections`.
    """
    sections = study["sections"].values
    with styled():
        figure = new_figure(8.4, 5.6)
        axes = np.asarray(figure.subplots(2, 2, sharex=True), dtype=object)
        for ax, name in zip(axes.ravel(), PANELS, strict=True):
            for reading, colour in zip(study["reading"].values, COLOURS, strict=False):
                values = study[name].sel(reading=reading).values
                known = ~np.isnan(values)
                ax.plot(sections[known], values[known], "o-", color=colour, mfc="white", label=str(reading))
            ax.set_xscale("log", base=2)
            ax.set_xticks(sections, labels=[str(m) for m in sections])
            ax.xaxis.set_minor_formatter(NullFormatter())
            ax.set_ylabel(label(str(study[name].attrs["long_name"]).removesuffix(", +-"), study[name].attrs["units"]))
        for ax in axes[1]:
            ax.set_xlabel(label("sections of a wing, M", "-"))
        legend_outside(axes[0, 1])
    return figure
