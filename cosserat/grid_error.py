"""Discretisation error of the grid along X: its estimate, the choice of panels that meet a tolerance, and warnings.

The tail condition does not reveal this error: the two loops of the fast path share their quadrature, so n(L) = M(L) = 0
holds to round-off on any grid. Here the same instants are evaluated on a finer grid, in which both the smooth and the
load grid have twice as many panels, and the difference is the error of the coarser path. Causes of large errors are
short waves, coils, narrow parts of the profile and kinks of the drag.
"""

import functools
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial.traced_warnings import tell_rows, warn_if
from stepping import program, short_program

from .beam import Beam
from .output_stations import Along
from .quadrature import mass
from .space_path import AbstractSpacePath
from .state import HeadState, unchecked_state
from .strain import Gait
from .two_grids import TwoGrids, points_of_comparison, two_grids

INSTANTS = (0.21, 0.54, 0.88)  # fractions of a record at which the error is estimated: different gait phases
TURNS = 10  # output times at which the turn is checked, in one batch
GOLDEN = 0.5 * (5.0**0.5 - 1.0)  # its multiples modulo one are spread evenly, and beat with no period of a gait
SAFETY = 1.5  # factor on the estimate, because the finer grid has an error too
ROUND_OFF = 1e-12  # relative round-off of loads that cancel, such as weight and buoyancy
REPORTED = 4.0  # multiple of the tolerance above which a warning is given: the error varies between instants
SUSPECT, UNRESOLVED = 10.0, 50.0  # multiples of the tolerance: a decay above needs an estimate, or is surely too great
SUSPECT_TURN, UNRESOLVED_TURN = 0.4, 0.7  # the corresponding limits of the angle turned within a panel

ADVICE = (
    "Likely causes: waves that are short for the body, a strain or profile that is not smooth in X, a tight coil. More "
    "panels may help, cosserat.Panels(panels=..., loads=...), or pieces of the profile that end where it breaks."
)
COILED = (
    "the gait coils the body within one panel of the space path, past what its expansions resolve: raise "
    "cosserat.Panels(panels=...). A strain that is not finite at one of the times is refused here too."
)


class SpaceError(eqx.Module):
    """Estimated error due to the grid along X, relative to the greatest value at the evaluated instants [-].

    Attributes:
        head_acceleration: error of the head's twist rate; angular parts are multiplied by the length of the body.
        force: error of n along the body.
        moment: error of M along the body.
        power: error of the actuators' power, relative to ∫|M·dK/dt + Rᵀn·dΓ/dt| dX.
        modes: residual of the stress-strain law over the free strains of a soft beam, relative to the stress, in the
            norm of the elastic energy; None for a beam.
    """

    head_acceleration: Float[Array, ""]
    force: Float[Array, ""]
    moment: Float[Array, ""]
    power: Float[Array, ""]
    modes: Float[Array, ""] | None = None

    @property
    def worst(self) -> Float[Array, ""]:
        """The greatest of the first four errors, which are due to the grid; infinite if one of them is NaN."""
        parts = self.head_acceleration, self.force, self.moment, self.power
        own: Any = jnp if any(isinstance(part, Tracer) for part in parts) else np  # with NumPy, nothing is compiled
        worst = own.max(own.stack(parts))
        return own.where(own.isnan(worst), own.inf, worst)


class Found(eqx.Module):
    """Quantities that are compared between two grids, at all instants."""

    twist_rate: Float[Array, "instants 6"]
    section_rate: Float[Array, "instants points 6"]
    force: Float[Array, "instants points 3"]
    moment: Float[Array, "instants points 3"]
    power: Float[Array, "instants"]
    power_size: Float[Array, "instants"]


def beam_space_error(
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Float[Array, "*instants"],
    path: AbstractSpacePath,
) -> SpaceError | None:
    """`cosserat.space_error` of a beam, without checks of its arguments, which it shares; times in [s]."""
    if path.counts is None:
        return None
    parts = state.position, state.quaternion, state.twist, t
    beam, gait, fluid, parts = without_derivatives((beam, gait, fluid, parts))
    return _estimated(beam, two_grids(path, beam, fluid), gait, fluid, path, parts)


