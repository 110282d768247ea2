"""Estimated space error of a recorded motion of a soft beam, due to its grids and to its modes.

The grids are compared with a pair twice as fine, as for a beam. The modes satisfy the stress-strain law only in the
mean, weighted by each mode. Further modes would have to balance the residual along the body:

    residual(X) = ∂U/∂ξ + D dξ/dt + Λ_act + (Rᵀn, M)    on the free strains,   ∫ΦᵀBᵀ residual dX = 0

with the internal wrench of the inverse dynamics. The omitted modes are stiffer than the included ones, so they would
respond to the residual almost statically, by the strain H⁻¹ residual. In the norm of the elastic energy, √∫ΛᵀH⁻¹Λ, the
residual relative to the stress therefore estimates the relative error of the strain. A component whose stress is small
beside the others counts as little as its energy.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial.traced_warnings import warn_if
from stepping import program

from ..grid_error import ROUND_OFF, Found, SpaceError, compared, instants, without_derivatives
from ..output_stations import Along, section_force
from ..panel_loops import second_loop
from ..panels import Panels
from ..quadrature import mass
from ..space_path import BothLoops
from ..state import unchecked_state
from ..strain import Gait
from .body_view import last_commands
from .instant import soft_instant
from .pieces import inside
from .sampled_soft import SampledSoft, sample_soft
from .soft_beam import Soft, SoftState, unchecked_soft_state
from .strain_basis import FreeStrains

COARSE_GRID, FEW_MODES = 1e-3, 0.1  # relative errors above which a warning is given
TOO_SOFT = 0.5  # relative error due to the modes that may also come from a material that is too soft


def soft_space_error(
    soft: Soft,
    gait: Gait | None,
    fluid: AbstractFluid,
    state: SoftState,
    t: Float[Array, "*instants"],
    path: Panels,
    command: Float[Array, "*instants commands"] | None = None,
    sampled: SampledSoft | None = None,
) -> SpaceError:
    """`cosserat.space_error` of a soft beam.

    Args:
        soft: the beam.
        gait: imposed strains, as steered at these instants; None for the rest shape.
        fluid: the fluid around it.
        state: state of head and modes, at one instant or at several (a leading axis).
        t: time of each instant [s].
        path: space path.
        command: commands of its actuators, of any unit; zero when None.
        sampled: the beam on the grids of the path, if it is known.
    """
    if sampled is None:
        sampled = sample_soft(soft, fluid, path.order, path.panels)
    instants = jnp.ndim(t)
    parts = (state.position, state.quaternion, state.twist, state.q, state.dq, t, command)
    parts = parts if instants else jax.tree.map(lambda x: jnp.asarray(x)[None], parts)
    return _estimated(*without_derivatives((sampled, gait, fluid)), path, without_derivatives(parts))


def examined(sampled: SampledSoft, gait: Gait | None, fluid: AbstractFluid, path: Panels, run: Any) -> Any:
    """The run with its estimated error, if all numbers are concrete and the run succeeded; warns about large errors.

    Args:
        sampled: the beam on the grids of the path.
        gait: imposed strains, as steered in the run; None for the rest shape.
        fluid: the fluid around it.
        path: space path.
        run: the run, a `Trajectory`.
    """
    if any(isinstance(x, Tracer) for x in jax.tree.leaves((sampled, gait, fluid, run))):
        return run
    if not bool(run.succeeded) or bool(run.coiled):
        return run
    command = None if run.feedback is None else last_commands(sampled.soft, run.feedback.command.T).T
    head = unchecked_state(run.position, run.quaternion, run.twist)
    states = unchecked_soft_state(head, run.q, run.dq)
    return dataclasses.replace(run, error=recorded_error(sampled, gait, fluid, path, states, run.time, command))


def recorded_error(
    sampled: SampledSoft,
    gait: Gait | None,
    fluid: AbstractFluid,
    path: Panels,
    states: SoftState,
    times: Float[Array, "times"],
    command: Float[Array, "times commands"] | None = None,
) -> SpaceError:
    """The estimate at a few instants of a record of concrete numbers; warns if it is large.

    Args:
        sampled: the beam on the grids of the path.
        gait: imposed strains; None for the rest shape.
        fluid: the fluid around it.
        path: space path.
        states: states at all output times.
        times: output times [s].
        command: commands of its actuators at these times, of any unit; zero when None.
    """
    where = instants(times.shape[0])
    some = lambda x: np.asarray(x)[where]  # noqa: E731  with NumPy, nothing is compiled
    states, times, command = jax.tree.map(some, (states, times, command))
    error = soft_space_error(sampled.soft, gait, fluid, states, times, path, command, sampled)
    warn_if_coarse(error, sampled.soft.pieces)
    return error


def warn_if_coarse(error: SpaceError, pieces: tuple[FreeStrains, ...]) -> None:
    """Warns if the error due to the grids or the modes of a soft beam is large.

    Args:
        error: the estimate.
        pieces: free strains of the beam; the warning lists their numbers of modes.
    """
    assert error.modes is not None
    listed = lambda factor: "; ".join(  # noqa: E731
        ", ".join(f"{name}: {factor * count}" for name, count in piece.modes) for piece in pieces
    )
    warn_if(
        error.worst > COARSE_GRID,
        "the grid along the soft beam leaves relative errors of {:.0e} in the head's acceleration, {:.0e} in n, {:.0e} "
        "in M and {:.0e} in the power. More panels may help: path=cosserat.Panels(panels=...).",
        error.head_acceleration,
        error.force,
        error.moment,
        error.power,
    )
    few = (
        f"the modes of the soft beam ({listed(1)}) leave a relative error of {{:.0f}} % in its free strains. Try twice "
    )
    more = f"as many ({listed(2)}), or pieces of free strains that end where loads, stiffness or imposed strains jump"
    percent = 100.0 * error.modes
    warn_if((error.modes > FEW_MODES) & (error.modes <= TOO_SOFT), f"{few}{more}.", percent)
    warn_if(error.modes > TOO_SOFT, f"{few}{more}; or the material is too soft for this load.", percent)


@program
def _estimated(sampled, gait, fluid, path, parts) -> SpaceError:
    soft = sampled.soft
    fine = sample_soft(soft, fluid, path.order, 2 * (path.panels or 1), 2)
    found, norms = _evaluated(sampled, gait, fluid, parts, True)
    better, _ = _evaluated(fine, gait, fluid, parts, False)
    left, stress, round_off = jax.tree.map(jnp.max, norms)
    # A strain that is not excited has a stress of round-off: its modes have no error.
    modes = jnp.where(left <= round_off, 0.0, left) / jnp.where(stress > 0, stress, 1.0)
    return dataclasses.replace(compared(soft.beam, found, better), modes=modes)


def _evaluated(sampled: SampledSoft, gait, fluid, parts, own: bool) -> tuple[Found, Any]:
    """Both loops at the body's own load nodes at each instant; if `own`, residual and stress of the modes too."""
    soft = sampled.soft
    along = Along(soft.beam, jnp.zeros(0))
    stations = sampled.body.own_nodes()

    def instant(parts):
        *head, q, dq, t, command = parts
        state = unchecked_soft_state(unchecked_state(*head), q, dq)
        now = soft_instant(sampled, gait, fluid, state, t, command)
        loops = second_loop(sampled.body, now.law, fluid, now.head, t, now.first, stations, now.at_nose)
        density = along.power_density(loops, soft.imposed(gait), t)
        size = jnp.sum(jnp.abs(jnp.sum(density, axis=1)))
        found = Found(now.rates[:6], loops.twist_rate, loops.force_w, loops.moment, jnp.sum(density), size)
        return found, residual(sampled, along.at_nodes(loops), gait, q, dq, t, command) if own else None

    return jax.vmap(instant)(parts)  # for a few instants this takes half the time of a loop


