"""Polygonal sections in the plane of t2 and t3, with a check that the outline encloses one region."""

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from spatial import Numbers, body_inertia, finite
from spatial.checks import integer

from .sections import AbstractEllipseLike

_CLOSED = 1e-9  # allowed distance between the last and first point of an outline, relative to its size


class PolygonSection(AbstractEllipseLike):
    """One or many polygonal sections; t1 is their normal. Build them with `polygon`, which checks the outline.

    Attributes:
        vertices: vertices (y, z) along t2 and t3, counter-clockwise seen from the tip of t1, without repetition [m].
        after: the vertex that follows each vertex (y, z); stored to avoid recomputing the shift [m].
    """

    vertices: Float[Array, "*batch vertices 2"]
    after: Float[Array, "*batch vertices 2"]

    def __init__(self, vertices: Float[Array, "*batch vertices 2"]):
        self.vertices = vertices
        self.after = jnp.roll(vertices, -1, axis=-2)

    @property
    def area(self) -> Float[Array, "*batch"]:
        """Area [m²]."""
        return 0.5 * jnp.sum(self._doubled, axis=-1)

    @property
    def first_moments(self) -> Float[Array, "*batch 2"]:
        """Integrals of y and z over the section [m³]."""
        here, after = self.vertices, self.after
        return jnp.sum(self._doubled[..., None] * (here + after), axis=-2) / 6.0

    @property
    def second_moments(self) -> Float[Array, "*batch 3"]:
        """Second moments J1, J2, J3 of the area about t1, t2, t3 through the origin [m⁴]."""
        here, after = self.vertices, self.after
        squares = here**2 + here * after + after**2
        yy, zz = jnp.moveaxis(jnp.sum(self._doubled[..., None] * squares, axis=-2) / 12.0, -1, 0)
        return jnp.stack([yy + zz, zz, yy], axis=-1)

    @property
    def perimeter(self) -> Float[Array, "*batch"]:
        """Perimeter [m]."""
        edge = self.after - self.vertices
        return jnp.sum(jnp.sqrt(jnp.sum(edge * edge, axis=-1)), axis=-1)

    @property
    def b(self) -> Float[Array, "*batch"]:
        """Half the width along t2 [m]."""
        return 0.5 * jnp.ptp(self.vertices[..., 0], axis=-1)

    @property
    def c(self) -> Float[Array, "*batch"]:
        """Half the height along t3 [m]."""
        return 0.5 * jnp.ptp(self.vertices[..., 1], axis=-1)

    def inertia(self, density: Float[Array, ""]) -> Float[Array, "6 6"]:
        """Inertia per metre of one homogeneous section about its frame [kg/m, kg, kg·m]."""
        y, z = self.first_moments / self.area
        J1, J2, J3 = self.second_moments
        yz = jnp.sum(self._doubled * self._mixed, axis=-1) / 24.0
        zero = jnp.zeros_like(y)
        about_origin = density * jnp.stack(
            [jnp.stack([J1, zero, zero]), jnp.stack([zero, J2, -yz]), jnp.stack([zero, -yz, J3])]
        )
        whole = body_inertia(density * self.area, jnp.stack([zero, y, z]), jnp.zeros((3, 3)))
        return whole.at[3:, 3:].set(about_origin)

    @property
    def _doubled(self):
        """Twice the signed areas of the triangles between the origin and the edges."""
        here, after = self.vertices, self.after
        return here[..., 0] * after[..., 1] - after[..., 0] * here[..., 1]

    @property
    def _mixed(self):
        (y0, z0), (y1, z1) = jnp.moveaxis(self.vertices, -1, 0), jnp.moveaxis(self.after, -1, 0)
        return 2.0 * (y0 * z0 + y1 * z1) + y0 * z1 + y1 * z0


def polygon(outline: Numbers) -> PolygonSection:
    """Builds a section from a closed outline.

    Args:
        outline: points (y, z) along t2 and t3, counter-clockwise, with the first point repeated at the end [m].

    Raises:
        ValueError: the outline is open, crosses itself, encloses no area, or runs clockwise.
    """
    points = finite("polygon: outline", outline, (None, 2))
    if points.shape[0] < 4:
        raise ValueError(f"polygon: outline has {points.shape[0]} points: needs 3 vertices and the first again")
    section = PolygonSection(points[:-1])
    if isinstance(points, Tracer):
        return section  # a traced outline cannot be checked for closure and orientation
    known = np.asarray(points)
    size = float(np.ptp(known, axis=0).max())
    gap = float(np.linalg.norm(known[-1] - known[0]))
    if gap > _CLOSED * size:
        raise ValueError(
            f"polygon: open outline: the last point {known[-1].tolist()} is {gap:.3g} m from its first "
            f"{known[0].tolist()}: must be the same"
        )
    area = float(section.area)
    if abs(area) <= 1e-12 * size**2:
        raise ValueError(f"polygon: outline bounds an area of {area:.3g} m²: a body without volume")
    if area < 0:
        raise ValueError(
            f"polygon: outline is wound the wrong way (area {area:.3g} m²): list its points counter-clockwise, "
            "from t2 towards t3"
        )
    crossing = _crossing(known[:-1])
    if crossing is not None:
        raise ValueError(f"polygon: edges {crossing[0]} and {crossing[1]} of the outline cross: must bound one region")
    return section


def regular_outline(radius: Numbers, vertices: int, lobes: int = 0, depth: float = 0.0) -> Float[Array, "points 2"]:
    """A closed outline r(φ) = R k (1 + depth cos(lobes φ)), φ from t3, with the same area as the smooth curve.

    The factor k, close to one, corrects the area of the polygon to that of the curve.

    Args:
        radius: R [m].
        vertices: number of vertices.
        lobes: number of lobes around the circumference; the first points along t3.
        depth: their height relative to R [-].
    """
    vertices = integer("regular_outline: vertices", vertices, 3)
    angle = 2.0 * np.pi * np.arange(vertices) / vertices
    r = 1.0 + depth * np.cos(lobes * angle)
    shape = np.stack([-r * np.sin(angle), r * np.cos(angle)], axis=-1)
    after = np.roll(shape, -1, axis=0)
    area = 0.5 * np.sum(shape[:, 0] * after[:, 1] - after[:, 0] * shape[:, 1])
    smooth = np.pi * (1.0 + 0.5 * depth**2)
    closed = np.concatenate([shape, shape[:1]]) * np.sqrt(smooth / area)
    return jnp.asarray(radius, float) * closed


def _crossing(points: np.ndarray) -> tuple[int, int] | None:
    """Indices of two edges that cross, or None."""
    here, after = points, np.roll(points, -1, axis=0)

    def side(a, b, c):
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    A, B = here[:, None], after[:, None]
    C, D = here[None], after[None]
    cross = (side(A, B, C) * side(A, B, D) < 0) & (side(C, D, A) * side(C, D, B) < 0)
    found = np.argwhere(np.triu(cross, 2))
    return (int(found[0][0]), int(found[0][1])) if len(found) else None
