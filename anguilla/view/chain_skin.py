"""A chain of rigid links as sections along one body, so that figures of a beam also work for a chain."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.spatial.transform import Rotation

from hydro import Profile
from multibody import Tree
from spatial.checks import shown

from .record import check_record

STATIONS = 16  # per link
KINK = 1e-6  # part of a link's length over which the skin passes to the next link


def chain_body(dataset: xr.Dataset, tree: Tree, profile: Profile) -> xr.Dataset:
    """Position and orientation of sections along a chain whose links follow one another in X.

    Each link is rigid and has its own sections; orientation changes only at the joints.

    Args:
        dataset: a result of `multibody.simulate`.
        tree: the tree; its bodies with a strip are the links of the chain, in order.
        profile: sections along the whole chain.

    Returns:
        A dataset over `time` and `X` with `position`, `orientation`, `semiaxis_b`, `semiaxis_c` and
        `head_position`, named as in a simulation of the beam.

    Raises:
        ValueError: the links are not as long as the profile, or there are none.
    """
    check_record(dataset, ("time", "position", "rotation"), made_by="multibody.simulate")
    if not isinstance(tree, Tree):
        raise ValueError(f"tree = {shown(tree)}: must be the multibody.Tree that moved")
    if tree.strips is None:
        raise ValueError("chain_body: no body of the tree has a strip")
    points, owner = tree.strips.points, np.array(tree.strips.body)
    share = 0.5 - 0.5 * np.cos(np.pi * np.linspace(0.0, 1.0, STATIONS))
    share = KINK + (1.0 - 2.0 * KINK) * share
    X, place, turn, begin = [], [], [], 0.0
    upward = None  # t3 of the previous link, in the world at the first instant
    for link in np.unique(owner):
        mine = np.flatnonzero(owner == link)
        weight, axes = np.asarray(points.weight)[mine], np.asarray(points.rotation)[mine[0]]
        length = float(weight.sum())
        # Gauss points integrate the abscissa exactly: their mean is the middle of the link.
        middle = weight @ np.asarray(points.position)[mine] / length
        local = middle + length * (share - 0.5)[:, None] * axes[:, 0]
        rotation = dataset["rotation"].values[:, link]
        if upward is not None and (rotation[0] @ axes)[:, 2] @ upward < 0:
            axes = axes * np.array([1.0, -1.0, -1.0])  # same ellipse, dorsal side aligned with the previous link
        upward = (rotation[0] @ axes)[:, 2]
        place.append(dataset["position"].values[:, None, link] + np.einsum("tij,sj->tsi", rotation, local))
        across = Rotation.from_matrix(rotation @ axes).as_quat(scalar_first=True)
        turn.append(np.repeat(across[:, None], STATIONS, axis=1))
        X.append(begin + length * share)
        begin += length
    if abs(begin - float(profile.length)) > 1e-6 * begin:
        raise ValueError(f"chain_body: links are {begin:g} m long in all, the profile {float(profile.length):g} m")
    X = np.concatenate(X)
    section = jax.vmap(profile)(jnp.asarray(X))
    metre = lambda values, meaning: (values, {"units": "m", "long_name": meaning})  # noqa: E731
    return xr.Dataset(
        {
            "position": (("time", "X", "axis"), *metre(np.concatenate(place, 1), "section centres in the world")),
            "orientation": (("time", "X", "quaternion"), np.concatenate(turn, 1), {"units": "1"}),
            "semiaxis_b": ("X", *metre(np.asarray(section.b), "semi-axis along t2")),
            "semiaxis_c": ("X", *metre(np.asarray(section.c), "semi-axis along t3")),
            "head_position": dataset["head_position"],
        },
        coords={
            "time": dataset["time"],
            "X": ("X", *metre(X, "abscissa from the nose")),
            "axis": dataset["axis"],
            "quaternion": dataset["quaternion"],
        },
        attrs={"title": "anguilla: sections of a chain"},
    )
