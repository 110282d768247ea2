"""Mechanical limits of the wrist.

Every margin is a smooth dimensionless number: positive inside the limits, zero on the boundary, negative outside. It is
also defined out of reach of the legs, so that an optimiser can return from there.
"""

import math

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from spatial import finite, non_negative, positive, safe_norm
from spatial.printing import Printed

from .design import Wrist
from .inverse import Posture
from .rates import parallel_measures

CONE = math.radians(35.0)
# Names of the margins of `margins`, in their order.
MARGINS = (
    "ball joint B1",
    "ball joint B2",
    "ball joint C1",
    "ball joint C2",
    "crank 1 on base",
    "crank 2 on base",
    "rods apart",
    "singularity of leg 1",
    "singularity of leg 2",
    "singularity of leg 3",
)


class Limits(Printed):
    """Mechanical limits. [CHA08, Mechanical constraints]

    Attributes:
        cone: half angle of the cones in which the ball joints at B_i and C_i hold the rods ("lima") [rad].
        base: distance from the motor axis to the base under the crank ("limd"), in the unit of the design [length].
        rods: minimum distance between the two rods, their thickness, in the unit of the design [length].
        singularity: minimum value of the parallel measures and of cos φ; see `singularity_margin`.
    """

    cone: Float[Array, ""]
    base: Float[Array, ""]
    rods: Float[Array, ""]
    singularity: Float[Array, ""]

    def __init__(
        self,
        cone: ArrayLike = CONE,
        base: ArrayLike = 0.2067,
        rods: ArrayLike = 0.1,
        singularity: ArrayLike = 0.1,
    ):
        """The defaults are for |OC| = 1.

        The cone of 35° and the base at 0.2067 are not published, nor is the thickness of the rods. They reproduce the
        published range of crank angles, from -17° to 38°. [CHA08]
        """
        left = positive("π/2 - Limits.cone", 0.5 * jnp.pi - finite("Limits.cone", cone, ()), "rad")
        self.cone = non_negative("Limits.cone", 0.5 * jnp.pi - left, "rad")
        self.base = finite("Limits.base", base, ())
        self.rods = non_negative("Limits.rods", rods)
        self.singularity = non_negative("Limits.singularity", singularity)


@eqx.filter_jit
def margins(wrist: Wrist, limits: Limits, pose: Posture) -> Float[Array, "10"]:
    """All margins [-], in the order of `MARGINS`.

    - Ball joint B_i: cos² of the angle between the rod and the normal i_i × l_i of the crank, minus cos² of the cone
      angle. The first term is the `reach` of the leg, so that this margin extends smoothly to orientations where no
      crank angle closes the leg.
    - Ball joint C_i: cos of the angle between the rod and z_m, minus cos of the cone angle.
    - Crank on base: sin θ_i + limd/|l_i|, so that the crank stays above -limd. [CHA08] prints sin(θ_i)L_i > limd, which
      excludes the home position.
    - Rods apart: distance between the segments B1C1 and B2C2 minus the limit, over the length of a rod.
    - Singularities: (r1·z'')/|r1|, (r2·z_m)/|r2| and cos φ minus the limit.

    Args:
        wrist: the design.
        limits: limits of the wrist.
        pose: a posture of the wrist.
    """
    cos_cone = jnp.cos(limits.cone)
    at_C = pose.rod @ pose.rotation[:, 2] / wrist.rod
    crank_height = jnp.sin(pose.angles[:2]) + limits.base / wrist.crank
    apart = (rod_distance(pose) - limits.rods) / jnp.mean(wrist.rod)
    regular = jnp.concatenate([parallel_measures(wrist, pose), jnp.cos(pose.leg[1:2])])
    return jnp.concatenate(
        [
            pose.reach - cos_cone**2,
            at_C - cos_cone,
            crank_height,
            apart[None],
            regular - limits.singularity,
        ]
    )


def rod_distance(pose: Posture) -> Float[Array, ""]:
    """Minimum distance between the rods B1C1 and B2C2 [length].

    [CHA08] samples points along one rod and projects them on the other. Here the minimum is in closed form: the
    distance of the two lines if their common normal meets both rods, otherwise the distance from one of the four ends.
    """
    u, v = pose.rod
    tail = (pose.arm - pose.rod)[0] - (pose.arm - pose.rod)[1]
    uu, vv, uv = u @ u, v @ v, u @ v
    tu, tv = tail @ u, tail @ v
    det = uu * vv - uv * uv
    crossed = det > 1e-12 * uu * vv
    safe = jnp.where(crossed, det, 1.0)
    s = (uv * tv - vv * tu) / safe
    t = (uu * tv - uv * tu) / safe
    inside = crossed & (s > 0.0) & (s < 1.0) & (t > 0.0) & (t < 1.0)
    gap = lambda a, b: safe_norm(tail + a * u - b * v)  # noqa: E731
    within = lambda x: jnp.clip(x, 0.0, 1.0)  # noqa: E731
    ends = [
        gap(0.0, within(tv / vv)),
        gap(1.0, within((tv + uv) / vv)),
        gap(within(-tu / uu), 0.0),
        gap(within((uv - tu) / uu), 1.0),
    ]
    between = jnp.where(inside, gap(jnp.where(inside, s, 0.0), jnp.where(inside, t, 0.0)), jnp.inf)
    nearest = jnp.min(jnp.stack(ends))
    return jnp.minimum(nearest, jnp.where(inside, between, nearest))
