"""Rigid bodies of a recorded tree as placed sections: one closed tube per link."""

import numpy as np
import xarray as xr
from jaxtyping import Float

from .surface import Sections

TREE = ("time", "body", "position", "rotation", "head_position", "parent")  # to draw a tree
RINGS = 14  # per link
ROD = 0.02  # radius of a link without a shape, relative to the size of the tree


def is_tree(dataset: xr.Dataset) -> bool:
    """Whether the record is that of a tree of rigid bodies."""
    return "body" in dataset.dims and "rotation" in dataset.variables


def links_at(dataset: xr.Dataset, time: float) -> tuple[Sections, ...]:
    """Sections of every link at a time of the run [s].

    A link with a shape (the strips on which a fluid acts) is drawn with its own sections; one without is a thin rod
    from its joint to those of its children.

    Args:
        dataset: a result of `multibody.simulate`.
        time: instant [s]; the nearest recorded one is drawn.
    """
    k = int(np.argmin(np.abs(dataset["time"].values - time)))
    position, rotation = dataset["position"].values[k], dataset["rotation"].values[k]
    return tuple(_placed(link, position[body], rotation[body]) for body, link in local_links(dataset).items())


def local_links(dataset: xr.Dataset) -> dict[int, Sections]:
    """Links that are drawn, in the frames of their bodies, by the number of the body."""
    shaped = _shaped(dataset) if "shape_body" in dataset.variables else {}
    links = {**_rods(dataset, set(shaped)), **shaped}
    return {body: links[body] for body in sorted(links)}


def tree_size(dataset: xr.Dataset) -> float:
    """Greatest extent of the tree at the first instant [m]."""
    points = np.concatenate([sections.position for sections in links_at(dataset, float(dataset["time"][0]))])
    return float(np.max(np.ptp(points, axis=0)))


def _placed(local: Sections, position, rotation) -> Sections:
    return Sections(position + local.position @ rotation.T, rotation @ local.rotation, local.b, local.c, local.fullness)


def _shaped(dataset: xr.Dataset) -> dict[int, Sections]:
    """Links with a shape, in their own frames, by the index of their body."""
    owner = dataset["shape_body"].values
    links = {}
    for body in np.unique(owner):
        mine = owner == body
        weight, axes = dataset["shape_length"].values[mine], dataset["shape_rotation"].values[mine][0]
        centre = dataset["shape_position"].values[mine]
        # Gauss points integrate the abscissa exactly, so their mean is the middle of the link.
        length, middle = weight.sum(), weight @ centre / weight.sum()
        along = (centre - middle) @ axes[:, 0]
        x = 0.5 * length * np.sin(0.5 * np.pi * np.linspace(-1.0, 1.0, RINGS))
        order = np.argsort(along)
        at = lambda name, mine=mine, x=x, along=along, order=order: np.interp(  # noqa: E731
            x, along[order], dataset[name].values[mine][order]
        )
        full = at("shape_fullness") if "shape_fullness" in dataset.variables else None
        links[int(body)] = _closed(middle + x[:, None] * axes[:, 0], axes, at("shape_b"), at("shape_c"), full)
    return links


def _rods(dataset: xr.Dataset, shaped: set[int]) -> dict[int, Sections]:
    """Rods for bodies without a shape, in their own frames; none for those whose joint coincides with a child's."""
    parent = dataset["parent"].values
    position, rotation = dataset["position"].values[0], dataset["rotation"].values[0]
    size = max(float(np.max(np.ptp(position, axis=0))), 1e-6)
    links = {}
    for child, body in enumerate(parent):
        arm = rotation[body].T @ (position[child] - position[body]) if body >= 0 else np.zeros(3)
        length = float(np.linalg.norm(arm))
        if body < 0 or int(body) in shaped or length < ROD * size:
            continue
        t1 = arm / length
        t2 = np.cross(t1, np.eye(3)[int(np.argmin(np.abs(t1)))])
        t2 = t2 / np.linalg.norm(t2)
        axes = np.stack([t1, t2, np.cross(t1, t2)], axis=-1)
        x = np.linspace(0.0, length, 4)
        radius = np.full(4, ROD * size)
        links.setdefault(int(body), _closed(x[:, None] * t1, axes, radius, radius))
    return links


def _closed(
    centre: Float[np.ndarray, "rings 3"],
    axes: Float[np.ndarray, "3 3"],
    b: np.ndarray,
    c: np.ndarray,
    fullness: np.ndarray | None = None,
) -> Sections:
    """A tube with one direction, closed at both ends by rings of zero size."""
    centre = np.concatenate([centre[:1], centre, centre[-1:]])
    b, c = (np.concatenate([[0.0], half, [0.0]]) for half in (b, c))
    full = None if fullness is None else np.concatenate([fullness[:1], fullness, fullness[-1:]])
    return Sections(centre, np.broadcast_to(axes, (len(b), 3, 3)), b, c, full)
