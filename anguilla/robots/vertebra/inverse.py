"""Inverse kinematics: motor angles from the orientation of the platform, in closed form.

[CHA08] solves each leg with tan(θ/2); here the same quadratic is solved as E cos θ + F sin θ = G.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Bool, Float

from spatial import finite

from .closure import Roots, roots, wrap
from .design import Wrist
from .orientation import leg_from_rotation


class Posture(eqx.Module):
    """The wrist at one orientation (or many, under vmap), in its working mode; vectors are in the fixed frame.

    Attributes:
        rotation: rotation from the mobile to the fixed frame.
        angles: motor angles (θ1, θ2, θ3) [rad]; if a leg cannot reach, its crank is at closest approach.
        leg: the central leg's angles (θ3, φ, ψ) [rad].
        crank: l_i = A_iB_i [length].
        arm: p_i = OC_i [length].
        rod: r_i = B_iC_i [length].
        reach: (B_ii / |l_i||r_i|)² of each leg if it closes, negative otherwise; at most 1 [-].
    """

    rotation: Float[Array, "*n 3 3"]
    angles: Float[Array, "*n 3"]
    leg: Float[Array, "*n 3"]
    crank: Float[Array, "*n 2 3"]
    arm: Float[Array, "*n 2 3"]
    rod: Float[Array, "*n 2 3"]
    reach: Float[Array, "*n 2"]

    @property
    def reachable(self) -> Bool[Array, "*n"]:
        """Whether both legs close, away from cos φ = 0 where θ3 is undefined."""
        return jnp.all(self.reach > 0.0, axis=-1) & (jnp.cos(self.leg[..., 1]) > 1e-9)


@eqx.filter_jit
def posture(wrist: Wrist, rotation: Float[Array, "3 3"]) -> Posture:
    """Motor angles and geometry in the working mode (B_11, B_22 > 0, cos φ > 0); returns a mask instead of raising.

    For use in jit, vmap and grad: for an orientation out of reach, `reachable` is False, and values and gradients are
    finite.

    Args:
        wrist: the design.
        rotation: rotation from the mobile to the fixed frame.
    """
    leg = leg_from_rotation(rotation)
    arm = wrist.platform_points(rotation)
    legs = _leg_roots(wrist, arm)
    crank = wrist.crank_vectors(legs.rising)
    return Posture(
        rotation=rotation,
        angles=jnp.concatenate([legs.rising, leg[:1]]),
        leg=leg,
        crank=crank,
        arm=arm,
        rod=arm - wrist.motor - crank,
        reach=legs.discriminant / (2.0 * wrist.crank * wrist.rod) ** 2,
    )


@eqx.filter_jit
def inverse_branches(
    wrist: Wrist, rotation: Float[Array, "3 3"]
) -> tuple[Float[Array, "8 3"], Float[Array, "8 3"], Bool[Array, ""]]:
    """All motor angles that hold one orientation.

    Each crank has two positions, which give the four solutions of [CHA08, fig. 14]; the central leg has two postures,
    θ3 and θ3 + π. Modes are distinguished by the signs of the diagonal of B. The selectors l_i·r_i printed in the paper
    have the same value on both branches.

    Args:
        wrist: the design.
        rotation: rotation from the mobile to the fixed frame.

    Returns:
        The angles (θ1, θ2, θ3) [rad], with the working mode first; the signs of (B_11, B_22, B_33) of each mode; and
        whether the orientation is within reach. If not, the angles are those of closest approach.
    """
    arm = wrist.platform_points(rotation)
    legs = _leg_roots(wrist, arm)
    theta3 = leg_from_rotation(rotation)[0]
    first = (legs.rising[0], legs.falling[0])
    second = (legs.rising[1], legs.falling[1])
    third = (theta3, wrap(theta3 + jnp.pi))
    index = [(i, j, k) for k in (0, 1) for i in (0, 1) for j in (0, 1)]
    angles = jnp.stack([jnp.stack([first[i], second[j], third[k]]) for i, j, k in index])
    signs = jnp.array([[1.0 - 2.0 * n for n in row] for row in index])
    return angles, signs, posture(wrist, rotation).reachable


def inverse_kinematics(wrist: Wrist, rotation: ArrayLike) -> Float[Array, "*batch 3"]:
    """Motor angles (θ1, θ2, θ3) [rad] of the working mode, for one orientation or an array of them.

    Args:
        wrist: the design.
        rotation: rotations from the mobile to the fixed frame; the last two axes are those of the matrix.

    Raises:
        ValueError: the matrix is not a rotation, or a leg cannot reach the orientation. Inside jit the same errors
            are raised when the compiled function runs; `posture` gives a mask instead.
    """
    matrix = finite("rotation", rotation)
    if matrix.shape[-2:] != (3, 3):
        raise ValueError(f"rotation has shape {matrix.shape}: must end in (3, 3)")
    flat = matrix.reshape(-1, 3, 3)
    return _refuse(*_batch(wrist, flat)).reshape(*matrix.shape[:-2], 3)


@eqx.filter_jit
def _batch(wrist, rotations):
    """Angles, whether each matrix is a rotation, reach of the legs, and whether all close."""
    skew = jnp.max(jnp.abs(jnp.swapaxes(rotations, 1, 2) @ rotations - jnp.eye(3)[None]), axis=(1, 2))
    proper = (skew < 1e-6) & (jnp.linalg.det(rotations) > 0.0)
    poses = jax.vmap(posture, in_axes=(None, 0))(wrist, rotations)
    return poses.angles, proper, poses.reach, poses.reachable


def _refuse(angles, proper, reach, reachable):
    no_rotation = "rotation: must be a rotation matrix (orthonormal within 1e-6, determinant 1)"
    no_reach = "rotation: out of reach of the wrist"
    if isinstance(angles, Tracer):
        angles = eqx.error_if(angles, ~proper[:, None], no_rotation)
        return eqx.error_if(angles, ~reachable[:, None], no_reach)
    if not np.all(proper):
        raise ValueError(f"{no_rotation}; entry {int(np.argmin(proper))} of {proper.shape[0]} is not")
    if not np.all(reachable):
        worst = int(np.argmin(reachable))
        legs = [str(i + 1) for i in range(2) if reach[worst, i] <= 0.0]
        why = f"the rod of leg {' and '.join(legs)} is too short or too long" if legs else "cos φ = 0"
        raise ValueError(f"{no_reach} at entry {worst} of {reachable.shape[0]}: {why}")
    return angles


def _leg_roots(wrist: Wrist, arm: Float[Array, "2 3"]) -> Roots:
    """Crank angles at which |C_i - A_i - l_i(θ_i)| equals the length of the rod; the slope is 2 B_ii."""
    d = arm - wrist.motor
    along = lambda direction: jnp.sum(d * direction, axis=1)  # noqa: E731
    zero = wrist.crank_zero
    raised = wrist.crank_vectors(jnp.full(2, 0.5 * jnp.pi)) / wrist.crank[:, None]
    E = 2.0 * wrist.crank * along(zero)
    F = 2.0 * wrist.crank * along(raised)
    G = wrist.crank**2 + along(d) - wrist.rod**2
    return roots(E, F, G)
