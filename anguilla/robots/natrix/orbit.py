"""Periodic swimming of NATRIX at the surface and its stability: Floquet multipliers.

Weight and buoyancy are invariant under horizontal translation and rotation about the vertical. The robot therefore
conserves its horizontal momentum and its vertical angular momentum, which are zero after a start at rest. The reduced
system has three degrees of freedom (height, roll, pitch) and is driven at the frequency of the gait. It is
conservative, so its multipliers come in pairs λ, 1/λ: if all are on the unit circle, the motion is neutrally stable; a
pair off the circle means that the roll grows.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from gaits import Orbit, periodic_orbit
from hydro import FreeSurface
from multibody.floating_batch import Point, floating_rate
from multibody.floating_rest import equilibrium
from multibody.imposed_shape import ShapeMotion, shape_motion
from multibody.state import unchecked_state
from multibody.tree import Tree
from spatial import Numbers, angular, cross, finite, join, linear, positive, solve
from stepping import Span, explicit_steps

from .laws import JOINTS, UndulationLaw, natrix_undulation

# Units of the six coordinates, so that all are of order one: m, rad, rad, kg·m/s, kg·m²/s twice.
SCALE = (0.01, 1.0, 0.1, 0.1, 0.1, 1.0)


def natrix_orbit(
    tree: Tree,
    surface: FreeSurface,
    amplitude: Numbers,
    frequency: Numbers,
    *,
    steps: int = 256,
    guess: Numbers | None = None,
    transient: int = 0,
    tolerance: float = 1e-9,
    max_iterations: int = 30,
) -> Orbit:
    """Finds the periodic motion under the undulation (18) by Newton's method; `converged` tells whether it was found.

    Args:
        tree: the robot.
        surface: the water, without a flow model.
        amplitude: Q [rad].
        frequency: F [Hz].
        steps: steps of the classical Runge-Kutta method per period.
        guess: six initial coordinates, as in `Orbit.start`; the straight robot at rest when None.
        transient: number of periods simulated before Newton's method starts.
        tolerance: largest accepted residual, in units of `SCALE`.
        max_iterations: maximum number of iterations.

    Returns:
        The orbit; its six coordinates are height of the centre of mass, roll, pitch, vertical momentum, and angular
        momentum about the centre of mass along and normal to the heading, in units of `SCALE`.
    """
    frequency = positive("frequency", frequency, "Hz")
    law = natrix_undulation(amplitude, frequency)
    if guess is None:
        rest = equilibrium(tree, jnp.zeros(JOINTS), surface).coordinates
        guess = jnp.concatenate([rest, jnp.zeros(3)]) / jnp.asarray(SCALE)
    return _orbit(tree, surface, law, finite("guess", guess, (6,)), steps, transient, tolerance, max_iterations)


@eqx.filter_jit
def _orbit(tree, surface, law, guess, steps, transient, tolerance, max_iterations):
    return periodic_orbit(
        lambda x, law: period_map(tree, surface, law, x, steps),
        guess,
        law,
        transient=transient,
        tolerance=tolerance,
        max_iterations=max_iterations,
        step_limit=0.5,
        throw=False,
    )


def period_map(
    tree: Tree, surface: FreeSurface, law: UndulationLaw, x: Float[Array, "6"], steps: int
) -> Float[Array, "6"]:
    """The coordinates of `natrix_orbit` one period later, in units of `SCALE`, in world axes."""
    period = 1.0 / law.frequency
    # The first whole number of periods at which the smooth start has ended.
    begin = jnp.ceil(law.start.break_times[-1] / period) * period
    assert tree.strips is not None
    section, weight = tree.strips.points.section, tree.strips.points.weight
    motion = lambda t: shape_motion(tree, law, t)  # noqa: E731
    field = lambda _, y, shape: floating_rate(shape, surface, section, weight, y)  # noqa: E731
    first = motion(begin)
    start = from_coordinates(first, x * jnp.asarray(SCALE))
    points = explicit_steps(field, start, Span.counted(begin, period / steps, steps), shared=motion)
    return to_coordinates(first, jax.tree.map(lambda part: part[-1], points)) / jnp.asarray(SCALE)


def from_coordinates(shape: ShapeMotion, x: Float[Array, "6"]) -> Point:
    """Position, quaternion and twist of the base, with zero heading, horizontal momentum and vertical spin."""
    roll, pitch = 0.5 * x[1], 0.5 * x[2]
    cr, sr, cp, sp = jnp.cos(roll), jnp.sin(roll), jnp.cos(pitch), jnp.sin(pitch)
    quaternion = jnp.stack([cp * cr, cp * sr, sp * cr, -sp * sr])
    R = unchecked_state(jnp.zeros(3), quaternion, jnp.zeros(6)).rotation
    arm, zero = R @ _centre(shape), jnp.zeros(())
    force, spin = jnp.stack([zero, zero, x[3]]), jnp.stack([x[4], x[5], zero])
    about_base = join(R.T @ force, R.T @ (spin + cross(arm, force)))
    twist = solve(shape.inertia, about_base - shape.momentum)
    return jnp.stack([zero, zero, x[0]]) - arm, quaternion, twist


def to_coordinates(shape: ShapeMotion, y: Point) -> Float[Array, "6"]:
    """Height, roll, pitch and momenta of a state of the base, for any heading."""
    position, quaternion, twist = y
    R = unchecked_state(position, quaternion, twist).rotation
    arm = R @ _centre(shape)
    momentum = shape.inertia @ twist + shape.momentum
    force = R @ linear(momentum)
    spin = R @ angular(momentum) - cross(arm, force)
    ahead = R[:2, 0] / jnp.sqrt(jnp.sum(R[:2, 0] ** 2))  # heading
    along, across = ahead @ spin[:2], ahead[0] * spin[1] - ahead[1] * spin[0]
    roll, pitch = jnp.arctan2(R[2, 1], R[2, 2]), -jnp.arcsin(R[2, 0])
    return jnp.stack([(position + arm)[2], roll, pitch, force[2], along, across])


def _centre(shape):
    """Centre of mass in the base frame: the first moments are in the lower left block, m c^."""
    lower = shape.inertia[3:, :3]
    return jnp.stack([lower[2, 1], lower[0, 2], lower[1, 0]]) / shape.inertia[0, 0]