def without_derivatives(tree: Any) -> Any:
    """A pytree whose traced arrays have no derivatives; the others stay as they are."""
    return jax.tree.map(lambda x: jax.lax.stop_gradient(x) if isinstance(x, Tracer) else x, tree)


def _error_and_limits(
    beam: Beam,
    sampled: Any,
    gait: Gait,
    fluid: AbstractFluid,
    path: AbstractSpacePath,
    motion: tuple[Array, ...],
) -> "tuple[SpaceError | None, Limits]":
    """`beam_space_error` and the limits of the grid; the decay is needed only without an estimate.

    Args:
        beam: the body.
        sampled: its `two_grids`; for a path that controls its own error, the body sampled by the path.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        path: a space path.
        motion: position [m], quaternion and twist [m/s, rad/s] of the head, and time [s], at all output times.
    """
    where = instants(motion[-1].shape[0])
    parts, times = tuple(part[where] for part in motion), motion[-1]
    if not isinstance(sampled, TwoGrids):
        return None, limits_over(path, sampled, gait, parts, times)
    error = _estimated(beam, sampled, gait, fluid, path, parts)
    return error, Limits(None, greatest_turn(path, sampled.coarser(beam), gait, times))


@program
def error_and_limits(beam, sampled, gait, fluid, path, motion):
    """`beam_space_error` and the limits of the grid in one program, for repeated runs."""
    return _error_and_limits(beam, sampled, gait, fluid, path, motion)


@short_program
def error_and_limits_once(beam, sampled, gait, fluid, path, motion):
    """`error_and_limits` for a single run: it takes 3.2 s less to compile, and 2.2 ms instead of 0.65 ms to run."""
    return _error_and_limits(beam, sampled, gait, fluid, path, motion)


@program
def _estimated(beam, grids, gait, fluid, path, parts) -> SpaceError:
    """`beam_space_error` on two grids."""
    position, quaternion, twist, t = parts
    parts = (*(jnp.reshape(part, (-1, part.shape[-1])) for part in (position, quaternion, twist)), jnp.reshape(t, -1))
    on = lambda body, stations: _evaluated(body, stations, grids.along, gait, fluid, path, parts)  # noqa: E731
    found = grids.evaluated(beam, on)
    own, finer = (jax.tree.map(lambda x, k=k: x[k], found) for k in (0, 1))
    return _differences(beam.length, grids.mass, own, finer)


@short_program
def _found(beam, gait, fluid, path, parts) -> Found:
    body, along = path.sample(beam, fluid), points_of_comparison(beam)
    return _evaluated(body, body.own_nodes(), along, gait, fluid, path, parts)


def _evaluated(body, stations, along: Along, gait, fluid, path, parts) -> Found:
    """Evaluates both loops at the points of comparison."""

    def instant(parts):
        position, quaternion, twist, t = parts
        state = unchecked_state(position, quaternion, twist)
        loops = path.both_loops(body, gait, fluid, state, t, stations)
        density = along.power_density(loops, gait, t)
        size = jnp.sum(jnp.abs(jnp.sum(density, axis=1)))
        motion = loops.head_twist_rate, loops.twist_rate
        return Found(*motion, loops.force_w, loops.moment, jnp.sum(density), size)

    return jax.vmap(instant)(parts)  # for a few instants this takes half the time of a loop


@short_program
def compared(beam, coarse, fine) -> SpaceError:
    """Greatest differences relative to greatest values, both over all instants and sections."""
    return _differences(beam.length, mass(beam), coarse, fine)


