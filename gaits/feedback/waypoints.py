"""Paths to follow: polylines and smooth curves through points, parametrised by arc length."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite
from spatial.printing import Printed

PIECES = 24  # chords between two points of a smooth path; the error of a chord is about (turn / 24)² / 8 of its length


class Waypoints(Printed):
    """A path through points: a polyline or a Catmull-Rom curve, continued by straight lines beyond both ends.

    >>> import anguilla, gaits.feedback as fb
    >>> path = fb.Waypoints([[0, 0, 0], [-4, 0, 0], [-4, 3, 0]])
    >>> path.length.item(), path.point(5.0).tolist()
    (7.0, [-4.0, 1.0, 0.0])

    Attributes:
        corners: ends of the chords, in the world [m].
        arc: length along the path up to each corner [m].
    """

    corners: Float[Array, "corners 3"]
    arc: Float[Array, "corners"]

    def __init__(self, points: Numbers, smooth: bool = False):
        """Makes the path through points (x, y, z) in the world [m].

        Args:
            points: points in the order of the path; neighbours must differ [m].
            smooth: use a Catmull-Rom curve instead of a polyline.
        """
        given = finite("Waypoints.points", points, (None, 3))
        if given.shape[0] < 2:
            raise ValueError(f"Waypoints.points has {given.shape[0]} point: must have at least two")
        self.corners = _curve(given) if smooth else given
        chord = jnp.linalg.norm(jnp.diff(self.corners, axis=0), axis=1)
        chord = eqx.error_if(chord, jnp.any(chord == 0.0), "Waypoints.points: two neighbours are the same point")
        self.arc = jnp.concatenate([jnp.zeros(1), jnp.cumsum(chord)])

    @property
    def length(self) -> Float[Array, ""]:
        """Length of the path [m]."""
        return self.arc[-1]

    def point(self, s: Float[Array, ""]) -> Float[Array, "3"]:
        """Point at the length s along the path [m]."""
        k = self._chord(s)
        return self.corners[k] + (s - self.arc[k]) * self.tangent(s)

    def tangent(self, s: Float[Array, ""]) -> Float[Array, "3"]:
        """Direction of the path at the length s [m], a unit vector."""
        k = self._chord(s)
        return (self.corners[k + 1] - self.corners[k]) / (self.arc[k + 1] - self.arc[k])

    def distance(self, position: Float[Array, "3"]) -> Float[Array, ""]:
        """Shortest distance of a position from the path [m].

        >>> import anguilla, gaits.feedback as fb
        >>> fb.Waypoints([[0, 0, 0], [-4, 0, 0]]).distance([-1.0, 0.5, 0.0]).item()
        0.5
        """
        position = finite("position", position, (3,))

        def from_chord(a, b):
            share = jnp.clip(jnp.dot(position - a, b - a) / jnp.dot(b - a, b - a), 0.0, 1.0)
            return jnp.sum((position - a - share * (b - a)) ** 2)

        return jnp.sqrt(jnp.min(jax.vmap(from_chord)(self.corners[:-1], self.corners[1:])))

    def _chord(self, s):
        return jnp.clip(jnp.searchsorted(self.arc, s, side="right") - 1, 0, self.arc.shape[0] - 2)


def _curve(points: Float[Array, "n 3"]) -> Float[Array, "m 3"]:
    """Points on the Catmull-Rom curve: cubic Hermite pieces whose slopes are central differences of the points."""
    slope = jnp.concatenate([points[1:2] - points[:1], 0.5 * (points[2:] - points[:-2]), points[-1:] - points[-2:-1]])
    x = (jnp.arange(PIECES) / PIECES)[:, None]
    ends = (1 + 2 * x) * (1 - x) ** 2, x * (1 - x) ** 2, x**2 * (3 - 2 * x), x**2 * (x - 1)
    parts = points[:-1], slope[:-1], points[1:], slope[1:]
    pieces = sum((share[None] * part[:, None] for share, part in zip(ends, parts, strict=True)), jnp.zeros(()))
    return jnp.concatenate([pieces.reshape(-1, 3), points[-1:]])
