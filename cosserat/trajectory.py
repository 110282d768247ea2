"""The motion of the head in time: pure arrays in, pure arrays out, for gradients to go through."""

import diffrax
import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from hydro import AbstractFluid
from spatial import Numbers, quaternion_rate
from stepping import KEPT_STEPS, Marcher, Span, integrate, program

from .beam import Beam
from .head_equation import check_model, check_state
from .panels import Panels
from .resolution import coiled, panel_turns
from .space_path import AbstractSpacePath
from .state import HeadState, unchecked_state
from .strain import Gait

FAILED = (
    "the time integration did not reach t1. Likely causes: a gait that is not twice differentiable in time or "
    "returns NaN, strains too large or too fast, tolerances below round-off, or too few steps (max_steps; "
    f"in reverse mode {KEPT_STEPS} unless an adjoint is given)."
)


COILED = (
    "the gait coils the body within one panel of the space path, past what its expansions resolve: raise "
    "cosserat.Panels(panels=...)."
)


class Trajectory(eqx.Module):
    """The head in time.

    Attributes:
        time: output times [s].
        position: of the nose in the world [m].
        quaternion: of the head in the world, (w, x, y, z), unit.
        twist: of the head, in its frame [m/s, rad/s].
        steps: accepted and rejected time steps.
        succeeded: whether the integration reached the last time.
        coiled: whether the gait coils the body within one panel of the space path, past what it resolves.
        dense: the continuous solution, when it was asked for: see `state_at`.
    """

    time: Float[Array, "times"]
    position: Float[Array, "times 3"]
    quaternion: Float[Array, "times 4"]
    twist: Float[Array, "times 6"]
    steps: Int[Array, "2"]
    succeeded: Bool[Array, ""]
    coiled: Bool[Array, ""]
    dense: diffrax.AbstractGlobalInterpolation | diffrax.DenseInterpolation | None = None

    def state(self, k: int | Int[Array, ""]) -> HeadState:
        """The state at the k-th output time."""
        return unchecked_state(self.position[k], self.quaternion[k], self.twist[k])

    def state_at(self, t: Numbers) -> HeadState:
        """The state at any time between the first and the last [s]; needs `rollout(..., dense=True)`."""
        if self.dense is None:
            raise ValueError("state_at needs the dense output: call rollout(..., dense=True)")
        position, quaternion, twist = jnp.split(self.dense.evaluate(jnp.asarray(t, float)), (3, 7))
        return unchecked_state(position, quaternion / jnp.linalg.norm(quaternion), twist)


def rollout(
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    t1: Numbers = 10.0,
    *,
    t0: Numbers = 0.0,
    state: HeadState | None = None,
    samples: int = 201,
    times: Numbers | None = None,
    path: AbstractSpacePath | None = None,
    solver: diffrax.AbstractSolver | None = None,
    rtol: Numbers = 1e-6,
    atol: Numbers = 1e-8,
    controller: diffrax.AbstractStepSizeController | None = None,
    dt0: Numbers | None = None,
    max_steps: int = 100_000,
    adjoint: diffrax.AbstractAdjoint | None = None,
    dense: bool = False,
    land: bool = False,
    throw: bool = True,
    progress: diffrax.AbstractProgressMeter | None = None,
) -> Trajectory:
    """Swims: integrates the head's dynamics in time. jit-, vmap- and grad-safe.

    >>> import anguilla, cosserat, gaits, hydro
    >>> run = cosserat.rollout(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3)
    >>> run.time.tolist(), run.position.shape
    ([0.0, 0.25, 0.5], (3, 3))

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K). Where it has `break_times`, the integrator steps onto them.
        fluid: the fluid around it.
        t1: last time [s].
        t0: first time [s].
        state: state of the head at t0; at rest at the world's origin when None.
        samples: number of even output times, both ends included.
        times: increasing output times between t0 and t1 [s], instead of `samples`.
        path: the way along X; `Panels()` when None.
        solver: diffrax solver; `Dopri5()` when None. `Dopri8()` suits tolerances below 1e-8.
        rtol: relative tolerance of the adaptive step [-].
        atol: absolute tolerance of the adaptive step [m, -, m/s, rad/s].
        controller: diffrax step size controller, instead of the tolerances; `diffrax.ConstantStepSize()` needs dt0.
        dt0: first (or constant) step [s]; a thousandth of the run when None.
        max_steps: greatest number of steps; in reverse mode no more than `spatial.KEPT_STEPS`, all stages of which
            are kept, unless an adjoint is given.
        adjoint: how derivatives go through time: reverse mode when None; `diffrax.ForwardMode()` for `jax.jvp`,
            `jax.jacfwd`.
        dense: keep the continuous solution, for `Trajectory.state_at`.
        land: step onto the output times, instead of interpolating between steps; for the last digits, since the
            interpolation is less exact than the steps.
        throw: raise when the integration fails; otherwise `succeeded` and `coiled` tell; arrays
            past a failure are infinite.
        progress: a diffrax progress meter.
    """
    path = check_model(beam, gait, fluid, path)
    span = Span(t0, t1, samples, times)
    state = HeadState() if state is None else state
    check_state(state)
    marcher = Marcher(solver, controller, rtol, atol, dt0, max_steps, adjoint, progress)
    run = _integrate(path.sample(beam, fluid), gait, fluid, span, state, path, marcher, dense, land)
    if not throw:
        return run
    twist = eqx.error_if(run.twist, run.coiled, COILED)
    return eqx.tree_at(lambda r: r.twist, run, eqx.error_if(twist, ~run.succeeded, FAILED))


@program
def _integrate(body, gait, fluid, span, state, path, marcher, dense, land):
    """The compiled part: nothing in it calls back to Python, so that it can be kept between sessions."""
    too_coiled = jnp.zeros((), bool)
    if isinstance(path, Panels):
        too_coiled = jnp.any(coiled(panel_turns(gait, body, span.times)))

    def field(t, y):
        position, quaternion, twist = y
        head = unchecked_state(position, quaternion, twist)
        twist_rate = path.head_dynamics(body, gait, fluid, head, t).twist_rate
        return head.rotation @ twist[:3], quaternion_rate(quaternion, twist[3:]), twist_rate

    start = state.position, state.quaternion, state.twist
    march = integrate(field, start, span, marcher, gait, dense, land)
    position, quaternion, twist = march.states
    # The flow keeps the norm of the quaternion; the solver only to its tolerance.
    quaternion = quaternion / jnp.linalg.norm(quaternion, axis=1, keepdims=True)
    succeeded = march.reached & jnp.all(jnp.isfinite(twist))
    return Trajectory(span.times, position, quaternion, twist, march.steps, succeeded, too_coiled, march.dense)
