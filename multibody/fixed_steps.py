"""Constant steps of the classical Runge-Kutta method: the integrator of [XHLB23], and the one for large batches.

`rollout` adapts its steps and steps onto the breaks of a law; a march does neither. In exchange it is one loop of
known length: it maps over batches without waiting for the slowest run, and its error is a smooth function of all
parameters.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from hydro import AbstractFluid, Void
from spatial import Numbers, finite

from .coordinates import JointLaw, check_law
from .immersion import immerse
from .state import BaseState
from .trajectory import Drive, Trajectory, Wrench, recorded_points
from .tree import Tree

STAGES = np.array([0.0, 0.5, 0.5, 1.0])
WEIGHTS = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0


def march(
    tree: Tree,
    law: JointLaw | None,
    fluid: AbstractFluid | None = None,
    t1: float = 10.0,
    *,
    dt: float = 1e-3,
    t0: float = 0.0,
    every: int = 1,
    state: BaseState | None = None,
    joints: Numbers | None = None,
    joint_rates: Numbers | None = None,
    wrench: Wrench | None = None,
    gravity: Numbers | None = None,
    remember: bool = True,
) -> Trajectory:
    """Moves a tree by equal steps of the classical fourth-order Runge-Kutta method. jit-, vmap- and grad-safe.

    Args:
        tree: the bodies.
        law: t -> positions of the actuated joints; None when all joints are passive.
        fluid: the fluid around the bodies; None for none.
        t1: last time, a known number [s].
        dt: step; the run must last a whole number of them [s].
        t0: first time, a known number [s].
        every: steps between two recorded instants.
        state: state of the base at t0; at rest at the world's origin when None.
        joints: positions of the passive joints at t0 [rad or m]; neutral when None.
        joint_rates: velocities of the passive joints at t0 [rad/s or m/s]; zero when None.
        wrench: (t, state, q, dq) -> what else the world does to the bodies, each in its frame [N, N·m].
        gravity: acceleration of gravity in the world [m/s²]; None for none.
        remember: keep what a reverse derivative needs; False computes it anew, for long runs.

    Returns:
        The run; `succeeded` tells whether all of it is finite.
    """
    check_law(tree, law)
    steps, records = counts(t0, t1, dt, every)
    state = BaseState() if state is None else state
    if not isinstance(state, BaseState):
        raise ValueError(f"state = {state!r}: must be a multibody.BaseState")
    pull = None if gravity is None else finite("gravity", gravity, (3,))
    drive = Drive(law, immerse(tree, Void() if fluid is None else fluid), None, wrench, pull)
    free_q, free_dq = tree.passive_positions, tree.passive_freedoms
    passive_q = tree.neutral()[free_q] if joints is None else finite("joints", joints, free_q.shape)
    passive_dq = jnp.zeros(len(free_dq)) if joint_rates is None else finite("joint_rates", joint_rates, free_dq.shape)
    start = (state.position, state.quaternion, state.twist, passive_q, passive_dq)
    clock = (jnp.asarray(t0, float), jnp.asarray((t1 - t0) / steps))
    return _march(tree, drive, start, clock, (every, records, remember))


def counts(t0: float, t1: float, dt: float, every: int) -> tuple[int, int]:
    """Number of steps and of records; refuses a run that does not last a whole number of them."""
    if not (isinstance(every, int) and every >= 1):
        raise ValueError(f"every = {every!r}: must be a positive integer")
    if not (np.isfinite(dt) and dt > 0 and np.isfinite(t0) and np.isfinite(t1) and t1 > t0):
        raise ValueError(f"t0 = {t0}, t1 = {t1}, dt = {dt}: t1 must come after t0, and dt be positive [s]")
    steps = round((t1 - t0) / dt)
    if steps < 1 or abs(steps * dt - (t1 - t0)) > 1e-6 * dt * max(steps, 1) or steps % every:
        raise ValueError(
            f"(t1 - t0)/dt = {(t1 - t0) / dt:g} steps with every = {every}: must be a whole multiple of `every`"
        )
    return steps, steps // every


@eqx.filter_jit
def _march(tree, drive, start, clock, counts):
    (t0, dt), (every, records, remember) = clock, counts

    def step(y, t):
        # The stages are a loop too: the dynamics is compiled once, not four times.
        def stage(carry, table):
            slope, total = carry
            share, weight = table
            there = jax.tree.map(lambda a, k: a + share * dt * k, y, slope)
            slope = drive.rates(tree, t + share * dt, there)[0]
            return (slope, jax.tree.map(lambda a, k: a + weight * dt * k, total, slope)), None

        still = jax.tree.map(jnp.zeros_like, y)
        return jax.lax.scan(stage, (still, y), (jnp.asarray(STAGES), jnp.asarray(WEIGHTS)))[0][1]

    step = step if remember else jax.checkpoint(step)

    def record(y, k):
        def inner(i, y):
            return step(y, t0 + (k * every + i) * dt)

        y = jax.lax.fori_loop(0, every, inner, y) if every > 1 else step(y, t0 + k * dt)
        return y, y

    _, rest = jax.lax.scan(record, start, jnp.arange(records))
    points = jax.tree.map(lambda first, later: jnp.concatenate([first[None], later]), start, rest)
    time = t0 + dt * every * jnp.arange(records + 1)
    none = jnp.zeros((records + 1, 0))
    return recorded_points(tree, drive, time, (*points, none), jnp.array([records * every, 0]))