def _differences(L, kg, coarse, fine) -> SpaceError:
    size = lambda x: jnp.max(jnp.linalg.norm(x, axis=-1))  # noqa: E731
    with_length = jnp.concatenate([jnp.ones(3), jnp.full(3, L)])[None]
    rates = size(fine.section_rate[..., :3])
    round_off = ROUND_OFF * kg * (9.81 + rates)  # N, of forces that cancel
    difference = jax.tree.map(lambda a, b: a - b, coarse, fine)
    relative = lambda error, scale: SAFETY * error / jnp.maximum(scale, 1e-300)  # noqa: E731
    beyond = lambda error, least: jnp.where(error <= least, 0.0, error)  # noqa: E731  NaN stays
    acceleration = size(difference.twist_rate * with_length)
    return SpaceError(
        head_acceleration=relative(
            beyond(acceleration, ROUND_OFF * (9.81 + rates)), size(fine.twist_rate * with_length)
        ),
        force=relative(beyond(size(difference.force), round_off), size(fine.force)),
        moment=relative(beyond(size(difference.moment), round_off * L), size(fine.moment)),
        power=relative(beyond(jnp.max(jnp.abs(difference.power)), round_off * L), jnp.max(fine.power_size)),
    )


def fitted(
    path: AbstractSpacePath,
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Float[Array, "*instants"],
) -> AbstractSpacePath:
    """The path with as many panels as its tolerance requires at these instants; unchanged if its counts are fixed.

    Args:
        path: a space path.
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head, at one instant or at several (a leading axis).
        t: time of each instant [s].
    """
    if path.fixed or path.counts is None:
        return path
    error = lambda one, other: float(compared(beam, one, other).worst)  # noqa: E731
    parts = tuple(jnp.reshape(p, (-1, p.shape[-1])) for p in (state.position, state.quaternion, state.twist))
    found = functools.cache(
        lambda panels, loads: _found(beam, gait, fluid, path.with_counts(panels, loads), (*parts, jnp.reshape(t, -1)))
    )
    panels, loads = path.counts
    more_panels = lambda: path.may_double(panels, loads)[0]  # noqa: E731
    more_loads = lambda: path.may_double(panels, loads)[1]  # noqa: E731

    def coiled():
        way = path.with_counts(panels, loads)
        return not bool(jnp.all(way.turn(way.sample(beam, fluid), gait, jnp.reshape(t, -1)) <= 1.0))

    while more_panels() and coiled():
        panels *= 2
    while not error(found(panels, loads), found(2 * panels, 2 * loads)) <= path.tolerance:
        # Find which of the two grids causes the error, and whether it can be refined.
        half = path.tolerance / 2
        smooth = more_panels() and not error(found(panels, loads), found(2 * panels, loads)) <= half
        rough = more_loads() and not error(found(2 * panels, loads), found(2 * panels, 2 * loads)) <= half
        if not smooth and not rough:
            break
        panels, loads = panels * (1 + smooth), loads * (1 + rough)
    return path if (panels, loads) == path.counts else path.with_counts(panels, loads)


class Limits(eqx.Module):
    """Indicators of the resolution of a grid that need no second grid.

    Attributes:
        decay: decay of the expansions along X, `AbstractSpacePath.motion_decay`; None if the path controls its own
            error, or if the error is estimated with a second grid.
        turn: angle turned within a panel, `AbstractSpacePath.turn`; above one the body is coiled.
    """

    decay: Float[Array, ""] | None
    turn: Float[Array, ""]


def limits_of(path: AbstractSpacePath, body: Any, gait: Gait, state: HeadState, t: Float[Array, ""]) -> Limits:
    """The limits of a path at one instant, for a body sampled by the path."""
    return Limits(path.motion_decay(body, gait, state, t), path.turn(body, gait, t[None])[0])


def limits_over(
    path: AbstractSpacePath, body: Any, gait: Gait, parts: tuple[Array, ...], times: Float[Array, "times"]
) -> Limits:
    """The limits of a path over a run: the decay at a few instants, the turn at up to `TURNS`.

    Args:
        path: a space path.
        body: body sampled by the path.
        gait: strain law (X, t) -> (Γ, K).
        parts: position [m], quaternion and twist [m/s, rad/s] of the head, and time [s], at each instant.
        times: output times of the run [s].
    """
    return Limits(decay_at(path, body, gait, parts), greatest_turn(path, body, gait, times))


