"""Velocity kinematics A ω = B θ̇: the Jacobian J = A⁻¹B, its condition number, and the distance to singularities."""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from spatial import cross

from .design import Wrist
from .inverse import Posture

_SINGULAR = 1e-12  # magnitude below which a determinant or a diagonal entry counts as singular


def matrix_A(pose: Posture) -> Float[Array, "3 3"]:
    """Matrix A of A ω = B θ̇, with rows p_i × r_i, then z''ᵀ. [CHA08, eqs. (7), (8)]

    The printed eq. (7), A ω + B θ̇ = 0, has the wrong sign for the printed B. The third row is z'' = (C3 Sφ, S3 Sφ,
    Cφ); the printed (0 0 1) holds only at φ = 0.

    Args:
        pose: posture of the wrist; ω is the angular velocity of the platform in the fixed frame [rad/s].
    """
    return jnp.concatenate([cross(pose.arm, pose.rod), z_second(pose)[None, :]])


def diagonal_B(wrist: Wrist, pose: Posture) -> Float[Array, "3"]:
    """Diagonal of the matrix B of A ω = B θ̇: (l_i × r_i)·i_i, then cos φ. [CHA08, eq. (9)]

    The printed third entry 1 holds only at φ = 0.

    Args:
        wrist: the design.
        pose: posture of the wrist; in the working mode all entries are positive.

    Returns:
        One entry per motor [length², length², -].
    """
    legs = jnp.sum(cross(pose.crank, pose.rod) * wrist.axis, axis=1)
    return jnp.concatenate([legs, jnp.cos(pose.leg[1:2])])


@eqx.filter_jit
def inverse_jacobian(wrist: Wrist, pose: Posture) -> Float[Array, "3 3"]:
    """J⁻¹ = B⁻¹A with θ̇ = J⁻¹ω, ω in the fixed frame; zero rows where B is singular [-]."""
    B = diagonal_B(wrist, pose)
    good = jnp.abs(B) > _SINGULAR
    scale = jnp.where(good, 1.0 / jnp.where(good, B, 1.0), 0.0)
    return scale[:, None] * matrix_A(pose)


@eqx.filter_jit
def jacobian(wrist: Wrist, pose: Posture) -> Float[Array, "3 3"]:
    """J = A⁻¹B with ω = J θ̇, ω in the fixed frame; zero where A is singular [-]."""
    a1, a2, a3 = matrix_A(pose)
    normals = jnp.stack([cross(a2, a3), cross(a3, a1), cross(a1, a2)], axis=1)
    det = jnp.sum(a1 * normals[:, 0])
    good = jnp.abs(det) > _SINGULAR
    scale = jnp.where(good, 1.0 / jnp.where(good, det, 1.0), 0.0)
    return scale * normals * diagonal_B(wrist, pose)[None, :]


def determinant_A(wrist: Wrist, pose: Posture) -> Float[Array, ""]:
    """det A = |p1||p2| (r1·z'')(r2·z_m) [length⁴]: zero exactly where r1 ⊥ z'' or r2 ⊥ z_m.

    The alignments and coplanarity of [CHA08, fig. 7] are sufficient conditions, not necessary ones.
    """
    return jnp.prod(wrist.platform) * jnp.prod(wrist.rod) * jnp.prod(parallel_measures(wrist, pose))


def parallel_measures(wrist: Wrist, pose: Posture) -> Float[Array, "2"]:
    """(r1·z'', r2·z_m), each over |r_i| [-]: one if the rod is normal to its arm, zero at a parallel singularity."""
    push = jnp.stack([jnp.sum(pose.rod[0] * z_second(pose)), jnp.sum(pose.rod[1] * pose.rotation[:, 2])])
    return push / wrist.rod


def serial_measures(wrist: Wrist, pose: Posture) -> Float[Array, "3"]:
    """B's diagonal over |l_i||r_i| [-]: one if the crank is normal to the rod, zero at a serial singularity.

    One entry per motor, zero exactly where r_i is in the plane of l_i and i_i, or where cos φ = 0.
    """
    scale = jnp.concatenate([wrist.crank * wrist.rod, jnp.ones(1)])
    return diagonal_B(wrist, pose) / scale


def singularity_margin(wrist: Wrist, pose: Posture) -> Float[Array, ""]:
    """Smallest of the two parallel and three serial measures [-]; 1 at home, 0 at any singularity."""
    return jnp.minimum(jnp.min(parallel_measures(wrist, pose)), jnp.min(serial_measures(wrist, pose)))


@eqx.filter_jit
def condition_number(wrist: Wrist, pose: Posture) -> Float[Array, ""]:
    """Ratio of the largest to the smallest singular value of J [-]; 1 if isotropic, infinite at a singularity."""
    good = pose.reachable & (jnp.abs(determinant_A(wrist, pose)) > _SINGULAR)
    matrix = jnp.where(good, inverse_jacobian(wrist, pose), jnp.eye(3))
    values = jnp.linalg.svd(matrix, compute_uv=False)
    return jnp.where(good, values[0] / values[-1], jnp.inf)


def z_second(pose: Posture) -> Float[Array, "3"]:
    """z'', the z axis after the first two rotations of the central leg, in the fixed frame."""
    c3, cf, _ = jnp.cos(pose.leg)
    s3, sf, _ = jnp.sin(pose.leg)
    return jnp.stack([c3 * sf, s3 * sf, cf])
