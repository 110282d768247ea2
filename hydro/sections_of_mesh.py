"""Profiles from meshes: cross-sections along an axis, each replaced by an equivalent ellipse."""

from pathlib import Path
from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Float

from spatial import one_of, positive
from spatial.checks import integer

from .profiles import Profile
from .sections_of_table import table_profile

AXES = ("x", "y", "z")
_CLOSED = 1e-3  # an end whose area is smaller, relative to the largest area, is closed to a point


class MeshProfile(eqx.Module):
    """A profile fitted to a mesh, with properties of the mesh.

    Attributes:
        profile: the fitted sections.
        volume: volume of the mesh [m³].
        nose: first point of the axis (the nose), in the scaled coordinates of the mesh [m].
        off_axis: largest distance of a section's centroid from the axis [m].
    """

    profile: Profile
    volume: float = eqx.field(static=True)
    nose: tuple[float, float, float] = eqx.field(static=True)
    off_axis: float = eqx.field(static=True)


def mesh_profile(
    mesh: str | Path | Any,
    *,
    axis: str = "x",
    up: str = "z",
    scale: float = 1.0,
    sections: int = 60,
    flip: bool = False,
) -> MeshProfile:
    """Fits a profile of elliptic sections to a closed surface. Needs trimesh: pip install "anguilla[mesh]".

    The axis of the body is the line along `axis` through the mean centroid of the sections. Each section becomes the
    ellipse of the same area whose second moments have the same ratio.

    Args:
        mesh: a file that trimesh reads (STL, OBJ, PLY, ...), or a trimesh.Trimesh.
        axis: axis of the mesh along the body, from nose to tail: "x", "y" or "z".
        up: axis of the mesh that becomes t3, along which the semi-axis is c.
        scale: length of the mesh unit in metres, such as 0.001 for millimetres [m].
        sections: number of sections, at least 8.
        flip: True if the nose is at the far end of the axis.

    Raises:
        ImportError: trimesh is missing.
        ValueError: the surface is not closed, or the axes are the same.
    """
    along, high = (_axis(name, value) for name, value in (("axis", axis), ("up", up)))
    if along == high:
        raise ValueError(f"mesh_profile: axis = up = {axis!r}: must differ")
    sections = integer("mesh_profile: sections", sections, 8)
    surface = _closed(mesh)
    metres = float(positive("mesh_profile: scale", scale, "m", ()))
    third = 3 - along - high
    points = metres * np.asarray(surface.vertices, float)[:, [along, third, high]]
    sign = -1.0 if flip else 1.0
    points = points * np.array([sign, 1.0, 1.0])
    begin, end = points[:, 0].min(), points[:, 0].max()
    length = end - begin
    # Sections are denser at the ends, where bodies close like a square root, and never exactly at the end vertices.
    X = 0.5 * length * (1.0 - np.cos(np.pi * np.linspace(0.0, 1.0, sections)))
    cut = begin + np.clip(X, 1e-6 * length, (1.0 - 1e-6) * length)
    triangles = points[np.asarray(surface.faces)]
    rows = np.array([_moments(triangles, x) for x in cut])
    area = np.abs(rows[:, 0])
    inside = area > 1e-12 * length**2
    if not inside[1:-1].all():
        gap = X[1:-1][~inside[1:-1]][0]
        raise ValueError(f"mesh_profile: no section at X = {gap:.4g} m: the body must be in one piece")
    inside[[0, -1]] = area[[0, -1]] > _CLOSED * area.max()
    rows[~inside, 0], rows[~inside, 3:] = 1.0, 1.0  # closed ends; their semi-axes are set to zero below
    centroid = rows[:, 1:3] / rows[:, :1]
    square = rows[:, 3:] / rows[:, :1] - centroid**2  # variance along t2 and t3
    ratio = np.sqrt(square[:, 0] / square[:, 1])
    b, c = np.sqrt(area / np.pi * ratio), np.sqrt(area / np.pi / ratio)
    b, c = np.where(inside, b, 0.0), np.where(inside, c, 0.0)
    middle = np.average(centroid[inside], axis=0, weights=area[inside])
    off = np.linalg.norm(centroid[inside] - middle, axis=1).max()
    nose = np.zeros(3)
    nose[[along, third, high]] = sign * begin, *middle
    volume = float(metres**3 * abs(surface.volume))
    return MeshProfile(table_profile(X, b, c), volume, (float(nose[0]), float(nose[1]), float(nose[2])), float(off))


def _axis(name, value):
    one_of(f"mesh_profile: {name}", value, AXES)
    return AXES.index(value)


def _closed(mesh):
    try:
        import trimesh
    except ImportError as error:
        raise ImportError("mesh_profile needs trimesh: pip install 'anguilla[mesh]'") from error
    if isinstance(mesh, str | Path):
        if not Path(mesh).is_file():
            raise FileNotFoundError(f"{mesh}: no such file")
        mesh = trimesh.load(str(mesh), force="mesh")
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0:
        raise ValueError(f"mesh = {type(mesh).__name__}: must be a surface of triangles, or the path of one")
    if not mesh.is_watertight:
        raise ValueError("mesh: the surface is not closed (watertight): fill its holes first, as by mesh.fill_holes()")
    return mesh


def _moments(triangles: Float[np.ndarray, "faces 3 3"], x: float) -> Float[np.ndarray, "5"]:
    """Integrals of 1, y, z, y², z² over the section at x, by Green's theorem along the cut of each triangle.

    The cuts are oriented by the triangles, so that holes and several outlines need no special treatment.
    """
    above = triangles[..., 0] > x
    crossed = triangles[above.any(axis=1) & ~above.all(axis=1)]
    above = crossed[..., 0] > x
    # Reorder the vertices of each triangle cyclically, so that the one alone on its side of the plane comes first.
    lone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    turned = np.take_along_axis(crossed, ((lone[:, None] + np.arange(3)) % 3)[..., None], axis=1)
    first, others = turned[:, :1], turned[:, 1:]
    part = (x - first[..., :1]) / (others[..., :1] - first[..., :1])
    ends = (first + part * (others - first))[..., 1:]
    up = np.take_along_axis(above, lone[:, None], axis=1)[:, 0]
    p, q = np.where(up[:, None], ends[:, 0], ends[:, 1]), np.where(up[:, None], ends[:, 1], ends[:, 0])
    turn = p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]
    first_moments = turn[:, None] * (p + q) / 6.0
    second = turn[:, None] * (p * p + p * q + q * q) / 12.0
    return np.concatenate([[turn.sum() / 2.0], first_moments.sum(axis=0), second.sum(axis=0)])
