"""Space-time maps: a quantity over the whole body and the whole run."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .record import check_record
from .style import DIVERGING, SomeAxes, few_ticks, figure_of, frame_label, given_axes, label, new_figure, styled
from .vectors import fluid_terms, force_in_section

STRAINS = ("G1", "G2", "G3", "K1", "K2", "K3")
FIELDS = ("curvature", "moment", "lateral_force")  # of planar bending: K3, M3 and the force along t2
MOVING = 1e-9  # change of a strain over the run that counts as motion, relative to the largest one


def moving_strains(dataset: xr.Dataset) -> list[str]:
    """Components of the strain that change along the run, in the order (Γ1, Γ2, Γ3, K1, K2, K3)."""
    check_record(dataset, ("time", "X", "strain"))
    change = {
        name: float(np.ptp(dataset["strain"].sel(strain_component=name).values, axis=0).max()) for name in STRAINS
    }
    top = max(change.values())
    return [name for name in STRAINS if change[name] > MOVING * top] if top > 0.0 else ["K3"]


def space_time(dataset: xr.Dataset, *, axes: SomeAxes | None = None) -> Figure:
    """Every strain that varies, its conjugate internal force or moment, and the fluid's force, over X and time.

    One row for each strain: a planar swim has one (K3, M3, f2), a dive or a spiral two.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.view.space_time(swim).savefig("maps.png")

    Args:
        dataset: a result of `cosserat.simulate`.
        axes: three axes per row to draw in, row after row; a new figure when None.
    """
    check_record(dataset, ("time", "X", "strain", "internal_moment", "internal_force", "orientation"))
    strains = moving_strains(dataset)
    with styled():
        panels = given_axes(axes, 3 * len(strains))
        if panels is None:
            grid = new_figure(10.0, 4.2 * len(strains)).subplots(
                len(strains), 3, sharex=True, sharey=True, squeeze=False
            )
            panels = list(grid.ravel())
        fields = [field for strain in strains for field in _row(strain)]
        for ax, field in zip(panels, fields, strict=True):
            field_map(dataset, field, ax=ax)
        for k, ax in enumerate(panels):
            if k % 3:
                ax.set_ylabel("")
            if k < len(panels) - 3:
                ax.set_xlabel("")
        return figure_of(panels[0])


def field_map(dataset: xr.Dataset, field: str, *, ax: Axes | None = None) -> Figure:
    """One field over X and time, white at zero.

    Args:
        dataset: a result of `cosserat.simulate`.
        field: a strain ("G1" to "K3"), an internal force or moment in the section frame ("n1" to "n3", "M1" to "M3"), a
            component of the fluid's load per metre ("f1" to "c3"), or "curvature" (K3), "moment" (M3) and
            "lateral_force" (f2).
        ax: axes to draw in; a new figure when None.
    """
    check_record(dataset, ("time", "X", "strain", "internal_moment"))
    title, unit, values = _field(dataset, field)
    with styled():
        ax = ax or new_figure(5.0, 4.2).add_subplot()
        figure = figure_of(ax)
        size = max(float(np.abs(values).max()), 1e-12)
        shown = ax.pcolormesh(
            dataset["X"],
            dataset["time"],
            values,
            cmap=DIVERGING,
            vmin=-size,
            vmax=size,
            shading="gouraud",
            rasterized=True,
        )
        ax.set_xlabel(label("X", "m"))
        ax.set_ylabel(label("time", "s"))
        ax.grid(False)
        frame_label(ax, title)
        bar = figure.colorbar(shown, ax=ax, location="bottom", pad=0.02, aspect=30, ticks=few_ticks())
        bar.set_label(label(title, unit))
        return figure


def _row(strain: str) -> tuple[str, str, str]:
    """The strain, its conjugate internal force or moment, and the fluid load along the resulting motion."""
    number = strain[1]
    loads = {"G1": "f1", "G2": "f2", "G3": "f3", "K1": "c1", "K2": "f3", "K3": "f2"}
    return strain, ("n" if strain[0] == "G" else "M") + number, loads[strain]


def _field(dataset: xr.Dataset, field: str) -> tuple[str, str, np.ndarray]:
    """Name, unit and values of a field over time and X."""
    shorthand: dict[str, str] = dict(zip(FIELDS, ("K3", "M3", "f2"), strict=True))
    field = shorthand.get(field, field)
    if field in STRAINS:
        values = dataset["strain"].sel(strain_component=field).values
        if field[0] == "K":
            return f"{'torsion' if field == 'K1' else 'curvature'} $K_{field[1]}$", "1/m", values
        stretch = field == "G1"
        return (
            f"{'stretch' if stretch else 'shear'} $\\Gamma_{field[1]}{' - 1' if stretch else ''}$",
            "-",
            values - stretch,
        )
    if field in ("M1", "M2", "M3"):
        return f"moment $M_{field[1]}$", "N m", dataset["internal_moment"].sel(section_axis=f"t{field[1]}").values
    if field in ("n1", "n2", "n3"):
        return f"force $n_{field[1]}$", "N", force_in_section(dataset)[..., int(field[1]) - 1]
    if field in ("f1", "f2", "f3", "c1", "c2", "c3"):
        terms = [name for name in fluid_terms(dataset) if name.startswith("fluid_")]
        shape = (dataset.sizes["time"], dataset.sizes["X"])
        parts = [dataset[name].sel(wrench=field).values for name in terms]
        kind, unit = ("force", "N/m") if field[0] == "f" else ("couple", "N")
        return f"fluid {kind} ${field[0]}_{field[1]}$", unit, np.sum(parts, axis=0) if parts else np.zeros(shape)
    raise ValueError(
        f"field = {field!r}: must be one of {', '.join(FIELDS)}, a strain (G1 to K3), n1 to n3, M1 to M3, or f1 to c3"
    )
