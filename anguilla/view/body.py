"""Sections to draw, from the recorded body of a dataset."""

import numpy as np
import xarray as xr
from jaxtyping import Float

from spatial import positive

from .links import is_tree, links_at, tree_size
from .record import check_body, check_record
from .surface import AROUND, Mesh, Sections, eel_skin, join, plain_skin, rotation_matrices, tube

PLANAR = 0.02  # deviation from its plane of a motion that is drawn as planar, relative to the body length
EYE_ABSCISSA = 0.8  # in semi-axes of the head
EYE_ANGLE = 0.65  # above the flank [rad]
METAL = "#8A97A6"  # colour of the links of a tree
INSTANTS = 40  # at which the extent of a tree is measured


def drawn_abscissae(dataset: xr.Dataset, rings: int = 110) -> Float[np.ndarray, "rings"]:
    """Abscissae of the rings to draw [m]: evenly spaced, denser at the round ends."""
    X = dataset["X"].values
    b = dataset["semiaxis_b"].values
    nose, tail = float(b.max()), float(X[-1] - X[0]) * 0.025
    bend = 1.0 - np.cos(np.linspace(0.0, np.pi / 2, 9))
    middle = np.linspace(X[0] + nose, X[-1] - tail, max(rings - 16, 4))
    return np.concatenate([X[0] + nose * bend[:-1], middle, X[-1] - tail * bend[-2::-1]])


def sections_at(dataset: xr.Dataset, time: float, rings: int = 110) -> Sections:
    """Sections of the body at any time of the run [s], interpolated between the recorded instants.

    The squares of the semi-axes are interpolated, because they stay smooth at the round ends.
    """
    check_record(dataset)
    X, x = dataset["X"].values, drawn_abscissae(dataset, rings)
    position, quaternion = _instant(dataset, time)
    quaternion = _aligned(quaternion)
    quaternion = np.stack([np.interp(x, X, q) for q in quaternion.T], axis=-1)
    quaternion = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    b, c = (np.sqrt(np.interp(x, X, dataset[name].values ** 2)) for name in ("semiaxis_b", "semiaxis_c"))
    b[[0, -1]], c[[0, -1]] = 0.0, 0.0  # closes the skin
    full = np.interp(x, X, dataset["section_fullness"].values) if "section_fullness" in dataset.variables else None
    centre = np.stack([np.interp(x, X, p) for p in position.T], axis=-1)
    return Sections(centre, rotation_matrices(quaternion), b, c, full)


def parts_at(dataset: xr.Dataset, time: float, rings: int = 110) -> tuple[Sections, ...]:
    """Sections of every part of the body at a time [s]: the one part of a beam, or the links of a tree."""
    check_body(dataset)
    return links_at(dataset, time) if is_tree(dataset) else (sections_at(dataset, time, rings),)


def heads_at(dataset: xr.Dataset, time: float) -> tuple[Sections, ...]:
    """The parts that have eyes: the body of a beam, no link of a tree."""
    return () if is_tree(dataset) else (sections_at(dataset, time),)


def body_mesh(
    dataset: xr.Dataset,
    time: float,
    rings: int = 110,
    around: int = AROUND,
    colour: str | Float[np.ndarray, "rings around 3"] | None = None,
) -> Mesh:
    """The skin of a recorded body at a time [s].

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        time: instant [s].
        rings: number of rings along a beam.
        around: number of points per ring.
        colour: "#rrggbb", or red, green and blue of each face of a beam between 0 and 1; when None that of an eel
            for a beam, and metal for a tree.
    """
    parts = parts_at(dataset, time, rings)
    if isinstance(colour, np.ndarray):
        return tube(parts[0], colour)
    if colour is None and not is_tree(dataset):
        return tube(parts[0], eel_skin(len(parts[0].b), around))
    return join(*(tube(part, plain_skin(len(part.b), colour or METAL, around)) for part in parts))


