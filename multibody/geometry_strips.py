"""Strips from the shapes of robot description files: cylinders, capsules, boxes, spheres, ellipsoids, meshes.

Each shape is cut into sections along its longest axis: rectangles for a box, ellipses for all others.
"""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from hydro import Cap, EllipticSection, Profile, mesh_profile, rectangle_section
from spatial import one_of, positive

from .prisms import prism_strip
from .strips import MISSED, Strip, concatenated, gauss_points, missed_parts, strip

BOXES = ("rectangles", "ellipses")  # kinds of sections of a box
_MOST = 400  # Gauss points on a mesh with steps
_POINTS = 6  # Gauss points on each half of a shape with closed ends


def cylinder_strip(radius: float, length: float, frame: np.ndarray) -> Strip:
    """Strip of a cylinder centred on its frame, along z.

    Args:
        radius: radius [m].
        length: length [m].
        frame: 4x4 pose of its frame in the body frame [m].
    """
    radius, length = _size("cylinder: radius", radius), _size("cylinder: length", length)
    return _prism(_ellipse(radius, radius), length, frame, 2)


def box_strip(size: Sequence[float], frame: np.ndarray, boxes: str = "rectangles") -> Strip:
    """Strip of a box centred on its frame, with sections along its longest side.

    Rectangular sections have the area, second moments, perimeter, drag widths and added mass of the box.

    Args:
        size: lengths of the three sides [m].
        frame: 4x4 pose of its frame in the body frame [m].
        boxes: "rectangles", or "ellipses" for the inscribed ellipses, whose area is smaller by a factor π/4.
    """
    one_of("boxes", boxes, BOXES)
    sides = [_size("box: side", side) for side in size]
    along = int(np.argmax(sides))
    width, height = sides[(along + 1) % 3], sides[(along + 2) % 3]
    section = rectangle_section(width, height) if boxes == "rectangles" else _ellipse(0.5 * width, 0.5 * height)
    return _prism(section, sides[along], frame, along)


def ellipsoid_strip(semiaxes: Sequence[float], frame: np.ndarray) -> Strip:
    """Strip of an ellipsoid or sphere centred on its frame, with sections along its longest axis.

    Args:
        semiaxes: semi-axes along x, y and z of its frame [m].
        frame: 4x4 pose of its frame in the body frame [m].
    """
    half = [_size("ellipsoid: semi-axis", x) for x in semiaxes]
    along = int(np.argmax(half))
    a, b, c = half[along], half[(along + 1) % 3], half[(along + 2) % 3]
    profile = Profile([0.0, a, 2.0 * a], (Cap(a, -a, b, c), Cap(a, a, b, c)))
    return _along(profile, a, frame, along)


def capsule_strip(radius: float, length: float, frame: np.ndarray) -> Strip:
    """Strip of a capsule centred on its frame: a cylinder along z with half spheres at both ends.

    Args:
        radius: radius [m].
        length: length of the cylinder, without the half spheres [m].
        frame: 4x4 pose of its frame in the body frame [m].
    """
    r, length = _size("capsule: radius", radius), _size("capsule: length", length)
    middle = _prism(_ellipse(r, r), length, frame, 2)
    profile = Profile([0.0, r, 2.0 * r], (Cap(r, -r, r, r), Cap(r, r, r, r)))
    axes = _axes(frame, 2)
    front = frame[:3, 3] - (0.5 * length + r) * axes[:, 0]
    back = frame[:3, 3] + 0.5 * length * axes[:, 0]
    ends = [
        strip(profile, span, origin=origin, rotation=axes, points=_POINTS)
        for span, origin in (((0.0, r), front), ((r, 2.0 * r), back))
    ]
    return concatenated([ends[0], middle, ends[1]])


def mesh_strip(mesh: Any, scale: Sequence[float] | float | None, frame: np.ndarray) -> Strip:
    """Strip of a closed surface, with sections along its longest side from `hydro.mesh_profile`.

    Args:
        mesh: name of a mesh file, or a trimesh.Trimesh.
        scale: factor from the file's unit to metres, the same along all axes.
        frame: 4x4 pose of its frame in the body frame [m].
    """
    import trimesh

    factor = np.unique(np.asarray(1.0 if scale is None else scale, float))
    if factor.size != 1:
        raise ValueError(f"mesh: scale = {scale}: must be the same along x, y and z")
    surface = mesh if isinstance(mesh, trimesh.Trimesh) else trimesh.load(str(mesh), force="mesh")
    along = int(np.argmax(surface.extents))
    up = (along + 2) % 3
    fitted = mesh_profile(surface, axis="xyz"[along], up="xyz"[up], scale=float(factor[0]))
    axes = _axes(frame, along)
    origin = frame[:3, 3] + frame[:3, :3] @ np.asarray(fitted.nose)
    span = np.array([0.0, float(fitted.profile.length)])
    points = 4 * _POINTS
    while points < _MOST:
        _, weight, section, _ = gauss_points(fitted.profile, span, points)
        if (missed_parts(fitted.profile, span, weight, section) or 0.0) <= MISSED:
            break
        points *= 2
    return strip(fitted.profile, span, origin=origin, rotation=axes, points=points)


def _size(name, value):
    return float(positive(name, value, "m", ()))


def _axes(frame, along):
    """t1, t2, t3 in the body frame: t1 along the given axis of the frame, t2 and t3 along the next two."""
    return np.asarray(frame)[:3, [along, (along + 1) % 3, (along + 2) % 3]]


def _ellipse(b, c):
    return EllipticSection(jnp.asarray(b), jnp.asarray(c))


def _prism(section, length, frame, along):
    axes = _axes(frame, along)
    origin = np.asarray(frame)[:3, 3] - 0.5 * length * axes[:, 0]
    return prism_strip(section, length, origin=origin, rotation=axes, points=3)


def _along(profile, half, frame, along):
    axes = _axes(frame, along)
    origin = np.asarray(frame)[:3, 3] - half * axes[:, 0]
    return strip(profile, (0.0, 2.0 * half), origin=origin, rotation=axes, points=_POINTS)
