"""Classical Runge-Kutta method with constant steps: the integrator of [XHLB23], suited to large batches.

`rollout` adapts its time step; `march` does not. `march` is therefore a single loop of known length: a batch need not
wait for its slowest run, and the error is a smooth function of all parameters.
"""

from collections.abc import Sequence

import jax.numpy as jnp

from hydro import AbstractFluid, Void
from spatial import Numbers, finite
from stepping import Span, break_times, explicit_steps, unstored_program

from .cables import Cable, check_cables, refuse_commands
from .coordinates import JointLaw, check_law
from .drive import Drive, Wrench
from .immersion import immerse
from .law_in_time import check_in_time
from .state import BaseState
from .trajectory import Trajectory, recorded_points, unless_wrong
from .tree import Tree


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
    actuators: Cable | Sequence[Cable] = (),
    gravity: Numbers | None = None,
    remember: bool = True,
) -> Trajectory:
    """Integrates a tree with equal steps of the classical fourth-order Runge-Kutta method. jit-, vmap- and grad-safe.

    Args:
        tree: the tree.
        law: t -> positions of the actuated joints; None if all joints are passive.
        fluid: the fluid around the bodies; None for no fluid.
        t1: last time, a concrete number [s].
        dt: time step; the duration must be a multiple of it [s].
        t0: first time, a concrete number [s].
        every: number of steps between two output times.
        state: state of the base at t0; at rest at the world's origin when None.
        joints: positions of the passive joints at t0 [rad or m]; neutral when None.
        joint_rates: velocities of the passive joints at t0 [rad/s or m/s]; zero when None.
        wrench: (t, state, q, dq) -> other external wrenches on the bodies, each in its frame [N, N·m].
            Steps end at its `break_times` [s], if it has any.
        actuators: cables between the bodies, see `Cable`.
        gravity: acceleration of gravity in the world [m/s²]; None for no gravity.
        remember: whether to store the intermediate values of reverse mode; False recomputes them, for long runs.

    Returns:
        The trajectory; `succeeded` is True if it is finite.
    """
    check_law(tree, law)
    span = Span.every(t0, t1, dt, every)
    state = BaseState() if state is None else state
    if not isinstance(state, BaseState):
        raise ValueError(f"state = {state!r}: must be a multibody.BaseState")
    pull = None if gravity is None else finite("gravity", gravity, (3,))
    medium, cables = immerse(tree, Void() if fluid is None else fluid), check_cables(tree, actuators)
    refuse_commands(cables)
    drive = Drive(law, medium, None, wrench, pull, actuators=cables)
    free_q, free_dq = tree.passive_positions, tree.passive_freedoms
    passive_q = tree.neutral()[free_q] if joints is None else finite("joints", joints, free_q.shape)
    passive_dq = jnp.zeros(len(free_dq)) if joint_rates is None else finite("joint_rates", joint_rates, free_dq.shape)
    start = (state.position, state.quaternion, state.twist, passive_q, passive_dq)
    wrong = check_in_time(tree, law, span.t0, span.t1)
    return unless_wrong(_march(tree, drive, start, span, remember), wrong)


@unstored_program
def _march(tree, drive, start, span, remember):
    """The compiled part of `march`."""
    field = lambda t, point: drive.rates(tree, t, point)[0]  # noqa: E731
    points = explicit_steps(field, start, span, breaks=break_times(drive.law, drive), remember=remember)
    none = jnp.zeros((span.records + 1, 0))
    return recorded_points(tree, drive, span.times, (*points, none), jnp.array([span.records * span.between, 0]))
