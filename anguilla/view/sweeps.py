"""Maps of a sweep over its two longest axes."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from .record import check_record
from .style import INK, SEQUENTIAL, frame_label, label, new_figure, styled


def sweep_maps(result: xr.Dataset, names: tuple[str, ...] = ("speed", "cost_of_transport")) -> Figure | None:
    """One map per result; the other axes are at their middle. None if fewer than two axes have several values.

    Args:
        result: result of `anguilla.sweep`.
        names: the results to draw.
    """
    check_record(result, names, name="result", made_by="anguilla.sweep")
    sizes = {axis: size for axis, size in result[names[0]].sizes.items() if size > 1}
    if len(sizes) < 2:
        return None
    across, up = (str(axis) for axis in sorted(sizes, key=lambda axis: -sizes[axis])[:2])
    middle = {axis: size // 2 for axis, size in result[names[0]].sizes.items() if axis not in (across, up)}
    with styled():
        figure = new_figure(5.0 * len(names), 4.2)
        for ax, name in zip(np.atleast_1d(figure.subplots(1, len(names))), names, strict=True):
            values = result[name].isel(middle).transpose(up, across)
            mesh = ax.pcolormesh(
                values[across], values[up], values, cmap=SEQUENTIAL, shading="nearest", rasterized=True
            )
            if np.isfinite(values).all() and min(values.shape) > 2:
                lines = ax.contour(values[across], values[up], values, levels=7, colors="white", linewidths=0.8)
                ax.clabel(lines, fontsize=8)
            ax.grid(False)
            ax.set_xlabel(_axis(result, across))
            ax.set_ylabel(_axis(result, up))
            figure.colorbar(mesh, ax=ax, label=_axis(result, name))
            frame_label(ax, str(values.attrs.get("long_name", name)).capitalize())
        if middle:
            units = {axis: result[axis].attrs.get("units", "") for axis in middle}
            held = ", ".join(f"{axis} {float(result[axis][k]):.4g} {units[axis]}" for axis, k in middle.items())
            figure.supxlabel(held, fontsize=9, color=INK)
        return figure


def _axis(result: xr.Dataset, name: str) -> str:
    attrs = result[name].attrs
    unit = attrs.get("units", "1")
    return label(attrs.get("long_name", name), "-" if unit == "1" else unit)
