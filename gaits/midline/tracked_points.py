"""Reads tracked points of a body from a table and checks them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spatial import Numbers, finite, increasing, positive
from spatial.table_headers import column_names, units_per_si

LEAST_POINTS, LEAST_FRAMES = 5, 8
OFF_LENGTH = 0.1  # largest accepted relative difference between the distance along the points and X
OFF_PLANE = 0.02  # largest accepted range of z, in body lengths
UNITS = {"time": "s", "X": "m", "x": "m", "y": "m", "z": "m"}  # of the columns of a CSV file
TAIL_FIRST = 0.5  # largest accepted backward motion, in body lengths


@dataclass(frozen=True)
class TrackedPoints:
    """Points of a body in a plane.

    Attributes:
        times: times of the frames [s].
        X: abscissae of the points from the nose [m].
        points: x and y in the world [m]; NaN where a point was not seen.
        length: length of the body [m].
    """

    times: np.ndarray
    X: np.ndarray
    points: np.ndarray
    length: float

    @property
    def seen(self) -> np.ndarray:
        """Whether each point was seen in each frame, and its frame has enough points to be used."""
        seen = np.isfinite(self.points).all(-1)
        return seen & (seen.sum(1) >= 4)[:, None]


def read_points(table: Any, length: Numbers | None, y_down: bool) -> TrackedPoints:
    """Reads and checks a table; see `from_midline`."""
    name, times, X, points = _arrays(table)
    times = np.asarray(increasing(f"{name}: time", times, "s"))
    points = np.array(points, float)
    if points.ndim != 3 or points.shape[0] != times.size or points.shape[2] not in (2, 3):
        raise ValueError(f"{name}: points have shape {points.shape}: must be ({times.size} times, points, 2 or 3)")
    if np.isinf(points).any():
        raise ValueError(f"{name}: infinite coordinates; write NaN for a point that was not seen")
    count = points.shape[1]
    if count < LEAST_POINTS or times.size < LEAST_FRAMES:
        raise ValueError(
            f"{name}: {count} points in {times.size} frames: must be at least {LEAST_POINTS} points in "
            f"{LEAST_FRAMES} frames"
        )
    unseen = ~np.isfinite(points).all(-1)
    if unseen.all(0).any():
        raise ValueError(f"{name}: point {int(np.argmax(unseen.all(0)))} is seen in no frame")
    if unseen.mean() > 0.5:
        raise ValueError(f"{name}: {unseen.mean():.0%} of the points are missing: at least half must be seen")
    steps = np.linalg.norm(np.diff(points, axis=1), axis=-1)
    if np.isnan(steps).all(0).any():
        k = int(np.argmax(np.isnan(steps).all(0)))
        raise ValueError(f"{name}: points {k} and {k + 1} are never seen together")
    chords = np.nanmedian(steps, axis=0)
    if X is None:
        along = np.concatenate([[0.0], np.cumsum(chords)])
        L = float(along[-1]) if length is None else float(positive("length", length, "m", ()))
        X = along * (L / along[-1])
        what = f"length = {L:g} m"
    else:
        X = np.asarray(increasing(f"{name}: X", finite(f"{name}: X", X, (count,)), "m"))
        L = float(X[-1]) if length is None else float(positive("length", length, "m", ()))
        if X[0] < 0.0 or X[-1] > L * (1.0 + 1e-9):
            raise ValueError(f"{name}: X runs from {X[0]:g} to {X[-1]:g}: must lie on the body, between 0 and {L:g} m")
        along, what = np.concatenate([[0.0], np.cumsum(chords)]), f"X, which spans {X[-1] - X[0]:g} m"
    ratio = along[-1] / (X[-1] - X[0])
    if abs(ratio - 1.0) > OFF_LENGTH:
        raise ValueError(
            f"{name}: the distance along the points is {along[-1]:g}, {ratio:.3g} times what is expected of {what}: "
            "coordinates, X and length must be in metres, not in pixels or millimetres, and the points in order from "
            "the nose to the tail"
        )
    points = _in_plane(name, points, L)
    if y_down:
        points = points * np.array([1.0, -1.0])
    _refuse_tail_first(name, points, L)
    return TrackedPoints(times, X, points, L)


def _in_plane(name, points, length):
    if points.shape[2] == 3:
        depth = float(np.nanmax(points[..., 2]) - np.nanmin(points[..., 2]))
        if depth > OFF_PLANE * length:
            raise ValueError(
                f"{name}: the points leave the plane of x and y by {depth:g} m, more than {OFF_PLANE:g} lengths: only "
                "plane motions are fitted; turn the axes so that z is normal to the plane"
            )
    return points[..., :2]


def _refuse_tail_first(name, points, length):
    """Raises ValueError if the body travels with its last point ahead: the points are then numbered from the tail."""
    whole = points[np.isfinite(points[:, [0, -1]]).all((1, 2))]  # frames that show both ends
    if len(whole) < 2:
        return
    ahead = (whole[:, 0] - whole[:, -1]).mean(0)
    ahead = ahead / np.linalg.norm(ahead)
    ends = 0.5 * (whole[:, 0] + whole[:, -1])
    if (ends[-1] - ends[0]) @ ahead < -TAIL_FIRST * length:
        raise ValueError(
            f"{name}: the body travels with its last point ahead: X and the order of the points must run from the "
            "nose to the tail"
        )


def _arrays(table: Any) -> tuple[str, Any, Any, Any]:
    """Name, times, X (None if not given) and points (frames, points, 2 or 3) of any kind of table."""
    if isinstance(table, tuple):
        if len(table) not in (2, 3):
            raise ValueError(f"table: a tuple of {len(table)}: must be (times, points) or (times, X, points)")
        times, *X, points = table
        return "table", times, X[0] if X else None, points
    if isinstance(table, str | Path):
        path = Path(table)
        if not path.exists():
            raise ValueError(f"{path}: no such file")
        if path.suffix == ".csv":
            return str(path), *_from_csv(path)
        import xarray as xr

        return str(path), *_from_dataset(str(path), xr.load_dataset(path))
    if hasattr(table, "dims") and hasattr(table, "variables"):
        return "table", *_from_dataset("table", table)
    raise ValueError(
        f"table is a {type(table).__name__}: must be a CSV or NetCDF file, an xarray dataset, (times, points) or "
        "(times, X, points)"
    )


def _lines(path: Path):
    return path.read_text(encoding="utf-8-sig").splitlines()


def _from_csv(path: Path):
    filled = [(number, line) for number, line in enumerate(_lines(path), start=1) if line.strip()]
    numbered = [filled[0], *(row for row in filled[1:] if not row[1].lstrip().startswith("#"))] if filled else []
    if len(numbered) < 2:
        raise ValueError(f"{path}: {len(numbered)} lines: must have a line that names the columns, and rows of numbers")
    header = column_names(path, numbered[0][1].lstrip("# ").split(","))
    given = [name for name, _ in header]
    for name in UNITS:
        if given.count(name) > 1:
            raise ValueError(f"{path}: column {name!r} appears twice")
    for number, line in numbered[1:]:
        if len(line.split(",")) != len(given):
            raise ValueError(
                f"{path}: row {number} has {len(line.split(','))} values, and the first line names {len(given)} "
                "columns: values are separated by commas, with a point as the decimal separator"
            )
    rows = np.atleast_1d(np.genfromtxt([line for _, line in numbered[1:]], delimiter=",", names=given))
    columns = set(rows.dtype.names or ())
    for name, unit in header:
        if name in UNITS:
            rows[name] /= units_per_si(path, name, unit, UNITS[name])
    missing = [name for name in ("time", "x", "y") if name not in columns]
    which = next((name for name in ("X", "point") if name in columns), None)
    if missing or which is None:
        absent = missing[0] if missing else "X"
        raise ValueError(f"{path}: column {absent!r} is missing; needs time, X (or point), x, y and maybe z")
    for name in ("time", which):
        if not np.isfinite(rows[name]).all():
            row = int(np.argmin(np.isfinite(rows[name])))
            raise ValueError(f"{path}: row {numbered[row + 1][0]}: {name} is not a number")
    if np.any(np.diff(rows["time"]) < 0.0):
        row = int(np.argmax(np.diff(rows["time"]) < 0.0))
        raise ValueError(f"{path}: row {numbered[row + 2][0]}: time must not decrease from row to row [s]")
    times, labels = np.unique(rows["time"]), np.unique(rows[which])
    if len(rows) != len(times) * len(labels):
        raise ValueError(
            f"{path}: {len(rows)} rows for {len(times)} times and {len(labels)} points: the table has gaps; write a "
            "row with nan for each point that was not seen"
        )
    order = np.lexsort((rows[which], rows["time"]))
    if not np.array_equal(rows[which][order].reshape(len(times), -1)[0], labels):
        raise ValueError(f"{path}: the same {which} appears twice in a frame")
    axes = [rows[name][order].reshape(len(times), len(labels)) for name in ("x", "y", "z") if name in columns]
    return times, labels if which == "X" else None, np.stack(axes, axis=-1)


def _from_dataset(name: str, data: Any):
    if "position" not in data or not {"time", "X", "axis"} <= set(data["position"].dims):
        raise ValueError(f"{name}: needs the variable `position` over time, X and axis [m], as `simulate` writes it")
    if "axis" in data.coords:
        labels = [str(label) for label in data["axis"].values]
        if labels not in (["x", "y"], ["x", "y", "z"]):
            raise ValueError(
                f"{name}: axes {labels}: must be x, y or x, y, z in this order; exchanged axes mirror the motion"
            )
    position = data["position"].transpose("time", "X", "axis")
    return data["time"].values.astype(float), data["X"].values.astype(float), position.values
