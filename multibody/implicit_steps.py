"""Constant steps that are implicit in the springs and dampers of passive joints, and explicit in all the rest.

Short links on stiff, damped joints move back to where the load holds them within microseconds. Explicit steps must
be as short, or explode; here only what moves slowly decides the step.

A step splits the motion y' = f(t, y) = (f - J (y - y0)) + J (y - y0) and takes the first part by the explicit, the
second by the implicit half of an additive Runge-Kutta method of order five [KC03]. J holds the springs and dampers of
the joints against the inertia at the start of the step, so that a stage solves

    (A + hγ C + (hγ)² K) dv = A r_v - hγ K r_q,   dq = r_q + hγ dv

with the same symmetric positive definite matrix in all stages. Whatever J is, the order stays: it decides about
stability alone.
"""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from hydro import AbstractFluid, Void
from spatial import Numbers, finite, positive, solve_spd

from .coordinates import JointLaw, check_law
from .hybrid import mass_matrix
from .immersion import immerse
from .state import BaseState
from .trajectory import Drive, Integrand, Trajectory, recorded_points
from .tree import Tree

_EXPLICIT, _IMPLICIT = diffrax.KenCarp5.tableau.tableaus
STAGES = _EXPLICIT.num_stages
_lower = lambda rows: np.stack([np.pad(row, (0, STAGES - len(row))) for row in (np.zeros(0), *rows)])  # noqa: E731
A_EXPLICIT, A_IMPLICIT = _lower(_EXPLICIT.a_lower), _lower(_IMPLICIT.a_lower)
WEIGHTS = np.asarray(_EXPLICIT.b_sol)  # of both halves
TIMES = np.concatenate([np.zeros(1), _EXPLICIT.c])
GAMMA = float(np.asarray(_IMPLICIT.a_diagonal)[-1])  # of all stages but the first, which is explicit


def stiff_march(
    tree: Tree,
    law: JointLaw | None,
    fluid: AbstractFluid | None = None,
    *,
    dt: Numbers,
    steps: int | Array,
    records: int = 1,
    t0: Numbers = 0.0,
    state: BaseState | None = None,
    joints: Numbers | None = None,
    joint_rates: Numbers | None = None,
    gravity: Numbers | None = None,
    integrand: Integrand | None = None,
) -> Trajectory:
    """Moves a tree by equal steps, which the springs and dampers of its joints do not bound. jit-, vmap-, jvp-safe.

    One compiled program serves any number of steps between records; derivatives go forward.

    Args:
        tree: the bodies; passive joints must be revolute or prismatic, with springs and dampers or without.
        law: t -> positions of the actuated joints; None when all joints are passive.
        fluid: the fluid around the bodies; None for none.
        dt: time step [s]; may be traced.
        steps: between two records; may be traced.
        records: instants recorded after the first.
        t0: first time [s].
        state: state of the base at t0; at rest at the world's origin when None.
        joints: positions of the passive joints at t0 [rad or m]; neutral when None.
        joint_rates: velocities of the passive joints at t0 [rad/s or m/s]; zero when None.
        gravity: acceleration of gravity in the world [m/s²]; None for none.
        integrand: as in `rollout`.

    Returns:
        The run; `succeeded` tells whether all of it is finite.
    """
    check_law(tree, law)
    odd = {kind for kind, told in zip(tree.kinds, tree.actuated, strict=True) if not told} - {"revolute", "prismatic"}
    if odd or not tree.floating:
        what = f"{', '.join(sorted(odd))} joints that are passive" if odd else "a fixed base"
        raise ValueError(f"stiff_march: the tree has {what}: must float, its passive joints revolute or prismatic")
    if not isinstance(records, int) or records < 1:
        raise ValueError(f"stiff_march: records = {records!r}: must be a positive integer")
    state = BaseState() if state is None else state
    free = tree.passive_freedoms
    passive_q = tree.neutral()[tree.passive_positions] if joints is None else finite("joints", joints, free.shape)
    passive_dq = jnp.zeros(len(free)) if joint_rates is None else finite("joint_rates", joint_rates, free.shape)
    pull = None if gravity is None else finite("gravity", gravity, (3,))
    drive = Drive(law, immerse(tree, Void() if fluid is None else fluid), None, None, pull)
    start = (state.position, state.quaternion, state.twist, passive_q, passive_dq)
    clock = (jnp.asarray(t0, float), positive("dt", dt, "s"), jnp.asarray(steps))
    return _march(tree, drive, integrand, start, clock, records)


