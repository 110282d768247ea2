"""One look for every figure: sizes, colours, labels with units."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette: eight colours that every kind of colour vision tells apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY, INK = "#8A9199", "#22303A"

COMPONENTS = (BLUE, VERMILLION, GREEN)  # first, second and third component of any vector
SEQUENTIAL = "viridis"  # time
DIVERGING = "PuOr"  # a signed field, white at zero

SomeAxes = Sequence[Axes] | np.ndarray  # what Figure.subplots returns, or a list

RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDE3E8",
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.5,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "savefig.dpi": 150,
    "figure.dpi": 110,
}


class Picture(Figure):
    """A matplotlib figure that a notebook shows even when no backend is selected."""

    def _repr_png_(self) -> bytes:
        """The figure as a PNG file, for IPython."""
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()


def styled() -> Any:
    """A context in which artists take the style of this package, without changing any global setting."""
    return matplotlib.rc_context(RC)


def new_figure(width: float = 7.5, height: float = 4.0) -> Picture:
    """An empty figure.

    Args:
        width: width [inches].
        height: height [inches].
    """
    picture = Picture(figsize=(width, height), layout="constrained")
    # A mathematical label stands out of the box that the layout reserves for it.
    picture.get_layout_engine().set(w_pad=0.12)  # pyright: ignore[reportOptionalMemberAccess, reportCallIssue]
    return picture


def figure_of(ax: Axes) -> Figure:
    """The figure that given axes belong to."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the given axes belong to no figure")
    return figure


def given_axes(axes: SomeAxes | None, count: int) -> list[Axes] | None:
    """The axes a caller wants to be drawn in, as a list of `count`; None when there are none."""
    if axes is None:
        return None
    flat = list(np.asarray(axes, dtype=object).ravel())
    if len(flat) != count:
        raise ValueError(f"axes: {len(flat)} given, this figure needs {count}")
    return flat


def label(quantity: str, unit: str) -> str:
    """The text of an axis: what it shows and in what unit."""
    return f"{quantity} [{unit}]"


def legend_outside(ax: Axes, **options: Any) -> None:
    """Puts the legend of an axis above it, in one row, where it hides no data."""
    handles, labels = ax.get_legend_handles_labels()
    ax.legend(
        handles,
        labels,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(labels),
        borderaxespad=0.2,
        handlelength=1.4,
        columnspacing=1.2,
        **options,
    )


def time_colours(times: np.ndarray) -> np.ndarray:
    """One RGBA colour for each time [s]: dark for the first, bright for the last, never too pale for white paper."""
    span = max(float(times[-1] - times[0]), 1e-12) if len(times) else 1.0
    return matplotlib.colormaps[SEQUENTIAL](0.05 + 0.83 * (np.asarray(times) - times[0]) / span)


def frame_label(ax: Axes, text: str) -> None:
    """A title at the upper left of an axis."""
    ax.set_title(text, loc="left", pad=8)
