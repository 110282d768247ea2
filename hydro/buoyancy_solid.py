"""Buoyancy of a closed polyhedron: hydrostatic pressure on its triangles, in closed form.

The load is exact and continuous in any attitude. For a slender body, sections (`FreeSurface`) are cheaper and converge
to the same load; a vertical link or a hull needs the polyhedron.
"""

from collections import Counter

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, cross, finite, join, positive
from spatial.checks import shown
from spatial.printing import Printed

from .buoyancy_wet import wet_pressures, wet_squares
from .fluid import Place
from .polygons import PolygonSection


class Solid(Printed):
    """A closed triangulated body; `solid` and `prism` build it and check that it is closed.

    Attributes:
        triangles: vertices of the faces in the body frame, counter-clockwise seen from outside [m].
    """

    triangles: Float[Array, "faces 3 3"]

    @property
    def volume(self) -> Float[Array, ""]:
        """Volume [m³]."""
        a, b, c = (self.triangles[:, k] for k in range(3))
        return jnp.sum(a * cross(b, c)) / 6.0

    @property
    def centre(self) -> Float[Array, "3"]:
        """Centre of volume, in the body frame [m]."""
        a, b, c = (self.triangles[:, k] for k in range(3))
        sixth = jnp.sum(a * cross(b, c), axis=-1, keepdims=True)
        return jnp.sum(sixth * (a + b + c), axis=0) / jnp.sum(sixth) / 4.0


def face_loads(
    triangles: Float[Array, "faces 3 3"],
    place: Place,
    density: Float[Array, ""],
    gravity: Float[Array, ""],
    level: Float[Array, ""],
) -> Float[Array, "faces 6"]:
    """Load of water with a flat surface on each face of the bodies: -∫ p (n, r × n) dS.

    Args:
        triangles: vertices of the faces in the frames of their bodies [m].
        place: pose of these frames, one per face.
        density: density of the water [kg/m³].
        gravity: magnitude of gravity along -z of the world [m/s²].
        level: height of the surface in the world [m].

    Returns:
        Wrenches about the origins of these frames, in their axes [N, N·m].
    """
    corner, over, doubled = _faces(triangles, place, level)
    moments = wet_pressures(*over)
    whole = (moments[0] + moments[1] + moments[2])[:, None]
    lever = moments[0][:, None] * corner[0] + moments[1][:, None] * corner[1] + moments[2][:, None] * corner[2]
    return -density * gravity * join(whole * doubled, cross(lever, doubled))


def face_potentials(
    triangles: Float[Array, "faces 3 3"],
    place: Place,
    density: Float[Array, ""],
    gravity: Float[Array, ""],
    level: Float[Array, ""],
) -> Float[Array, "faces"]:
    """Contribution of each face to ρ g ∫max(-z, 0) dV = -½ ρ g ∮max(-z, 0)² n_z dS [J]; only the sum is meaningful.

    Args:
        triangles: vertices of the faces in the frame of the body [m].
        place: pose of that frame.
        density: density of the water [kg/m³].
        gravity: magnitude of gravity [m/s²].
        level: height of the surface in the world [m].
    """
    _, over, doubled = _faces(triangles, place, level)
    upward = jnp.sum(place.rotation[:, 2] * doubled, axis=-1)
    return -0.5 * density * gravity * upward * wet_squares(*over)


def _faces(triangles, place, level):
    """Vertices, their heights above the water, and normals whose length is twice the area."""
    corner = tuple(triangles[:, k] for k in range(3))
    up = place.rotation[:, 2]
    over = tuple(place.position[:, 2] - level + jnp.sum(up * r, axis=-1) for r in corner)
    return corner, over, cross(corner[1] - corner[0], corner[2] - corner[0])


def solid(vertices: Numbers, faces: Numbers) -> Solid:
    """Builds the body bounded by the given triangles.

    Args:
        vertices: points in the body frame [m].
        faces: numbers of the vertices of each triangle, counter-clockwise seen from outside.

    Raises:
        ValueError: the surface is open, encloses no volume, or is inside out.
    """
    points = finite("solid: vertices", vertices, (None, 3))
    try:
        corners = np.asarray(faces)
    except ValueError:
        raise ValueError(f"solid: faces = {shown(faces)}: must be (n, 3) integers") from None
    if corners.ndim != 2 or corners.shape[1] != 3 or not np.issubdtype(corners.dtype, np.integer):
        raise ValueError(f"solid: faces have shape {corners.shape}: must be (n, 3) integers")
    if corners.size == 0 or corners.min() < 0 or corners.max() >= points.shape[0]:
        raise ValueError(f"solid: faces: must be numbers of the {points.shape[0]} vertices, from 0")
    edges = Counter((int(face[i]), int(face[(i + 1) % 3])) for face in corners for i in range(3))
    alone = [edge for edge, count in edges.items() if edges[edge[1], edge[0]] != count]
    if alone:
        raise ValueError(f"solid: open surface: edge {alone[0]} has a face on one side only")
    body = Solid(points[corners])
    return _checked(body, "solid")


def prism(section: PolygonSection, length: Numbers, start: Numbers = 0.0) -> Solid:
    """Extrudes a section along t1 and closes it with flat ends.

    Args:
        section: one polygon, made by `polygon`.
        length: length along t1 [m].
        start: abscissa of the first end [m].
    """
    if not isinstance(section, PolygonSection) or section.vertices.ndim != 2:
        raise ValueError("prism: section must be one PolygonSection, from hydro.polygon")
    length, start = positive("prism: length", length, "m", ()), finite("prism: start", start, ())
    here = section.vertices
    after = jnp.concatenate([here[1:], here[:1]])
    at = lambda points, x: jnp.concatenate([jnp.broadcast_to(x, (points.shape[0], 1)), points], axis=1)  # noqa: E731
    near, near_after = at(here, start), at(after, start)
    far, far_after = at(here, start + length), at(after, start + length)
    # The ends are signed triangles from the axis; they are exact for any outline, because overlaps cancel.
    o_near, o_far = at(jnp.zeros_like(here), start), at(jnp.zeros_like(here), start + length)
    faces = ((near, near_after, far_after), (near, far_after, far), (o_near, near_after, near), (o_far, far, far_after))
    return _checked(Solid(jnp.concatenate([jnp.stack(face, axis=1) for face in faces])), "prism")


def _checked(body: Solid, what: str) -> Solid:
    volume = body.volume
    if isinstance(volume, Tracer):
        return body
    size = float(np.ptp(np.asarray(body.triangles).reshape(-1, 3), axis=0).max())
    if abs(float(volume)) <= 1e-12 * size**3:
        raise ValueError(f"{what}: volume = {float(volume):.3g} m³: a body without volume displaces no water")
    if volume < 0:
        raise ValueError(f"{what}: volume = {float(volume):.3g} m³: inside out; reverse the order of the vertices")
    return body
