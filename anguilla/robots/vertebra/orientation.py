"""Representations of the platform's orientation: angles of the central leg, and tilt and torsion.

A rotation is a matrix whose columns are the moving axes in the fixed frame.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import matrix_from_quaternion, quaternion_exp, safe_norm

_ON_AXIS = 1e-24  # squared sine below which an angle about an axis is undefined, as is its gradient


def rotation_from_vector(vector: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Rotation matrix of a rotation vector [rad]."""
    return matrix_from_quaternion(quaternion_exp(vector))


def rotation_z(angle: Float[Array, ""]) -> Float[Array, "3 3"]:
    """Rotation matrix about z by an angle [rad]."""
    c, s, zero = jnp.cos(angle), jnp.sin(angle), jnp.zeros_like(angle)
    return jnp.stack([jnp.stack([c, -s, zero]), jnp.stack([s, c, zero]), jnp.array([0.0, 0.0, 1.0])])


@eqx.filter_jit
def rotation_from_leg(leg: Float[Array, "3"]) -> Float[Array, "3 3"]:
    """Rotation from mobile to fixed frame, from the central leg's angles (θ3, φ, ψ) [rad].

    R(z, θ3) R(y', φ) R(x'', ψ)                                                        [CHA08, Kinematics]
    """
    c3, cf, cp = jnp.cos(leg)
    s3, sf, sp = jnp.sin(leg)
    return jnp.stack(
        [
            jnp.stack([c3 * cf, c3 * sf * sp - s3 * cp, c3 * sf * cp + s3 * sp]),
            jnp.stack([s3 * cf, s3 * sf * sp + c3 * cp, s3 * sf * cp - c3 * sp]),
            jnp.stack([-sf, cf * sp, cf * cp]),
        ]
    )


@eqx.filter_jit
def leg_from_rotation(rotation: Float[Array, "3 3"]) -> Float[Array, "3"]:
    """The central leg's angles (θ3, φ, ψ) [rad] with cos φ ≥ 0; θ3 = ψ = 0 at cos φ = 0, where only φ is defined.

    The rotation is from the mobile to the fixed frame. The other posture of the leg is (θ3 + π, π - φ, ψ + π).
    """
    x_x, x_y, x_z = rotation[0, 0], rotation[1, 0], rotation[2, 0]
    cos_phi = safe_norm(jnp.stack([x_x, x_y]))
    return jnp.stack(
        [
            safe_arctan2(x_y, x_x),
            jnp.arctan2(-x_z, cos_phi),
            safe_arctan2(rotation[2, 1], rotation[2, 2]),
        ]
    )


@eqx.filter_jit
def rotation_from_tilt(tilt: Float[Array, "2"], torsion: Float[Array, ""]) -> Float[Array, "3 3"]:
    """Rotation from mobile to fixed frame, from tilt and torsion. [CHA08, Orientation representation]

        R_z(φ) R_y(θ) R_z(ψ - φ) = exp((-y, x, 0)^) R_z(ψ),   (x, y) = θ (cos φ, sin φ)

    The second form has no singular azimuth at θ = 0.

    Args:
        tilt: (x, y), Cartesian coordinates in the plane with the polar coordinates tilt θ and azimuth φ [rad].
        torsion: ψ [rad].
    """
    tilted = rotation_from_vector(jnp.stack([-tilt[1], tilt[0], jnp.zeros_like(torsion)]))
    return tilted @ rotation_z(torsion)


@eqx.filter_jit
def tilt_from_rotation(rotation: Float[Array, "3 3"]) -> tuple[Float[Array, "2"], Float[Array, ""]]:
    """Tilt (θ cos φ, θ sin φ) and torsion ψ [rad] of a rotation, from mobile to fixed frame.

    This is the inverse of `rotation_from_tilt`. The tilt must be below π; at π the torsion is undefined, and zero is
    returned.
    """
    along = rotation[:2, 2]
    sine = safe_norm(along)
    aligned = sine * sine < _ON_AXIS
    angle = jnp.arctan2(jnp.where(aligned, 0.0, sine), rotation[2, 2])
    # θ/sin θ tends to 1 at θ = 0; both branches of the selection stay finite for the gradient.
    stretch = jnp.where(aligned, 1.0, angle / jnp.where(aligned, 1.0, sine))
    torsion = safe_arctan2(rotation[1, 0] - rotation[0, 1], rotation[0, 0] + rotation[1, 1])
    return stretch * along, torsion


def safe_arctan2(y: Float[Array, "*n"], x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """atan2 that is zero, with zero gradient, where both arguments vanish."""
    void = x * x + y * y < _ON_AXIS
    return jnp.where(void, 0.0, jnp.arctan2(jnp.where(void, 0.0, y), jnp.where(void, 1.0, x)))