def residual(
    sampled: SampledSoft,
    loops: BothLoops,
    gait: Gait | None,
    q: Float[Array, "modes"],
    dq: Float[Array, "modes"],
    t: Float[Array, ""],
    command: Float[Array, "commands"] | None = None,
) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
    """Norms √∫ΛᵀH⁻¹Λ of residual, stress and its round-off over the free strains that have a stiffness [√J].

    Args:
        sampled: the body on its grids.
        loops: both space loops at the load nodes.
        gait: imposed strains; None for the rest shape.
        q: modes [-, 1/m].
        dq: rates of the modes [1/s, 1/(m·s)].
        t: time [s].
        command: commands of its actuators, of any unit; zero when None.
    """
    soft, body = sampled.soft, sampled.body
    stress = -jnp.concatenate([section_force(loops.quaternion, loops.force_w), loops.moment], axis=1).T
    law = sampled.elastic_stress(q) + sampled.viscous_stress(dq)
    if soft.actuators:
        law = law + sampled.active_stress(gait, q, dq, t, command)
    free = jnp.zeros((6, body.load_X.shape[0]), bool)
    for piece, (begin, end) in zip(soft.pieces, soft.ends, strict=True):
        own = np.isin(np.arange(6), piece.components)
        free = free | (own[:, None] & inside(body.load_X / soft.length, begin, end)[None, :])
    stiff = free & (sampled.load_stiffness > 0)
    compliance = jnp.where(stiff, body.load_weight[None, :], 0.0) / jnp.where(stiff, sampled.load_stiffness, 1.0)
    norm = lambda x: jnp.sqrt(jnp.sum(compliance * x**2))  # noqa: E731
    acceleration = jnp.max(jnp.linalg.norm(loops.twist_rate[:, :3], axis=1))
    force = ROUND_OFF * mass(soft.beam) * (9.81 + acceleration)  # N, of loads that cancel
    round_off = force * jnp.concatenate([jnp.ones(3), jnp.full(3, soft.length)])
    return norm(law - stress), norm(stress), norm(round_off[:, None])