@eqx.filter_jit
def _march(tree, drive, integrand, start, clock, records):
    """The compiled part of `stiff_march`."""
    t0, dt, steps = clock
    none = jnp.zeros(0)

    def field(t, point):
        rates, (base, q, dq, motion) = drive.rates(tree, t, point)
        return (*rates, none if integrand is None else integrand(t, base, q, dq, motion)), q

    counted = jax.eval_shape(lambda point: field(t0, point)[0][-1], start)
    y0, unravel = ravel_pytree((*start, jnp.zeros(counted.shape)))
    step = Step(tree, drive, lambda t, y: _flat(field, t, unravel(y)), dt)

    def record(carry, _):
        def one(_, carry):
            k, y = carry
            return k + 1, step(t0 + k * dt, y)

        carry = jax.lax.fori_loop(0, steps, one, carry)
        return carry, carry

    _, (counts, later) = jax.lax.scan(record, (jnp.zeros((), int), y0), None, length=records)
    points = jax.vmap(unravel)(jnp.concatenate([y0[None], later]))
    time = t0 + dt * jnp.concatenate([jnp.zeros(1, int), counts])
    return recorded_points(tree, drive, time, points, jnp.stack([counts[-1], jnp.zeros((), counts.dtype)]))


def _flat(field, t, y):
    rates, q = field(t, y[:-1])
    return ravel_pytree(rates)[0], q


class Step:
    """One step of a march: where the parts of the flat state are, and the stages."""

    def __init__(self, tree, drive, field, dt):
        n = len(tree.passive_freedoms)
        self.tree, self.medium, self.field, self.dt = tree, drive.medium, field, dt
        self.speed = np.concatenate([np.arange(7, 13), np.arange(13 + n, 13 + 2 * n)])  # twist and joint rates
        self.angle = np.arange(13, 13 + n)
        self.spring, self.damper = tree.stiffness[tree.passive_freedoms], tree.damping[tree.passive_freedoms]
        self.implicit = GAMMA * dt

    def __call__(self, t: Float[Array, ""], y: Float[Array, "n"]) -> Float[Array, "n"]:
        """The state a step later."""
        size = y.shape[0]

        # The stages are a loop too: the dynamics is compiled once.
        def stage(carry, table):
            slopes, stiff, inertia = carry
            k, share, explicit, implicit = table
            right = self.dt * (explicit @ slopes + (implicit - explicit) @ stiff)
            change = self.solved(inertia, right)
            slope, q = self.field(t + share * self.dt, y + change)
            slopes, stiff = slopes.at[k].set(slope), stiff.at[k].set((change - right) / self.implicit)
            # The inertia is that at the start of the step.
            return (slopes, stiff, jax.lax.cond(k == 0, self.inertia, lambda _, kept: kept, q, inertia)), None

        zero = jnp.zeros((STAGES, size))
        tables = np.arange(STAGES), TIMES, A_EXPLICIT, A_IMPLICIT
        begin = (zero, zero, jnp.eye(len(self.speed)))
        slopes = jax.lax.scan(stage, begin, jax.tree.map(jnp.asarray, tables))[0][0]
        return y + self.dt * (jnp.asarray(WEIGHTS) @ slopes)

    def inertia(self, q: Float[Array, "positions"], _: Float[Array, "m m"]) -> Float[Array, "m m"]:
        """Of the base and the passive joints [kg, kg·m, kg·m²]."""
        moving = np.concatenate([np.arange(6), 6 + self.tree.passive_freedoms])
        return mass_matrix(self.tree, q, fluid=self.medium)[np.ix_(moving, moving)]

    def solved(self, inertia: Float[Array, "m m"], right: Float[Array, "n"]) -> Float[Array, "n"]:
        """Solution of (1 - hγ J) change = right.

        A + hγ C + (hγ)² K is factored again in each stage, which is cheap beside the dynamics. A factor made beside
        the dynamics and kept would be a second factorisation at the same time as theirs, and of a batch of runs two
        at once wait for each other for ever: each holds a thread of XLA's pool while it waits for a free one.
        """
        joints = self.implicit * (self.damper + self.implicit * self.spring)
        matrix = inertia + jnp.diag(jnp.concatenate([jnp.zeros(6), joints]))
        pull = self.implicit * self.spring * right[self.angle]
        speed = solve_spd(matrix, inertia @ right[self.speed] - jnp.concatenate([jnp.zeros(6), pull]))
        angle = right[self.angle] + self.implicit * speed[6:]
        return right.at[self.speed].set(speed).at[self.angle].set(angle)