def greatest_turn(path: AbstractSpacePath, body: Any, gait: Gait, times: Float[Array, "times"]) -> Float[Array, ""]:
    """The greatest turn at up to `TURNS` output times of a run, including the first and the last."""
    count = times.shape[0]
    if count > TURNS:
        parts = np.concatenate([[0.0, 1.0], np.arange(1, TURNS - 1) * GOLDEN % 1.0])
        times = times[np.rint((count - 1) * parts).astype(int)]
    return jnp.max(path.turn(body, gait, times))


def guarded(
    evaluate: Callable[[AbstractSpacePath], tuple[Any, Limits]],
    path: AbstractSpacePath,
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Float[Array, ""],
) -> Any:
    """Evaluates at one instant on a path that meets its tolerance there; warns or raises if no path does.

    Outside of `jax.jit`, if the expansions have not decayed, the error is estimated with a second grid and the path is
    fitted. Inside, only the decay is checked, and the compiled program warns. If the body is coiled in one row of a
    batch, the whole batch raises, and a warning lists the rows. `rollout(throw=False)` marks such rows instead.

    Args:
        evaluate: path -> result and limits.
        path: initial path.
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head.
        t: time [s].
    """
    result, limits = evaluate(path)
    if isinstance(limits.turn, Tracer) or isinstance(limits.decay, Tracer):
        warn_if_unresolved(path, limits)
        coiled = tell_rows(~(jax.lax.stop_gradient(limits.turn) <= 1.0), "gait: it coils the body too tightly")
        return eqx.error_if(result, coiled, COILED)
    decayed = limits.decay is None or float(limits.decay) <= SUSPECT * path.tolerance
    if decayed and float(limits.turn) <= SUSPECT_TURN:
        return result
    better = fitted(path, beam, gait, fluid, state, t)
    if better is not path:
        result, limits = evaluate(better)
    if not float(limits.turn) <= 1.0:
        raise ValueError(f"gait: at t = {float(t):g} s {COILED}")
    warn_if_inexact(better, beam_space_error(beam, gait, fluid, state, t, better))
    return result


def warn_if_inexact(path: AbstractSpacePath, error: SpaceError | None) -> None:
    """Warns if the estimated error is well above the tolerance of a path."""
    if error is None:
        return
    warn_if(
        error.worst > REPORTED * path.tolerance,
        f"the grid along the body ({path.in_words}) leaves relative errors of {{:.0e}} in the head's acceleration, "
        f"{{:.0e}} in n, {{:.0e}} in M and {{:.0e}} in the power; {path.tolerance:.0e} is allowed. {ADVICE}",
        error.head_acceleration,
        error.force,
        error.moment,
        error.power,
    )


def warn_if_unresolved(path: AbstractSpacePath, limits: Limits) -> None:
    """Warns, inside `jax.jit`, if the last terms of the expansions along X are too great for the path's tolerance."""
    if limits.decay is None:
        return
    warn_if(
        ~((limits.decay <= UNRESOLVED * path.tolerance) & (limits.turn <= UNRESOLVED_TURN)),
        f"the grid along the body ({path.in_words}) does not resolve the motion: the last terms of its expansions are "
        f"{{:.0e}} of the greatest ({UNRESOLVED * path.tolerance:.0e} is allowed), and a panel turns by {{:.2f}} of "
        f"the angle that they carry ({UNRESOLVED_TURN} is allowed). {ADVICE}",
        limits.decay,
        limits.turn,
    )


def decay_at(path: AbstractSpacePath, body: Any, gait: Gait, parts: tuple[Array, ...]) -> Float[Array, ""] | None:
    """The greatest decay over several instants, without derivatives.

    Args:
        path: a space path.
        body: body sampled by the path.
        gait: strain law (X, t) -> (Γ, K).
        parts: position [m], quaternion and twist [m/s, rad/s] of the head, and time [s], at each instant.
    """
    body, gait, parts = without_derivatives((body, gait, parts))
    decay = jax.lax.map(lambda x: path.motion_decay(body, gait, unchecked_state(*x[:3]), x[3]), parts)
    return None if decay is None else jnp.max(decay)


def instants(count: int) -> np.ndarray:
    """Indices of the samples of a record at which the error is estimated."""
    return np.asarray([int(count * part) for part in INSTANTS])
