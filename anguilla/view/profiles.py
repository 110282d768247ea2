"""Internal force and moment along the body at one instant, as in [BPK06, Figure 10]."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spatial import number

from .record import check_record
from .style import (
    COMPONENTS,
    INK,
    SomeAxes,
    figure_of,
    frame_label,
    given_axes,
    label,
    legend_outside,
    new_figure,
    styled,
)
from .vectors import force_in_section

FORCES = ("$n_1$ (axial)", "$n_2$", "$n_3$")
MOMENTS = ("$M_1$ (torsion)", "$M_2$", "$M_3$")


def internal_wrench(dataset: xr.Dataset, time: float | None = None, *, axes: SomeAxes | None = None) -> Figure:
    """Profiles of n and M in the section frame, with their values at the tail, which should be zero.

    n and M are exerted by the head side on the tail side. n(L) = M(L) = 0 is not imposed: a circle marks zero at the
    tail, and the text states the residual. On Gauss panels the two loops share their quadrature, and the residual only
    shows that they agree; the title states the estimated errors of n and M, from a grid twice as fine.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.view.internal_wrench(swim, time=0.5).savefig("wrench.png")

    Args:
        dataset: a result of `cosserat.simulate`.
        time: instant [s], rounded to the nearest recorded one; the last one when None.
        axes: two axes to draw in; a new figure when None.
    """
    check_record(
        dataset, ("time", "X", "orientation", "internal_force", "internal_moment", "tail_force", "tail_moment")
    )
    with styled():
        rows = given_axes(axes, 2)
        if rows is None:
            rows = list(new_figure(8.0, 5.4).subplots(2, 1, sharex=True))
        k = -1 if time is None else _nearest(dataset["time"].values, float(number("time", time)))
        X = dataset["X"].values
        instant = dataset.isel(time=k)
        force = force_in_section(dataset.isel(time=[k]))[0]
        _profile(rows[0], X, force, FORCES, "n", "N", instant["tail_force"].values)
        rows[0].set_ylabel(label("internal force", "N"))
        _profile(rows[1], X, instant["internal_moment"].values, MOMENTS, "M", "N m", instant["tail_moment"].values)
        rows[1].set_ylabel(label("internal moment", "N m"))
        rows[1].set_xlabel(label("abscissa X from the nose", "m") + _errors(dataset))
        frame_label(rows[0], f"Section frame, t = {float(instant['time']):.4g} s")
        return figure_of(rows[0])


def _nearest(times: np.ndarray, time: float) -> int:
    """Index of the nearest recorded instant; raises for a time outside the run."""
    if not times[0] - 1e-9 <= time <= times[-1] + 1e-9:
        raise ValueError(f"time = {time:g}: the data run from {times[0]:g} to {times[-1]:g} s")
    return int(np.abs(times - time).argmin())


def _errors(dataset: xr.Dataset) -> str:
    """Text with the estimated errors of the run; empty if there are none."""
    found = [dataset.attrs.get(f"space_error_{name}") for name in ("force", "moment")]
    return "" if None in found else "\nestimated relative error of n {:.0e}, of M {:.0e}".format(*found)


def _profile(ax: Axes, X, values, names, symbol, unit, tail) -> None:
    ax.axhline(0.0, color=INK, linewidth=0.6)
    for k in range(3):
        ax.plot(X, values[:, k], color=COMPONENTS[k], label=names[k])
    ax.plot(X[-1], 0.0, "o", markersize=9, markerfacecolor="none", markeredgecolor=INK, clip_on=False, zorder=5)
    ax.annotate(
        f"$|{symbol}(L)|$ =\n{np.linalg.norm(tail):.0e} {unit}",
        (X[-1], 0.0),
        xytext=(10, 0),
        textcoords="offset points",
        va="center",
        color=INK,
        annotation_clip=False,
    )
    ax.set_xlim(X[0], X[-1])
    legend_outside(ax)
