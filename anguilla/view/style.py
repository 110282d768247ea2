"""Common style of all figures: sizes, colours, labels with units."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from spatial.figure_style import INK as INK, RC

# Okabe and Ito's palette: eight colours that can be distinguished with any colour vision.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#8A9199"

COMPONENTS = (BLUE, VERMILLION, GREEN)  # first, second and third component of any vector
SEQUENTIAL = "viridis"  # time
DIVERGING = "PuOr"  # signed fields, white at zero
CROWDED = 60  # maxima and minima of a curve above which its line is thin

SomeAxes = Sequence[Axes] | np.ndarray  # result of Figure.subplots, or a list


class Picture(Figure):
    """A matplotlib figure that notebooks display even if no backend is selected.

    Where the title of axes would run into a legend beside it, the title is raised above the legend.
    """

    def draw(self, renderer: Any) -> None:
        """Draws the figure."""
        beside = [ax for ax in self.axes if ax.get_title(loc="left") and ax.get_legend() is not None]
        if beside and (engine := self.get_layout_engine()) is not None:
            engine.execute(self)
            for ax in beside:
                _raise_title(ax, renderer)
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        """The figure as a PNG file, for IPython."""
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()


def styled() -> Any:
    """Context manager that applies the style of this package without changing global settings."""
    return matplotlib.rc_context(RC)


def new_figure(width: float = 7.5, height: float = 4.0) -> Picture:
    """An empty figure.

    Args:
        width: width [inches].
        height: height [inches].
    """
    picture = Picture(figsize=(width, height), layout="constrained")
    # A mathematical label extends beyond the box that the layout reserves for it.
    picture.get_layout_engine().set(w_pad=0.12)  # pyright: ignore[reportOptionalMemberAccess, reportCallIssue]
    return picture


def figure_of(ax: Axes) -> Figure:
    """The figure of the given axes."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the given axes belong to no figure")
    return figure


def given_axes(axes: SomeAxes | None, count: int) -> list[Axes] | None:
    """The axes passed by the caller as a list of `count`; None if there are none."""
    if axes is None:
        return None
    flat = list(np.asarray(axes, dtype=object).ravel())
    if len(flat) != count:
        raise ValueError(f"axes: {len(flat)} given, this figure needs {count}")
    return flat


def label(quantity: str, unit: str) -> str:
    """Text of an axis label: quantity and unit."""
    return f"{quantity} [{unit}]"


def legend_outside(ax: Axes, **options: Any) -> None:
    """Places the legend above the axes, in one row, where it hides no data."""
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


def thin_where_crowded(ax: Axes) -> None:
    """Draws curves with many oscillations as thin lines, so that they do not merge into one block of colour."""
    for line in ax.get_lines():
        values = np.asarray(line.get_ydata(), float)
        turns = int(np.sum(np.diff(np.sign(np.diff(values))) != 0)) if values.size > 2 else 0
        if turns > CROWDED:
            line.set_linewidth(max(0.5, line.get_linewidth() * CROWDED / turns))


def time_colours(times: np.ndarray) -> np.ndarray:
    """One RGBA colour per time [s]: dark for the first, bright for the last, never too pale on white."""
    span = max(float(times[-1] - times[0]), 1e-12) if len(times) else 1.0
    return matplotlib.colormaps[SEQUENTIAL](0.05 + 0.83 * (np.asarray(times) - times[0]) / span)


def _raise_title(ax: Axes, renderer: Any) -> None:
    """Raises the left title of axes above their legend, if the two overlap."""
    title, legend = ax._left_title, ax.get_legend()  # pyright: ignore[reportAttributeAccessIssue]
    frame = legend.get_window_extent(renderer) if legend is not None else None
    if frame is None or not title.get_window_extent(renderer).overlaps(frame):
        return
    above = 72.0 / figure_of(ax).dpi * (frame.y1 - ax.get_window_extent(renderer).y1) + 4.0  # [points]
    same = {"fontsize": title.get_fontsize(), "fontweight": title.get_fontweight()}
    ax.set_title(title.get_text(), loc="left", pad=above, **same)


def few_ticks() -> MaxNLocator:
    """Ticks of a narrow colour bar that is symmetric about zero: three, or five where they are far apart."""
    return MaxNLocator(4, steps=[1, 2, 4, 5, 10], min_n_ticks=3)


def frame_label(ax: Axes, text: str) -> None:
    """Adds a title at the upper left of the axes."""
    ax.set_title(text, loc="left", pad=8)
