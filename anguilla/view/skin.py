"""Surface of a recorded body over time, with fields at its vertices, for interactive views and exports."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Float, Int

from .body import drawn_abscissae, parts_at
from .colouring import field_along
from .links import is_tree, local_links
from .record import check_body
from .surface import ring_points


@dataclass(frozen=True)
class Skin:
    """A moving triangulated surface.

    Attributes:
        time: instants [s].
        points: vertices in the world at each instant, ring after ring [m].
        triangles: three vertex indices each, outward by the right-hand rule.
        abscissa: X of the ring of each vertex [m]; for a tree, the number of its body.
    """

    time: Float[np.ndarray, "times"]
    points: Float[np.ndarray, "times corners 3"]
    triangles: Int[np.ndarray, "triangles 3"]
    abscissa: Float[np.ndarray, "corners"]


def skin(
    dataset: xr.Dataset, frames: int = 61, rings: int = 60, around: int = 20, span: tuple[float, float] | None = None
) -> Skin:
    """The surface at even instants of a recorded run.

    Args:
        dataset: result of `cosserat.simulate` or `multibody.simulate`.
        frames: number of instants, including the first and the last.
        rings: number of rings along the body.
        around: number of points per ring.
        span: first and last instant [s]; those of the record when None.
    """
    check_body(dataset)
    for name, value, least in (("frames", frames, 2), ("rings", rings, 24), ("around", around, 3)):
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} = {value!r}: must be an integer of at least {least}")
    begin, end = (float(dataset["time"][0]), float(dataset["time"][-1])) if span is None else span
    time = np.linspace(begin, end, frames)

    def instant(t: float) -> Float[np.ndarray, "corners 3"]:
        return np.concatenate([ring_points(part, around).reshape(-1, 3) for part in parts_at(dataset, t, rings)])

    points = np.stack([instant(t) for t in time])
    if is_tree(dataset):
        sizes = {body: len(link.b) for body, link in local_links(dataset).items()}
        X = np.concatenate([np.full(size, float(body)) for body, size in sizes.items()])
    else:
        X = drawn_abscissae(dataset, rings)
        sizes = {0: len(X)}
    first = np.concatenate([[0], np.cumsum(list(sizes.values()))[:-1]]) * around
    triangles = np.concatenate([k + _triangles(size, around) for k, size in zip(first, sizes.values(), strict=True)])
    return Skin(time, points, triangles, np.repeat(X, around))


def default_field(dataset: xr.Dataset) -> str:
    """The field that colours a skin unless another is chosen: internal moment, or drag, or velocity of the links."""
    for name in ("internal_moment", "fluid_drag", "body_twist"):
        if name in dataset.variables:
            return name
    raise ValueError("dataset has no internal_moment, fluid_drag or body_twist: choose a field")


def field_on_skin(
    dataset: xr.Dataset, surface: Skin, name: str, component: str | None = None
) -> tuple[Float[np.ndarray, "times corners"], str]:
    """A field of the record at the vertices of the surface, and its label with the unit.

    Args:
        dataset: the record.
        surface: the surface, of the same record.
        name: variable over (time, X) or (time, body), with components or without, such as "internal_moment" or
            "fluid_drag".
        component: one label of the last dimension; None for the magnitude of its first three components.

    Raises:
        ValueError: there is no such variable along the body, or no such component.
    """
    values, label = field_along(dataset, name, component)
    in_time = np.stack([np.interp(surface.time, dataset["time"].values, column) for column in values.T], axis=-1)
    if is_tree(dataset):
        return in_time[:, surface.abscissa.astype(int)], label
    on_skin = np.stack([np.interp(surface.abscissa, dataset["X"].values, row) for row in in_time])
    return on_skin, label


def _triangles(rings, around):
    corner = np.arange(rings * around).reshape(rings, around)
    after = np.roll(corner, -1, axis=1)
    a, b, c, d = corner[:-1], after[:-1], after[1:], corner[1:]
    # t2, t3 are right-handed about t1, which points from ring to ring: a, b, c is outward.
    return np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
