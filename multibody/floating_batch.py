"""Batches of floating robots that share a joint law, for studies of roll and capsizing.

The reduced dynamics of `shape_motion` are integrated by the classical Runge-Kutta method with constant steps. The
motion is that of `march` with a `hydro.FreeSurface` and gravity, several times faster. Internally, the last axis of
each array is that of the runs.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from hydro import FreeSurface, wet_part
from spatial import angular, cross, join, linear, quaternion_rate
from stepping import AbstractMotion, Span, break_times, explicit_steps, unit_quaternions, unstored_program

from .coordinates import JointLaw, check_law
from .imposed_shape import ShapeMotion, shape_motion
from .state import BaseState, unchecked_state
from .tree import Tree

Point = tuple[Float[Array, "3"], Float[Array, "4"], Float[Array, "6"]]  # position, quaternion, twist


class FloatRun(AbstractMotion):
    """The bases of many runs over time.

    Attributes:
        time: output times [s].
        position: positions of the bases in the world [m].
        quaternion: unit quaternions of the bases in the world.
        twist: twists of the bases, in their frames [m/s, rad/s].
    """

    time: Float[Array, "times"]
    position: Float[Array, "times runs 3"]
    quaternion: Float[Array, "times runs 4"]
    twist: Float[Array, "times runs 6"]

    @property
    def roll(self) -> Float[Array, "times runs"]:
        """Roll of the head: its first Euler angle θ_x, between -π and π [rad]. [XHLB23, V.B]"""
        w, x, y, z = jnp.moveaxis(self.quaternion, -1, 0)
        return jnp.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))


def float_march(
    tree: Tree,
    law: JointLaw,
    surface: FreeSurface,
    t1: float,
    state: BaseState,
    *,
    dt: float = 1e-3,
    t0: float = 0.0,
    every: int = 1,
    remember: bool = True,
) -> FloatRun:
    """Integrates a floating robot, all of whose joints follow a law, from several states at once.

    Args:
        tree: the tree; all joints actuated.
        law: t -> positions of the joints.
        surface: the water, without a flow model.
        t1: last time, a concrete number [s].
        state: states of the bases at t0; arrays with a leading axis of runs (see `jax.vmap` of `floating_state`).
        dt: time step; the duration must be a multiple of it [s].
        t0: first time, a concrete number [s].
        every: number of steps between two output times.
        remember: whether to store the intermediate values of reverse mode; False recomputes them, for long runs.
    """
    check_law(tree, law)
    if not isinstance(surface, FreeSurface) or surface.flow is not None:
        raise ValueError(
            f"surface = {surface!r}: must be a hydro.FreeSurface without a flow model; `march` accepts any fluid"
        )
    if state.position.ndim != 2:
        raise ValueError(f"state.position has shape {state.position.shape}: must have a leading axis of runs")
    span = Span.every(t0, t1, dt, every)
    start = tuple(jnp.moveaxis(part, 0, -1) for part in (state.position, state.quaternion, state.twist))
    position, quaternion, twist = _float_march(tree, law, surface, start, span, remember)
    last = lambda part: jnp.moveaxis(part, -1, 1)  # noqa: E731
    return FloatRun(span.times, last(position), unit_quaternions(last(quaternion)), last(twist))


@unstored_program
def _float_march(tree, law, surface, start, span, remember):
    """States of all runs at the output times; runs are the last axis."""
    section, weight = tree.strips.points.section, tree.strips.points.weight

    def field(_, points, shape):
        return jax.vmap(lambda *one: floating_rate(shape, surface, section, weight, one), -1, -1)(*points)

    motion = lambda t: shape_motion(tree, law, t)  # noqa: E731
    return explicit_steps(field, start, span, shared=motion, breaks=break_times(law), remember=remember)


def floating_rate(shape: ShapeMotion, surface: FreeSurface, section, weight: Float[Array, "points"], y: Point) -> Point:
    """Rates of position, quaternion and twist of the base of one floating run.

    Args:
        shape: the shape at this time.
        surface: the water.
        section: the sections of the tree's links.
        weight: length represented by each section [m].
        y: position, quaternion and twist of the base.
    """
    position, quaternion, twist = y
    base = unchecked_state(position, quaternion, twist)
    R, up = base.rotation, base.rotation[2]
    height = position[2] - surface.level + shape.position @ up
    lean = jnp.sum(shape.across * up[None, :, None], axis=1)
    wet = jax.vmap(wet_part)(section, height, lean)
    area = weight * wet.area
    moment = weight[:, None] * wet.first_moments
    lever = area @ shape.position + jnp.einsum("pa,pia->i", moment, shape.across)
    strength = surface.density * surface.gravity
    load = strength * join(jnp.sum(area) * up, cross(lever, up)) - surface.gravity * (shape.inertia[:, :3] @ up)
    if surface.damped:
        load = load + _damping(shape, surface, area / section.area, twist, up)
    return R @ linear(twist), quaternion_rate(quaternion, angular(twist)), shape.acceleration(twist, load)


def _damping(shape, surface, length, twist, up):
    """Linear damping of roll and heave on the wet length of each section."""
    moving = twist[None, :] + shape.velocity
    at_point = linear(moving) + cross(angular(moving), shape.position)
    rise = -surface.heave_damping * length * (at_point @ up)
    roll = -surface.roll_damping * length * jnp.sum(shape.along * angular(moving), axis=1)
    return join(jnp.sum(rise) * up, cross(rise @ shape.position, up) + roll @ shape.along)
