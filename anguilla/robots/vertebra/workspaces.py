"""Orientation workspace of a wrist within its limits, by the ray algorithm of [CHA08], and its motor angles.

For each torsion in turn, rays in the plane of the tilt start from the centre of the previous cross-section and stop at
the first limit. All rays of a cross-section are advanced together.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float

from spatial import positive

from .design import Wrist
from .direct import assembly
from .inverse import Posture, posture
from .limits import Limits, margins
from .orientation import rotation_from_tilt

DEGREE = np.pi / 180.0


class Workspace(eqx.Module):
    """The boundary of the workspace and its image in the space of the motor angles.

    Attributes:
        torsion: ψ of each cross-section, increasing [rad].
        tilt: boundary points (θ cos φ, θ sin φ) of each cross-section, one per ray [rad]; tilt and torsion are those of
            the platform relative to its home orientation.
        centre: starting point of the rays of each cross-section [rad].
        angles: motor angles (θ1, θ2, θ3 - home) at the boundary points [rad].
        margin: smallest margin of the limits at the boundary points [-]; zero within round-off of the tolerance.
        tolerance: maximum distance along a ray from a boundary point to the boundary [rad].
        torsion_step: spacing of the cross-sections, which is the resolution of the extreme torsions [rad].
    """

    torsion: Float[Array, "planes"]
    tilt: Float[Array, "planes rays 2"]
    centre: Float[Array, "planes 2"]
    angles: Float[Array, "planes rays 3"]
    margin: Float[Array, "planes rays"]
    tolerance: Float[Array, ""]
    torsion_step: Float[Array, ""]

    @property
    def torsion_range(self) -> Float[Array, "2"]:
        """Smallest and largest torsion [rad]."""
        return jnp.stack([self.torsion[0], self.torsion[-1]])

    @property
    def angle_ranges(self) -> Float[Array, "3 2"]:
        """Ranges of θ1, θ2 and θ3 - home over the boundary [rad]."""
        flat = self.angles.reshape(-1, 3)
        return jnp.stack([jnp.min(flat, axis=0), jnp.max(flat, axis=0)], axis=1)


@eqx.filter_jit
def platform_rotation(wrist: Wrist, tilt: Float[Array, "2"], torsion: Float[Array, ""]) -> Float[Array, "3 3"]:
    """Rotation from the mobile to the fixed frame, from a tilt and a torsion relative to home [rad]."""
    return rotation_from_tilt(tilt, torsion) @ wrist.home_rotation


@eqx.filter_jit
def worst_margin(wrist: Wrist, limits: Limits, tilt: Float[Array, "2"], torsion: Float[Array, ""]) -> Float[Array, ""]:
    """Smallest margin [-] at a tilt and a torsion relative to home [rad]; negative outside the workspace."""
    pose = posture(wrist, platform_rotation(wrist, tilt, torsion))
    return _worst(wrist, limits, pose)


def workspace(
    wrist: Wrist,
    limits: Limits | None = None,
    *,
    torsion_step: ArrayLike = DEGREE,
    rays: int = 72,
    march_step: ArrayLike = DEGREE,
    tolerance: ArrayLike = 1e-9,
) -> Workspace:
    """Finds the workspace by rays. [CHA08, The algorithm used to determine the workspace]

    A ray advances by equal steps to the first point that violates a limit and is then bisected to the tolerance. A hole
    thinner than a step can be missed. If a cross-section is not star-shaped about its centre, only the part visible
    from the centre is found. The geometric centre of a cross-section can violate a limit at the next torsion, if the
    cross-section is thin and bent, as near the extreme torsions. The rays then start from the point of the
    cross-section with the largest margin at the next torsion, and the search ends when this point violates a limit too.
    The number of cross-sections is a result, so this function cannot be traced.

    Args:
        wrist: the design.
        limits: limits of the wrist; `Limits()` by default.
        torsion_step: spacing of the cross-sections [rad].
        rays: number of rays in each cross-section.
        march_step: initial step along the rays [rad].
        tolerance: tolerance of the boundary along the rays [rad].

    Raises:
        ValueError: an argument is not positive, or the home orientation violates a limit.
    """
    if not isinstance(rays, int) or rays < 3:
        raise ValueError(f"rays = {rays!r}: must be an integer of at least 3")
    limits = Limits() if limits is None else limits
    numbers = [
        float(positive(f"workspace: {name}", value, "rad"))
        for name, value in (
            ("torsion_step", torsion_step),
            ("march_step", march_step),
            ("tolerance", tolerance),
        )
    ]
    planes = int(np.pi / numbers[0])
    home = float(worst_margin(wrist, limits, jnp.zeros(2), jnp.zeros(())))
    if home < 0.0:
        raise ValueError(f"the home orientation breaks a limit: its least margin is {home}")
    steps = jnp.array([numbers[0], -numbers[0]])
    sides = [_half_workspace(wrist, limits, step, planes, rays, numbers[1], numbers[2]) for step in steps]
    up, down = (tuple(field[: int(np.sum(alive))] for field in half) for half, alive in sides)
    torsion, tilt, centre = (jnp.concatenate([below[::-1], above[1:]]) for above, below in zip(up, down, strict=True))
    angles, margin = _image(wrist, limits, tilt, torsion)
    return Workspace(torsion, tilt, centre, angles, margin, jnp.asarray(numbers[2]), jnp.asarray(numbers[0]))


@eqx.filter_jit
def _half_workspace(wrist, limits, torsion_step, planes, rays, march_step, tolerance):
    """Cross-sections from torsion zero to one side, and a mask of those that exist."""
    azimuth = 2.0 * jnp.pi * jnp.arange(rays) / rays
    directions = jnp.stack([jnp.cos(azimuth), jnp.sin(azimuth)], axis=1)

    def section(centre, torsion):
        border = _cast_rays(wrist, limits, torsion, centre, directions, march_step, tolerance)
        candidates = _candidates(border, centre)
        ahead = jax.vmap(worst_margin, in_axes=(None, None, 0, None))(wrist, limits, candidates, torsion + torsion_step)
        best = jnp.where(ahead[0] >= 0.0, 0, jnp.argmax(ahead))
        return candidates[best], border

    def nothing(centre, torsion):
        return centre, jnp.broadcast_to(centre, (rays, 2))

    def plane(carry, index):
        centre, alive = carry
        torsion = torsion_step * index
        alive = alive & (worst_margin(wrist, limits, centre, torsion) >= 0.0)
        following, border = jax.lax.cond(alive, section, nothing, centre, torsion)
        return (following, alive), ((torsion, border, centre), alive)

    start = (jnp.zeros(2), jnp.asarray(True))
    _, (sections, alive) = jax.lax.scan(plane, start, jnp.arange(planes + 1, dtype=float))
    return sections, alive


def _cast_rays(wrist, limits, torsion, centre, directions, march_step, tolerance):
    """Last point of each ray before the first limit."""

    def inside(radius):
        tilt = centre[None, :] + radius[:, None] * directions
        worst = jax.vmap(worst_margin, in_axes=(None, None, 0, None))(wrist, limits, tilt, torsion)
        return worst >= 0.0

    def again(state):
        radius, step, _ = state
        return jnp.any((step >= tolerance) & (radius < jnp.pi))

    def advance(state):
        # Full steps up to the first limit, halved steps afterwards: one loop body, compiled once.
        radius, step, met = state
        ok = inside(radius + step)
        met = met | ~ok
        return jnp.where(ok, radius + step, radius), jnp.where(met, 0.5 * step, step), met

    count = directions.shape[0]
    start = (jnp.zeros(count), jnp.full(count, march_step), jnp.full(count, False))
    radius, _, _ = jax.lax.while_loop(again, advance, start)
    return centre[None, :] + radius[:, None] * directions


def _candidates(border, centre):
    """Candidate starting points of the next rays: the geometric centre, then points spread over the section."""
    fractions = jnp.linspace(0.0, 1.0, 9)[:, None, None]
    spread = centre[None, None, :] + fractions * (border - centre[None, :])[None]
    return jnp.concatenate([_centroid(border, centre)[None], spread.reshape(-1, 2)])


def _centroid(border, centre):
    """Geometric centre of the boundary polygon; the previous centre if the polygon has no area."""
    p = border - centre[None, :]
    q = jnp.roll(p, -1, axis=0)
    twice = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
    area = jnp.sum(twice)
    flat = area < 1e-14
    moment = jnp.sum((p + q) * twice[:, None], axis=0)
    return centre + jnp.where(flat, 0.0, moment / (3.0 * jnp.where(flat, 1.0, area)))


@eqx.filter_jit
def _image(wrist, limits, tilt, torsion):
    """Motor angles relative to home, and smallest margins, of the boundary points."""

    def point(tilt, torsion):
        pose = posture(wrist, platform_rotation(wrist, tilt, torsion))
        home = jnp.stack([jnp.zeros_like(wrist.home), jnp.zeros_like(wrist.home), wrist.home])
        return pose.angles - home, _worst(wrist, limits, pose)

    return jax.vmap(jax.vmap(point, in_axes=(0, None)))(tilt, torsion)


def _worst(wrist: Wrist, limits: Limits, pose: Posture) -> Float[Array, ""]:
    return jnp.min(margins(wrist, limits, pose))


@eqx.filter_jit
def inside_joint_space(
    wrist: Wrist, limits: Limits, angles: Float[Array, "3"], clearance: ArrayLike = 0.0
) -> Bool[Array, ""]:
    """Whether all margins are at least `clearance` at the motor angles (θ1, θ2, θ3) [rad]. [CHA08, fig. 21]"""
    done = assembly(wrist, angles)
    return done.assembled & (_worst(wrist, limits, posture(wrist, done.rotation)) >= clearance)
