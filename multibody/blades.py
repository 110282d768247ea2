"""Blades: thin rigid plates under aerodynamic load, the links of a wing."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from hydro import BladeSection
from spatial import Numbers, non_negative, positive

from .strips import Strip

POINTS = 6  # Gauss points along a blade [PBB13, IV.C]

ChordLaw = Callable[[Float[Array, ""]], Float[Array, ""]]


def blade_strip(
    length: Numbers,
    chord: Numbers | ChordLaw,
    *,
    thickness: Numbers = 0.0,
    pressure_point: Numbers = 0.4,
    points: int = POINTS,
) -> Strip:
    """Points where air acts on a blade whose leading edge is its x axis. [PBB13, IV.A-B]

    Body frame: x along the leading edge from root to tip, y normal to the blade, z in it, from the trailing to the
    leading edge.

    Args:
        length: length of the blade along x [m].
        chord: one number, or a function of the distance from the blade's root [m].
        thickness: thickness of the blade, needed by `link_inertia` [m].
        pressure_point: distance from the leading edge to the centre of pressure, relative to the chord [-].
        points: number of Gauss points along the blade.
    """
    if not isinstance(points, int) or points < 1:
        raise ValueError(f"blade_strip: points = {points!r}: must be a positive integer")
    law = chord if callable(chord) else positive("blade_strip: chord", chord, "m")
    piece = blade_points(
        positive("blade_strip: length", length, "m"),
        law,
        non_negative("blade_strip: thickness", thickness, "m"),
        non_negative("blade_strip: pressure_point", pressure_point),
        points,
    )
    section = piece.section
    assert isinstance(section, BladeSection)
    chords = positive("blade_strip: chord", section.chord, "m")  # known only after evaluating the law
    return eqx.tree_at(lambda strip: strip.section.chord, piece, chords)


def blade_points(
    length: Float[Array, ""],
    chord: Float[Array, ""] | ChordLaw,
    thickness: Float[Array, ""],
    pressure_point: float | Float[Array, ""] = 0.4,
    points: int = POINTS,
) -> Strip:
    """As `blade_strip`, for values that have already been checked."""
    node, weight = np.polynomial.legendre.leggauss(points)
    x = length * jnp.asarray(0.5 * (node + 1.0))
    chords = jax.vmap(chord)(x) if callable(chord) else jnp.broadcast_to(chord, x.shape)
    fraction = jnp.broadcast_to(jnp.asarray(pressure_point, float), x.shape)
    return Strip(
        position=jnp.stack([x, jnp.zeros_like(x), -fraction * chords], axis=-1),
        rotation=jnp.broadcast_to(jnp.eye(3), (points, 3, 3)),
        weight=length * jnp.asarray(0.5 * weight),
        abscissa=x,
        section=BladeSection(chords, jnp.broadcast_to(thickness, x.shape), fraction),
        nose_position=jnp.zeros((0, 3)),
        nose_rotation=jnp.zeros((0, 3, 3)),
        nose_radius=jnp.zeros(0),
    )
