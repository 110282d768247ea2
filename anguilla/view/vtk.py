"""Export for ParaView: one surface file per instant and a collection that lists them with their times."""

import base64
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from .skin import field_on_skin, skin

TYPES = {"f8": "Float64", "i8": "Int64"}


def write_vtk(
    dataset: xr.Dataset,
    path: str | Path,
    fields: str | Sequence[str] | None = None,
    *,
    frames: int = 61,
    rings: int = 60,
    around: int = 20,
) -> Path:
    """Writes PATH (.pvd) and one .vtp file per instant next to it; returns the path to open in ParaView.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.view.write_vtk(swim, "swim.pvd", fields="internal_moment", frames=3).name
    'swim.pvd'

    Args:
        dataset: result of `cosserat.simulate` or `multibody.simulate`.
        path: the collection; must end in .pvd.
        fields: one or several variables along the body (over the bodies of a tree); their magnitudes become point data
            of the surface. When None, internal moment and drag where they are recorded.
        frames: number of even instants.
        rings: number of rings of the surface along the body.
        around: number of points per ring.

    Raises:
        ValueError: the name does not end in .pvd, or there is no such field.
    """
    path = Path(path)
    if path.suffix != ".pvd":
        raise ValueError(f"path = {str(path)!r}: must end in .pvd")
    if fields is None:
        fields = [name for name in ("internal_moment", "fluid_drag") if name in dataset.variables]
    names = [fields] if isinstance(fields, str) else list(fields)
    surface = skin(dataset, frames, rings, around)
    painted = {name: field_on_skin(dataset, surface, name)[0] for name in names}
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for k, t in enumerate(surface.time):
        piece = path.with_name(f"{path.stem}_{k:04d}.vtp")
        piece.write_text(_surface(surface.points[k], surface.triangles, {n: v[k] for n, v in painted.items()}))
        rows.append(f'<DataSet timestep="{t:.9g}" part="0" file="{piece.name}"/>')
    path.write_text(_file("Collection", "<Collection>\n" + "\n".join(rows) + "\n</Collection>"))
    return path


def _surface(points, triangles, fields):
    ends = 3 * np.arange(1, len(triangles) + 1)
    data = "".join(_array(name, values) for name, values in fields.items())
    piece = (
        f'<PolyData><Piece NumberOfPoints="{len(points)}" NumberOfPolys="{len(triangles)}">\n'
        f"<PointData>\n{data}</PointData>\n<Points>\n{_array('points', points, 3)}</Points>\n"
        f"<Polys>\n{_array('connectivity', triangles.ravel())}{_array('offsets', ends)}</Polys>\n</Piece></PolyData>"
    )
    return _file("PolyData", piece)


def _file(kind, body):
    return (
        f'<?xml version="1.0"?>\n<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" '
        f'header_type="UInt64">\n{body}\n</VTKFile>\n'
    )


def _array(name, values, components=1):
    """An array in VTK's inline binary format: base64 of its length in bytes, then of the bytes."""
    code = "f8" if np.asarray(values).dtype.kind == "f" else "i8"
    raw = np.ascontiguousarray(values, dtype=f"<{code}").tobytes()
    text = base64.b64encode(struct.pack("<Q", len(raw)) + raw).decode()
    return (
        f'<DataArray type="{TYPES[code]}" Name="{name}" NumberOfComponents="{components}" format="binary">'
        f"{text}</DataArray>\n"
    )
