"""The motion of a body in time, as differentiable arrays."""

import dataclasses
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Float, Int

from gaits.feedback.replay import LoopRecord, SteeredMotion
from gaits.feedback.steered import Steered
from spatial import Numbers
from stepping import Span, unit_quaternions

from .grid_error import Limits, SpaceError
from .soft.soft_beam import SoftState, unchecked_soft_state
from .state import HeadState, unchecked_state
from .strain import Gait


class Trajectory(SteeredMotion):
    """Motion of the head in time, and of the free modes of a soft beam.

    Attributes:
        time: output times [s].
        position: position of the nose in the world [m].
        quaternion: orientation of the head in the world as a unit quaternion (w, x, y, z).
        twist: twist of the head, in its frame [m/s, rad/s].
        steps: numbers of accepted and rejected time steps.
        succeeded: whether the integration reached the last time, with a gait whose strains are finite with Γ1 > 0.
        limits: limits of the space path: the greatest turn at a few of the times, and the decay of its expansions if
            there is no estimate of the error.
        error: estimated error of the grid along X, and of the modes of a soft beam, at a few of the times [-]. None for
            a path that controls its own error, and inside `jax.jit`, where `cosserat.space_error` can be used.
        grid: number of panels used, and of panels that replace each load panel; None for a path without panels.
        dense: the continuous solution, if it was requested: see `state_at`.
        q: free modes of a soft beam [-, 1/m]; None for a beam.
        dq: rates of the free modes [1/s, 1/(m·s)]; None for a beam.
        feedback: memory, command and readings of a steered gait; None for other gaits.
    """

    time: Float[Array, "times"]
    position: Float[Array, "times 3"]
    quaternion: Float[Array, "times 4"]
    twist: Float[Array, "times 6"]
    steps: Int[Array, "2"]
    succeeded: Bool[Array, ""]
    limits: Limits
    error: SpaceError | None = None
    grid: tuple[int, int] | None = eqx.field(static=True, default=None)
    dense: diffrax.AbstractGlobalInterpolation | diffrax.DenseInterpolation | None = None
    q: Float[Array, "times modes"] | None = None
    dq: Float[Array, "times modes"] | None = None
    feedback: LoopRecord | None = None

    @property
    def coiled(self) -> Bool[Array, ""]:
        """Whether the gait coils the body within one panel more than the space path resolves."""
        turn: Any = self.limits.turn
        turn = turn if isinstance(turn, Tracer) else np.asarray(turn)  # with NumPy, nothing is compiled
        return ~(turn <= 1.0)

    def motion_alone(self) -> "Trajectory":
        """The times and states only, without solver statistics and error estimates."""
        nothing: Any = None
        unknown = {name: nothing for name in ("steps", "succeeded", "limits", "error", "grid", "dense")}
        return dataclasses.replace(self, **unknown)

    def state(self, k: int | Int[Array, ""]) -> HeadState | SoftState:
        """The state at the k-th output time."""
        head = super().state(k)
        return head if self.q is None or self.dq is None else unchecked_soft_state(head, self.q[k], self.dq[k])

    def state_at(self, t: Numbers) -> HeadState:
        """The state at any time between the first and the last [s]; needs `rollout(..., dense=True)`."""
        if self.dense is None:
            raise ValueError("state_at needs the dense output of a beam: call rollout(..., dense=True)")
        position, quaternion, twist = jnp.split(jax.tree.leaves(self.dense.evaluate(jnp.asarray(t, float)))[0], (3, 7))
        return unchecked_state(position, unit_quaternions(quaternion), twist)


def still_motion(span: Span) -> Trajectory:
    """The motion of a head at rest at the output times of a span: arrays of the same types as in a simulation."""
    nothing: Any = None
    n = span.times.shape[0]
    position, quaternion, twist = (jax.device_put(np.zeros((n, size))) for size in (3, 4, 6))
    return Trajectory(span.times, position, quaternion, twist, nothing, nothing, nothing)


def driven_gait(gait: Gait | Steered | None, run: Trajectory) -> Any:
    """The gait as it was steered in a run: a plain strain law (X, t), exact at the output times."""
    if not isinstance(gait, Steered):
        return gait
    assert run.feedback is not None
    return gait.replay(run.feedback)
