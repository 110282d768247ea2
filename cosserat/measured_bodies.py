"""Measured bodies: from a table of sections, or from a mesh."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hydro.sections_of_mesh import mesh_profile
from hydro.sections_of_table import table_profile
from spatial import Numbers
from spatial.checks import of_kind
from spatial.table_headers import column_names, units_per_si
from spatial.user_warnings import warn

from .beam import Beam
from .density import Density
from .energy import volume

_UNITS = {"X": "m", "b": "m", "c": "m", "density": "kg/m3"}  # of the columns of a table
_RULE = "columns must be X, b, c and optionally density, each once"
_VOLUME = 0.01  # relative difference of volume between a mesh and its ellipses above which a warning is given
_BENT = 0.05  # distance of centroids from the axis, relative to the length, above which a warning is given


def from_table(
    path: str | Path,
    density: Numbers | Density | tuple[Numbers, Numbers] | None = None,
    nose_radius: Numbers = 0.0,
    masses: Sequence[Any] = (),
    *,
    round_ends: bool = True,
) -> Beam:
    """A body from a CSV file of sections: columns X, b, c and, optionally, density [m, m, m, kg/m³].

    The first line names the columns, in any order; a unit may follow, as in `X [cm]`, and is converted: m, cm, mm,
    kg/m³, g/cm³. Values between the rows are interpolated smoothly and without overshoot; semi-axes of zero at the
    nose or the tail close the body.

    >>> import pathlib, tempfile, cosserat
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "fish.csv"
    >>> _ = file.write_text("X,b,c,density\\n0,0,0,1000\\n0.1,0.02,0.03,1000\\n0.5,0.005,0.01,1100\\n")
    >>> float(cosserat.from_table(file).length)
    0.5

    Args:
        path: path of the file.
        density: density as for `Beam`, which replaces the column; 1000 kg/m³ if neither is given [kg/m³].
        nose_radius: radius of the nose [m].
        masses: point masses, see `Beam`.
        round_ends: whether zeros close the body like an ellipsoid (True) or like a cone; see `hydro.table_profile`.

    Raises:
        ValueError: a column is missing, repeated or unknown, its unit is unknown, or a cell is not a number; the
            message gives its row.
    """
    of_kind("path", path, str | Path, "the name of a file")
    columns = _read(Path(path))
    if density is None:
        density = (columns["X"], columns["density"]) if "density" in columns else 1000.0
    profile = table_profile(columns["X"], columns["b"], columns["c"], round_ends)
    return Beam(profile, density, nose_radius, masses=masses)


def from_mesh(
    mesh: str | Path | Any,
    density: Numbers | Density | tuple[Numbers, Numbers] = 1000.0,
    nose_radius: Numbers = 0.0,
    masses: Sequence[Any] = (),
    *,
    axis: str = "x",
    up: str = "z",
    scale: float = 1.0,
    sections: int = 60,
    flip: bool = False,
) -> Beam:
    """A body from a closed surface, with elliptic sections of the same area. Needs trimesh, the extra `mesh`.

    It warns if the volume of the body differs from that of the mesh by more than 1 %, or if the mesh is bent.

    Args:
        mesh: a file that trimesh reads (STL, OBJ, PLY, ...), or a trimesh.Trimesh.
        density: density as for `Beam` [kg/m³].
        nose_radius: radius of the nose [m].
        masses: point masses, see `Beam`.
        axis: axis of the mesh from nose to tail: "x", "y" or "z".
        up: axis of the mesh that becomes t3, along which the semi-axis is c.
        scale: length of the file's unit; 0.001 for millimetres [m].
        sections: number of sections along the axis.
        flip: True if the nose is at the far end of the axis.
    """
    fitted = mesh_profile(mesh, axis=axis, up=up, scale=scale, sections=sections, flip=flip)
    beam = Beam(fitted.profile, density, nose_radius, masses=masses)
    ours = float(volume(beam))
    if abs(ours - fitted.volume) > _VOLUME * fitted.volume:
        warn(
            f"the body has {ours:.4g} m³ and the mesh {fitted.volume:.4g} m³: raise `sections` (now {sections})",
        )
    if fitted.off_axis > _BENT * float(beam.length):
        warn(
            f"the mesh's sections lie up to {fitted.off_axis:.3g} m off a straight axis: the body is straight at rest",
        )
    return beam


def _read(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    if not rows:
        raise ValueError(f"{path}: empty: the first line must name the columns; {_RULE}")
    columns = column_names(path, rows[0])
    names = [name for name, _ in columns]
    for name in names:
        if name not in _UNITS or names.count(name) > 1:
            raise ValueError(f"{path}: column {name!r}: {_RULE}")
    for name in _UNITS:
        if name not in names and name != "density":
            raise ValueError(f"{path}: column {name!r} is missing: {_RULE}")
    scales = [units_per_si(path, name, unit, _UNITS[name]) for name, unit in columns]
    values = []
    for line, row in enumerate(rows[1:], start=2):
        try:
            if len(row) != len(names):
                raise ValueError
            values.append([float(cell) for cell in row])
        except ValueError:
            raise ValueError(f"{path}: row {line} is {row}: must be {len(names)} numbers") from None
    if len(values) < 2:
        raise ValueError(f"{path}: {len(values)} rows of numbers: must be two at least")
    return dict(zip(names, (np.array(values) / scales).T, strict=True))
