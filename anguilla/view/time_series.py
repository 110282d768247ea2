"""Time series, as in [BPK06, Figures 5 and 9]."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spatial import number

from .links import is_tree
from .record import check_record
from .style import (
    BLACK,
    BLUE,
    COMPONENTS,
    GREEN,
    ORANGE,
    VERMILLION,
    SomeAxes,
    figure_of,
    frame_label,
    given_axes,
    label,
    legend_outside,
    new_figure,
    styled,
    thin_where_crowded,
)
from .vectors import fluid_force, fluid_terms

TERMS = (BLUE, VERMILLION, ORANGE, GREEN)
NEGLIGIBLE = 1e-9  # relative to the largest component; smaller components are labelled as zero


def head_velocity(dataset: xr.Dataset, *, axes: SomeAxes | None = None) -> Figure:
    """Linear and angular velocity of the head in the world, against time. [BPK06, Figure 5]

    Args:
        dataset: a result of `cosserat.simulate`.
        axes: two axes to draw in; a new figure when None.
    """
    check_record(dataset, ("time", "head_velocity", "head_angular_velocity"))
    with styled():
        upper, lower = given_axes(axes, 2) or _rows(2)
        _components(upper, dataset["time"], dataset["head_velocity"].values, [f"$v_{a}$" for a in "xyz"])
        upper.set_ylabel(label("velocity", "m/s"))
        frame_label(upper, "Head in the world frame")
        spin = dataset["head_angular_velocity"].values
        _components(lower, dataset["time"], spin, [rf"$\omega_{a}$" for a in "xyz"])
        lower.set_ylabel(label("angular velocity", "rad/s"))
        lower.set_xlabel(label("time", "s"))
        return figure_of(upper)


def internal_moment(dataset: xr.Dataset, X: float | None = None, *, ax: Axes | None = None) -> Figure:
    """Components of the control torque at one section, in its own frame. [BPK06, Figure 9]

    Args:
        dataset: a result of `cosserat.simulate`.
        X: abscissa of the section [m], rounded to the nearest recorded station; the middle of the body when None.
        ax: axes to draw in; a new figure when None.
    """
    check_record(dataset, ("time", "X", "internal_moment"))
    with styled():
        ax = ax or _rows(1)[0]
        length = dataset["X"].values
        X = 0.5 * float(length[0] + length[-1]) if X is None else float(number("X", X))
        if not length[0] <= X <= length[-1]:
            raise ValueError(f"X = {X:g}: the body runs from {length[0]:g} to {length[-1]:g} m")
        section = dataset["internal_moment"].sel(X=X, method="nearest")
        _components(ax, dataset["time"], section.values, ["$M_1$ (torsion)", "$M_2$ (pitch)", "$M_3$ (yaw)"])
        ax.set_ylabel(label("internal moment", "N m"))
        ax.set_xlabel(label("time", "s"))
        frame_label(ax, f"Moment at X = {float(section['X']):.3g} m")
        return figure_of(ax)


def fluid_forces(dataset: xr.Dataset, *, axes: SomeAxes | None = None) -> Figure:
    """Forces of the fluid on the whole body, term by term, in the world.

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        axes: three axes (x, y, z) to draw in; when None, a new figure with the non-zero components.

    Raises:
        ValueError: the swim had no fluid.
    """
    if isinstance(dataset, xr.Dataset) and is_tree(dataset):
        check_record(dataset, ("time", "rotation"), made_by="multibody.simulate")
    else:
        check_record(dataset, ("time", "X", "orientation", "head_quaternion"))
    names = fluid_terms(dataset)
    if not names:
        raise ValueError("the dataset has no fluid loads: the body moved in the void")
    forces = {name: fluid_force(dataset, name) for name in names}
    total = np.sum(list(forces.values()), axis=0)
    size = np.max(np.abs(total), axis=0)
    with styled():
        rows = given_axes(axes, 3)
        shown = [k for k in range(3) if rows is not None or size[k] > NEGLIGIBLE * size.max()] or [0]
        rows = rows or _rows(len(shown), height=2.1)
        for ax, k in zip(rows, shown, strict=True):
            ax.axhline(0.0, color=BLACK, linewidth=0.6)
            for (name, force), colour in zip(forces.items(), TERMS, strict=False):
                words = name.removeprefix("fluid_").replace("_", " ")
                ax.plot(dataset["time"], force[:, k], color=colour, label=words)
            ax.plot(dataset["time"], total[:, k], color=BLACK, linewidth=1.0, linestyle="--", label="total")
            ax.set_ylabel(label(f"$F_{'xyz'[k]}$", "N"))
            ax.margins(x=0.0)
        frame_label(rows[0], "Fluid on the body")
        legend_outside(rows[0])
        for ax in rows:
            thin_where_crowded(ax)
        rows[-1].set_xlabel(label("time", "s"))
        return figure_of(rows[0])


def _rows(count: int, height: float = 2.4) -> list[Axes]:
    """Axes stacked vertically with a common time axis."""
    grid = new_figure(8.0, 0.6 + height * count).subplots(count, 1, sharex=True, squeeze=False)
    return [row[0] for row in grid]


def _components(ax: Axes, time: xr.DataArray, values: np.ndarray, names: list[str]) -> None:
    """Three components; those that are zero throughout are labelled so, and drawn first."""
    size = np.max(np.abs(values), axis=0)
    zero = size <= NEGLIGIBLE * max(size.max(), 1e-300)
    for k in sorted(range(3), key=lambda k: not zero[k]):
        style = ":" if zero[k] else "-"
        name = f"{names[k]} = 0" if zero[k] else names[k]
        ax.plot(time, values[:, k], color=COMPONENTS[k], linestyle=style, label=name)
    ax.margins(x=0.0)
    legend_outside(ax)
    thin_where_crowded(ax)
