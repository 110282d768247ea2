"""The motion of a soft beam in time."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool

from gaits.feedback.loop import ClosedLoop, LoopMemory, open_or_closed
from gaits.feedback.steered import Steered
from gaits.impulse_balance import check_in_time
from gaits.refusals import check_gait
from hydro import AbstractFluid
from stepping import Marcher, Point, Span, break_times, implicit_steps, integrate, program, unit_quaternions
from stepping.tableaus import ARK5

from ..grid_error import Limits
from ..panel_limits import curvature_turns, relative_turn
from ..state import HeadState
from ..strain import Gait
from ..trajectory import Trajectory, driven_gait
from .body_view import SoftView
from .mechanism import SoftMechanism, states_of
from .sampled_soft import sample_soft
from .soft_beam import Soft, SoftState, start_of
from .soft_error import examined


def soft_motion(
    soft: Soft,
    gait: Gait | Steered | None,
    fluid: AbstractFluid,
    span: Span,
    state: HeadState | SoftState | None,
    memory: LoopMemory | None,
    path: Any,
    marcher: Marcher | None,
    land: bool,
) -> tuple[Trajectory, Bool[Array | np.ndarray, ""]]:
    """The motion of a soft beam, and whether its gait is wrong at some time; arguments as those of `rollout`.

    Args:
        soft: the body.
        gait: imposed strains; None for none.
        fluid: the fluid around it.
        span: times of the run, with a fixed step if there is no marcher.
        state: state of head and modes at the first time; at rest when None.
        memory: memory of a steered gait at the first time; its initial memory when None.
        path: a `Panels` path.
        marcher: steps with error control; None for equal implicit steps.
        land: step onto the output times.
    """
    sampled = sample_soft(soft, fluid, path.order, path.panels)
    begin, wrong = start_of(soft, state), np.zeros((), bool)
    loop, states = _closed(sampled, gait, fluid, span.t0, begin, memory)
    law = loop.held(span.t0, states)
    if law is not None:
        wrong = check_in_time(law, soft.length, span.t0, span.t1)
    if marcher is None:
        run = _stepped(sampled, loop, fluid, span, (begin, states))
    else:
        run = _integrate(sampled, loop, fluid, span, (begin, states), marcher, land)
    return examined(sampled, driven_gait(gait, run), fluid, path, run), wrong


def even_steps(span: Span, times: Any, dt0: Any) -> Span:
    """The span with equal steps of at most dt0 [s] between its evenly spaced output times; `times` [s] must be None."""
    if times is not None:
        raise ValueError("times: equal implicit steps (dt0) end at even output times: give samples, or leave out dt0")
    return span.with_steps(dt0)


def _mechanism(sampled, loop, fluid):
    if isinstance(loop, ClosedLoop):
        return SoftMechanism(sampled, None, fluid, closed=loop)
    return SoftMechanism(sampled, loop.law, fluid)


def _closed(sampled, gait, fluid, t0, state, memory):
    """The feedback loop of a gait on a soft beam, and its initial memory."""
    view = lambda law: SoftView.of(sampled, law, fluid, t0, state)  # noqa: E731
    loop, states = open_or_closed(gait, t0, view, memory, lambda law: None if law is None else check_gait(law))
    if isinstance(loop, ClosedLoop) and loop.size < sampled.soft.commands:
        raise ValueError(
            f"the actuators read {sampled.soft.commands} commands: the controller gives {loop.size}; they read its last"
        )
    if isinstance(loop, ClosedLoop) and loop.sampling is not None:
        raise ValueError("a soft beam takes no ShiftRegister: give its sensors a gaits.feedback.Delay")
    return loop, states


@program
def _integrate(sampled, loop, fluid, span, start, marcher, land):
    """The compiled part for a soft beam and steps with error control."""
    mechanism = _mechanism(sampled, loop, fluid)
    begin = mechanism.start(*start)
    extra = sum(jnp.size(part) for part in jax.tree.leaves(begin.memory))
    march = integrate(mechanism, begin, span, marcher, mechanism, False, land, extra)
    return _trajectory(mechanism, span, march.states, march.steps, march.reached, begin)


@program
def _stepped(sampled, loop, fluid, span, start):
    """The compiled part for a soft beam and equal implicit steps."""
    mechanism = _mechanism(sampled, loop, fluid)
    begin = mechanism.start(*start)
    points = implicit_steps(mechanism, begin, span, mechanism.tableau(ARK5), breaks=break_times(mechanism))
    steps = jnp.asarray([span.between * span.records, 0])
    return _trajectory(mechanism, span, points, steps, jnp.asarray(True), begin)


def _trajectory(mechanism, span, points, steps, reached, begin):
    sampled, gait, record = mechanism.sampled, mechanism.gait, None
    head, q, dq = states_of(mechanism, span.times, points)
    if mechanism.closed is not None:
        loop = mechanism.closed

        def at(parts):
            t, position, quaternion, free, velocity, memory = parts
            point = Point((position, quaternion), free, velocity, memory)
            return mechanism.now(t, point, mechanism.state(t, point))

        states = points.pose[0], unit_quaternions(points.pose[1]), points.free, points.velocity
        first = (span.t0, *begin.pose, begin.free, begin.velocity, begin.memory)
        record = loop.recorded(at, span.times, states, points.memory, first)
        gait = loop.steered.replay(record)

    def turns(at):
        t, q = at
        return curvature_turns(sampled.strains(gait, q, jnp.zeros_like(q), t).xi[:, 3:], sampled.body)

    turn = jnp.max(relative_turn(jax.lax.map(turns, (span.times, q))))
    succeeded = reached & jnp.all(jnp.isfinite(head.twist)) & jnp.all(jnp.isfinite(dq))
    parts = (span.times, head.position, head.quaternion, head.twist, steps, succeeded, Limits(None, turn))
    return Trajectory(*parts, q=q, dq=dq, feedback=record)
