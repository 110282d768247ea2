"""Routing of a thread: its offset D(X) from the centre line."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import Numbers, finite, number, positive
from spatial.checks import shown, spread
from spatial.printing import Printed

Offset = Float[Array, "2"] | Float[Array, "3"]
Routing = Callable[[Float[Array, ""]], Offset]


class Oblique(Printed):
    """An offset that varies linearly with X, given at two abscissae.

    Attributes:
        first: offset (d2, d3) at the abscissa `start`, in the section frame [m].
        last: offset (d2, d3) at the abscissa `stop`, in the section frame [m].
        start: first abscissa [m].
        stop: second abscissa [m].

    Example:
        >>> import cosserat
        >>> cross_over = cosserat.Oblique((0.01, 0.0), (-0.01, 0.0), start=0.0, stop=0.5)
        >>> cross_over(0.25).tolist()
        [0.0, 0.0]
    """

    first: Float[Array, "2"]
    last: Float[Array, "2"]
    start: Float[Array, ""]
    stop: Float[Array, ""]

    def __init__(self, first: Numbers, last: Numbers, start: Numbers, stop: Numbers):
        self.first, self.last = finite("Oblique.first", first, (2,)), finite("Oblique.last", last, (2,))
        self.start = number("Oblique.start", start)
        self.stop = self.start + positive("Oblique.stop - start", number("Oblique.stop", stop) - self.start, "m")

    def __call__(self, X: Float[Array, ""]) -> Float[Array, "2"]:
        """(d2, d3) at the abscissa X [m]."""
        return self.first + (self.last - self.first) * ((X - self.start) / (self.stop - self.start))


class Helix(Printed):
    """An offset that turns about the centre line: (r2 cos φ, r3 sin φ), φ = 2π X / pitch + phase.

    Attributes:
        radius: r2 along t2 and r3 along t3; one number for both [m].
        pitch: length of body per turn [m]; negative for a left-handed helix.
        phase: angle from t2 towards t3 at the nose [rad].

    Example:
        >>> import cosserat
        >>> cosserat.Helix(radius=0.01, pitch=0.5)(0.0).tolist()
        [0.01, 0.0]
    """

    radius: Float[Array, "2"]
    pitch: Float[Array, ""]
    phase: Float[Array, ""]

    def __init__(self, radius: Numbers, pitch: Numbers, phase: Numbers = 0.0):
        self.radius = spread("Helix.radius", positive("Helix.radius", radius, "m"), 2)
        self.pitch, self.phase = finite("Helix.pitch", pitch, ()), finite("Helix.phase", phase, ())
        positive("|Helix.pitch|", jnp.abs(self.pitch), "m")

    def __call__(self, X: Float[Array, ""]) -> Float[Array, "2"]:
        """(d2, d3) at the abscissa X [m]."""
        angle = 2.0 * jnp.pi * X / self.pitch + self.phase
        return self.radius * jnp.stack([jnp.cos(angle), jnp.sin(angle)])


def checked_routing(name: str, routing: Routing | Numbers) -> Routing | Offset:
    """Checks a routing; a constant offset is returned as an array [m]."""
    if callable(routing):
        shape = eqx.filter_eval_shape(lambda X: jnp.asarray(routing(X), float), jnp.zeros(())).shape
        if shape not in ((2,), (3,)):
            raise ValueError(f"{name} returns shape {shape}: must be (2,), the offset (d2, d3), or (3,) [m]")
        return routing
    try:
        offset = finite(name, routing)
    except ValueError as error:
        raise ValueError(f"{error}: must be an offset (d2, d3) [m], or a function X -> offset") from error
    if offset.shape not in ((2,), (3,)):
        raise ValueError(
            f"{name} = {shown(routing)} has shape {offset.shape}: must be (2,), the offset (d2, d3), or (3,)"
        )
    return offset


def offset_at(routing: Routing | Offset, X: Float[Array, ""]) -> Float[Array, "3"]:
    """D at the abscissa X, in the section frame [m]."""
    value = jnp.asarray(routing(X), float) if callable(routing) else routing
    return jnp.concatenate([jnp.zeros(3 - value.shape[0]), value])
