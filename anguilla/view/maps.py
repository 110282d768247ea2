"""Space-time maps: a quantity over the whole body and the whole run."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .record import check_record
from .style import DIVERGING, SomeAxes, figure_of, frame_label, given_axes, label, new_figure, styled
from .vectors import fluid_terms

FIELDS = ("curvature", "moment", "lateral_force")


def space_time(dataset: xr.Dataset, *, axes: SomeAxes | None = None) -> Figure:
    """Curvature K3, moment M3 and lateral force of the fluid, over X and time.

    Args:
        dataset: a result of `cosserat.simulate`.
        axes: three axes to draw in; a new figure when None.
    """
    check_record(dataset, ("time", "X", "strain", "internal_moment"))
    with styled():
        columns = given_axes(axes, 3)
        if columns is None:
            columns = list(new_figure(10.0, 4.2).subplots(1, 3, sharex=True, sharey=True))
        for ax, name in zip(columns, FIELDS, strict=True):
            field_map(dataset, name, ax=ax)
        for ax in columns[1:]:
            ax.set_ylabel("")
        return figure_of(columns[0])


def field_map(dataset: xr.Dataset, field: str, *, ax: Axes | None = None) -> Figure:
    """One field over X and time, white at zero.

    Args:
        dataset: a result of `cosserat.simulate`.
        field: "curvature" (K3), "moment" (M3) or "lateral_force" (of the fluid, along t2, per metre).
        ax: axes to draw in; a new figure when None.
    """
    check_record(dataset, ("time", "X", "strain", "internal_moment"))
    title, unit, values = _field(dataset, field)
    with styled():
        ax = ax or new_figure(5.0, 4.2).add_subplot()
        figure = figure_of(ax)
        size = max(float(np.abs(values).max()), 1e-12)
        shown = ax.pcolormesh(
            dataset["X"], dataset["time"], values, cmap=DIVERGING, vmin=-size, vmax=size, shading="gouraud"
        )
        ax.set_xlabel(label("X", "m"))
        ax.set_ylabel(label("time", "s"))
        ax.grid(False)
        frame_label(ax, title)
        figure.colorbar(shown, ax=ax, location="bottom", pad=0.02, aspect=30).set_label(label(title, unit))
        return figure


def _field(dataset: xr.Dataset, field: str) -> tuple[str, str, np.ndarray]:
    """Name, unit and values of a field over time and X."""
    if field == "curvature":
        return "curvature $K_3$", "1/m", dataset["strain"].sel(strain_component="K3").values
    if field == "moment":
        return "moment $M_3$", "N m", dataset["internal_moment"].sel(section_axis="t3").values
    if field == "lateral_force":
        terms = [name for name in fluid_terms(dataset) if name.startswith("fluid_")]
        shape = (dataset.sizes["time"], dataset.sizes["X"])
        parts = [dataset[name].sel(wrench="f2").values for name in terms]
        return "fluid force $f_2$", "N/m", np.sum(parts, axis=0) if parts else np.zeros(shape)
    raise ValueError(f"field = {field!r}: must be one of {', '.join(FIELDS)}")