def eyes(sections: Sections) -> list[tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3"]]]:
    """Left and right eye: point on the skin in the world [m] and direction of sight."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(sections.position, axis=0), axis=1))])
    ring = int(np.searchsorted(along, EYE_ABSCISSA * sections.b.max()))
    angles = np.array([EYE_ANGLE, np.pi - EYE_ANGLE])
    points, normals = sections.on_skin(ring, angles)
    return list(zip(points, normals, strict=True))


def snapshot_interval(dataset: xr.Dataset) -> float:
    """A round interval at which six to nine bodies show the run, the last at its end where possible [s]."""
    duration = float(dataset["time"][-1] - dataset["time"][0])
    step = 10.0 ** np.floor(np.log10(duration / 8.0))
    rounds = step * np.array([1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])
    steps = duration / rounds
    whole = rounds[(np.abs(steps - np.round(steps)) < 1e-6) & (steps > 4.5) & (steps < 8.5)]
    among = whole if len(whole) else rounds
    return float(among[np.argmin(np.abs(np.floor(duration / among + 1e-6) - 7.5))])


def snapshot_times(dataset: xr.Dataset, every: float) -> Float[np.ndarray, "snapshots"]:
    """Times from the first to the last at intervals of `every` [s].

    Raises:
        ValueError: `every` is not positive.
    """
    every = float(positive("every", every, "s", ()))
    first, last = float(dataset["time"][0]), float(dataset["time"][-1])
    return first + every * np.arange(int(np.floor((last - first) / every + 1e-6)) + 1)


def is_planar(dataset: xr.Dataset) -> bool:
    """Whether the whole body stays in one horizontal plane, as far as a picture shows."""
    z = dataset["position"].sel(axis="z").values
    return bool(np.ptp(z) <= PLANAR * body_length(dataset))


def body_length(dataset: xr.Dataset) -> float:
    """Length of a beam along X, or largest extent of a tree at the start [m]."""
    return tree_size(dataset) if is_tree(dataset) else float(dataset["X"][-1] - dataset["X"][0])


def grid_step(dataset: xr.Dataset, side: float = 0.0) -> float:
    """Spacing of grids and ticks: 1, 2 or 5 times a power of ten, about a quarter of the body [m].

    Args:
        dataset: a record.
        side: longest side of the scene [m]; the spacing is at least about an eighth of it.
    """
    quarter = max(0.25 * body_length(dataset), 0.125 * side)
    steps = 10.0 ** np.floor(np.log10(quarter)) * np.array([1.0, 2.0, 5.0, 10.0])
    return float(steps[np.argmin(np.abs(np.log(steps / quarter)))])


def motion_bounds(dataset: xr.Dataset) -> tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3"]]:
    """Smallest and largest x, y, z that the body reaches during the run [m]."""
    if not is_tree(dataset):
        points, radius = dataset["position"].values, float(dataset["semiaxis_c"].max())
        return points.min(axis=(0, 1)) - radius, points.max(axis=(0, 1)) + radius
    times = dataset["time"].values
    chosen = times[np.unique(np.linspace(0, len(times) - 1, INSTANTS).astype(int))]
    skins = [body_mesh(dataset, float(time), around=8).corners.reshape(-1, 3) for time in chosen]
    return np.min([skin.min(axis=0) for skin in skins], axis=0), np.max([skin.max(axis=0) for skin in skins], axis=0)


def _instant(dataset, time):
    """Positions and quaternions at a time, by linear interpolation between recorded instants."""
    times = dataset["time"].values
    if not times[0] - 1e-9 <= time <= times[-1] + 1e-9:
        raise ValueError(f"time = {time:g}: the data run from {times[0]:g} to {times[-1]:g} s")
    after = int(np.clip(np.searchsorted(times, time), 1, len(times) - 1))
    share = float(np.clip((time - times[after - 1]) / (times[after] - times[after - 1]), 0.0, 1.0))
    position, quaternion = (
        dataset[name].isel(time=slice(after - 1, after + 1)).values for name in ("position", "orientation")
    )
    sign = np.sign(np.sum(quaternion[0] * quaternion[1], axis=-1, keepdims=True))
    return (
        (1 - share) * position[0] + share * position[1],
        (1 - share) * quaternion[0] + share * sign * quaternion[1],
    )


def _aligned(quaternion):
    """The same rotations, with quaternion signs continuous along the body."""
    jumps = np.sum(quaternion[1:] * quaternion[:-1], axis=-1) < 0
    sign = np.concatenate([[1.0], np.where(np.cumsum(jumps) % 2, -1.0, 1.0)])
    return quaternion * sign[:, None]
