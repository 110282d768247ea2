"""Direct kinematics: orientation of the platform from the motor angles, in closed form."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Bool, Float

from spatial import finite

from .closure import Roots, roots
from .design import Wrist
from .orientation import rotation_from_leg


class Assembly(eqx.Module):
    """The wrist assembled at given motor angles, in its working mode.

    Attributes:
        rotation: rotation from the mobile to the fixed frame.
        leg: the central leg's angles (θ3, φ, ψ) [rad].
        closes: squares of (r1·z'', r2·z_m), each over |r_i|; negative if the leg does not close [-].
    """

    rotation: Float[Array, "*n 3 3"]
    leg: Float[Array, "*n 3"]
    closes: Float[Array, "*n 2"]

    @property
    def assembled(self) -> Bool[Array, "*n"]:
        """Whether both rods close, and cos φ > 0."""
        return jnp.all(self.closes > 0.0, axis=-1) & (jnp.cos(self.leg[..., 1]) > 1e-9)


@eqx.filter_jit
def assembly(wrist: Wrist, angles: Float[Array, "3"]) -> Assembly:
    """Orientation in the working mode; returns a mask instead of raising, for use in jit, vmap and grad.

    In the working mode r1·z'' > 0, r2·z_m > 0 and cos φ > 0; det A is proportional to the product of the first two. The
    selector r2·p2 that [CHA08] prints has the same value on both branches of ψ and cannot distinguish them.

    Args:
        wrist: the design.
        angles: motor angles (θ1, θ2, θ3) [rad].
    """
    B = wrist.motor + wrist.crank_vectors(angles[:2])
    first = _phi_roots(wrist, B[0], angles[2])
    phi = first.rising
    second = _psi_roots(wrist, B[1], angles[2], phi)
    leg = jnp.stack([angles[2], phi, second.falling])
    slopes = jnp.stack([first.discriminant, second.discriminant])
    return Assembly(rotation_from_leg(leg), leg, slopes / (2.0 * wrist.platform * wrist.rod) ** 2)


@eqx.filter_jit
def direct_branches(
    wrist: Wrist, angles: Float[Array, "3"]
) -> tuple[Float[Array, "4 3"], Float[Array, "4 2"], Bool[Array, "4"]]:
    """The four assembly modes of the wrist at given motor angles. [CHA08, fig. 13]

    Args:
        wrist: the design.
        angles: motor angles (θ1, θ2, θ3) [rad].

    Returns:
        The central leg's angles (θ3, φ, ψ) [rad], with the working mode first (valid where cos φ > 0); the signs of
        (r1·z'', r2·z_m) of each mode; and whether each mode closes. On the prototype, the last two modes are spurious
        solutions with φ = π/2, at which the rod of leg 1 is below O for any motor angles.
    """
    B = wrist.motor + wrist.crank_vectors(angles[:2])
    first = _phi_roots(wrist, B[0], angles[2])
    legs, closes = [], []
    for phi in (first.rising, first.falling):
        second = _psi_roots(wrist, B[1], angles[2], phi)
        for psi in (second.falling, second.rising):
            legs.append(jnp.stack([angles[2], phi, psi]))
            closes.append((first.discriminant > 0.0) & (second.discriminant > 0.0))
    signs = jnp.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    return jnp.stack(legs), signs, jnp.stack(closes)


def direct_kinematics(wrist: Wrist, angles: ArrayLike) -> Float[Array, "*batch 3 3"]:
    """Rotation from the mobile to the fixed frame in the working mode, for one set of angles or an array.

    Args:
        wrist: the design.
        angles: motor angles (θ1, θ2, θ3) [rad], along the last axis.

    Raises:
        ValueError: the wrist cannot be assembled at these angles. Inside jit the same error is raised when the compiled
            function runs; `assembly` gives a mask instead.
    """
    theta = finite("angles", angles)
    if theta.shape[-1:] != (3,):
        raise ValueError(f"angles has shape {theta.shape}: must end in (3,)")
    flat = theta.reshape(-1, 3)
    rotation, good = _batch(wrist, flat)
    rule = "angles: the rods cannot be assembled in the working mode"
    if isinstance(rotation, Tracer):
        rotation = eqx.error_if(rotation, ~good[:, None, None], rule)
    elif not np.all(good):
        worst = int(np.argmin(good))
        raise ValueError(f"{rule} at entry {worst} of {good.shape[0]}, angles = {flat[worst].tolist()} rad")
    return rotation.reshape(*theta.shape[:-1], 3, 3)


@eqx.filter_jit
def _batch(wrist, angles):
    """Rotations, and whether the wrist can be assembled at each."""
    done = jax.vmap(assembly, in_axes=(None, 0))(wrist, angles)
    return done.rotation, done.assembled


def _phi_roots(wrist: Wrist, B: Float[Array, "3"], theta3: Float[Array, ""]) -> Roots:
    """Roots φ of |C1 - B1| = |r1| with C1 = |p1| (C3 Cφ, S3 Cφ, -Sφ). [CHA08, eq. (10)]

    2 C1·B1 has the slope 2 |p1| r1·z'' in φ, so the rising root has r1·z'' > 0.
    """
    p = wrist.platform[0]
    E = 2.0 * p * (jnp.cos(theta3) * B[0] + jnp.sin(theta3) * B[1])
    F = -2.0 * p * B[2]
    return roots(E, F, p**2 + jnp.sum(B * B) - wrist.rod[0] ** 2)


def _psi_roots(wrist: Wrist, B: Float[Array, "3"], theta3: Float[Array, ""], phi: Float[Array, ""]) -> Roots:
    """Roots ψ of |C2 - B2| = |r2| with C2 = |p2| (y' cos ψ + z'' sin ψ). [CHA08, eq. (11)]

    2 C2·B2 has the slope -2 |p2| r2·z_m in ψ, so the falling root has r2·z_m > 0.
    """
    p = wrist.platform[1]
    c3, s3 = jnp.cos(theta3), jnp.sin(theta3)
    E = 2.0 * p * (c3 * B[1] - s3 * B[0])
    F = 2.0 * p * (jnp.sin(phi) * (c3 * B[0] + s3 * B[1]) + jnp.cos(phi) * B[2])
    return roots(E, F, p**2 + jnp.sum(B * B) - wrist.rod[1] ** 2)
