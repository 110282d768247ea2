"""Integrals over the submerged part of triangles and ellipses, in closed form and without clipping.

The height above the water is linear on the figure. Every integral is a continuous function of the heights, also when
the water line passes a vertex. If vertex l of a triangle is alone on its side of the water line, the line cuts off a
triangle at l, at the fractions α and β of the two edges. If l is wet, the integral over that triangle is the result; if
l is dry, it is subtracted from the integral over the whole triangle.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import safe_sqrt

Corners = tuple[Float[Array, "*n"], Float[Array, "*n"], Float[Array, "*n"]]


def wet_fan(
    z0: Float[Array, ""], z1: Float[Array, "n"], z2: Float[Array, "n"], least: Float[Array, ""]
) -> tuple[Float[Array, "n"], Float[Array, "n"], Float[Array, "n"]]:
    """Wet part of the triangles between a dry point and the edges of a polygon, scaled to an area of one half.

    Args:
        z0: height of the point above the water; non-negative.
        z1: heights of the first vertices of the edges.
        z2: heights of their second vertices.
        least: heights up to this are taken as zero, because they may be round-off.

    Returns:
        For each edge, the wet area of its triangle, and the integrals over it of the barycentric coordinates of the
        edge's first and second vertex.
    """
    # If the point and a vertex lie on the water line, their heights are round-off, and so would be their quotient, with
    # derivatives without bound.
    z0, z1, z2 = (z - jax.lax.stop_gradient(jnp.where(jnp.abs(z) <= least, z, 0.0)) for z in (z0, z1, z2))
    # A vertex on the water line counts as dry, in the derivatives as well.
    depth1, depth2 = (jnp.where(z < 0, -z, 0.0) for z in (z1, z2))
    size1, size2 = (jnp.where(z < 0, -z, z) for z in (z1, z2))

    def share(part, whole):
        return jnp.where(whole > 0, part, 0.0) / jnp.where(whole > 0, whole, 1.0)

    # Wet fractions of the lines from the vertices to the point, and of an edge with one wet vertex.
    f1, f2 = share(depth1, depth1 + z0), share(depth2, depth2 + z0)
    g = share(depth1 + depth2, size1 + size2)
    first = depth1 > 0
    both = first & (depth2 > 0)
    # One wet vertex: the triangle cut off at that vertex. Two: the whole minus the triangle cut off at the point.
    f = f1 + f2
    cut = 0.5 * f * g
    far = cut * g / 3.0
    near = cut - far - cut * f / 3.0
    d1, d2 = 1.0 - f1, 1.0 - f2
    dry = d1 * d2
    area = jnp.where(both, 0.5 - 0.5 * dry, cut)
    m1 = jnp.where(both, (1.0 - dry * d1) / 6.0, jnp.where(first, near, far))
    m2 = jnp.where(both, (1.0 - dry * d2) / 6.0, jnp.where(first, far, near))
    return area, m1, m2


def wet_pressures(z0: Float[Array, "*n"], z1: Float[Array, "*n"], z2: Float[Array, "*n"]) -> Corners:
    """Integrals of depth times barycentric coordinates over the wet part of triangles of area one half."""
    cut = _Cut(z0, z1, z2)
    total = z0 + z1 + z2
    corner = -cut.lone * cut.alpha * cut.beta / 24.0
    return cut.put(
        -(total + z0) / 24.0,
        -(total + z1) / 24.0,
        -(total + z2) / 24.0,
        corner * (4.0 - cut.alpha - cut.beta),
        corner * cut.alpha,
        corner * cut.beta,
    )


def wet_squares(z0: Float[Array, "*n"], z1: Float[Array, "*n"], z2: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """Integrals of squared depth over the wet part of triangles of area one half."""
    cut = _Cut(z0, z1, z2)
    whole = (z0 * z0 + z1 * z1 + z2 * z2 + z0 * z1 + z1 * z2 + z0 * z2) / 12.0
    return cut.base * whole + cut.sign * cut.alpha * cut.beta * cut.lone**2 / 12.0


class _Cut:
    """The vertex of each triangle that is alone on its side, and where the water line cuts its two edges."""

    def __init__(self, z0, z1, z2):
        w0, w1, w2 = z0 < 0, z1 < 0, z2 < 0
        self.first, self.second = w1 == w2, w0 == w2
        pick = lambda a, b, c: jnp.where(self.first, a, jnp.where(self.second, b, c))  # noqa: E731
        self.lone, p, q = pick(z0, z1, z2), pick(z1, z2, z0), pick(z2, z0, z1)
        wet, others = self.lone < 0, p < 0
        mixed = wet != others
        # Where the quotients are used, the heights have opposite signs, so the denominators are not zero.
        self.alpha = jnp.where(mixed, self.lone / jnp.where(mixed, self.lone - p, 1.0), 0.0)
        self.beta = jnp.where(mixed, self.lone / jnp.where(mixed, self.lone - q, 1.0), 0.0)
        self.sign = jnp.where(wet, 1.0, -1.0)
        self.base = jnp.where(others, 1.0, 0.0)

    def put(self, whole0, whole1, whole2, lone, p, q) -> Corners:
        """Whole triangle plus or minus the part cut off, with the vertices in their original order."""
        first, second = self.first, self.second
        at0 = jnp.where(first, lone, jnp.where(second, q, p))
        at1 = jnp.where(first, p, jnp.where(second, lone, q))
        at2 = jnp.where(first, q, jnp.where(second, p, lone))
        return tuple(self.base * w + self.sign * c for w, c in ((whole0, at0), (whole1, at1), (whole2, at2)))


def wet_disc(h: Float[Array, "*n"]) -> tuple[Float[Array, "*n"], Float[Array, "*n"], Float[Array, "*n"]]:
    """The part of the unit disc with x < -h: its area, the integral of x, and the integral of max(-(h + x), 0)."""
    area = _segment(h)
    square = 1.0 - h * h
    moment = -2.0 / 3.0 * square * safe_sqrt(square)
    return area, moment, -h * area - moment


@jax.custom_jvp
def _segment(h):
    inside = jnp.abs(h) < 1.0
    x = jnp.where(inside, h, 0.0)
    return jnp.where(inside, jnp.arccos(x) - x * jnp.sqrt(1.0 - x * x), jnp.where(h < 0, jnp.pi, 0.0))


@_segment.defjvp
def _segment_jvp(primals, tangents):
    """Derivative: minus the length of the water line; autodiff gives inf - inf if the disc just touches the water."""
    (h,), (dh,) = primals, tangents
    square = 1.0 - h * h
    return _segment(h), -2.0 * safe_sqrt(square) * dh
