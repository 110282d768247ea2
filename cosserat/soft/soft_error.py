"""Estimated space error of a recorded motion of a soft beam, due to its grids and to its modes.

The grids are compared with a pair twice as fine, as for a beam. The modes satisfy the stress-strain law only in the
mean, weighted by each mode. Further modes would have to balance the residual along the body:

    residual(X) = ∂U/∂ξ + D dξ/dt + Λ_act + (Rᵀn, M)    on the free strains,   ∫ΦᵀBᵀ residual dX = 0

with the internal wrench of the inverse dynamics. The omitted modes are stiffer than the included ones, so they would
respond to the residual almost statically. The residual relative to the stress therefore estimates the relative error of
the strain.
"""

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid
from spatial.traced_warnings import warn_if
from stepping import program

from ..grid_error import Found, SpaceError, compared, instants
from ..output_stations import Along, section_force
from ..panel_loops import second_loop
from ..panels import Panels
from ..space_path import BothLoops
from ..strain import Gait
from .body_view import last_commands
from .instant import soft_instant
from .pieces import inside
from .sampled_soft import SampledSoft, sample_soft
from .soft_beam import Soft

COARSE_GRID, FEW_MODES = 1e-3, 0.1  # relative errors above which a warning is given


def soft_space_error(soft: Soft, gait: Gait | None, fluid: AbstractFluid, path: Panels, run: Any) -> SpaceError:
    """Estimates the error at a few times of a run.

    Args:
        soft: the beam.
        gait: imposed strains, as steered in the run; None for the rest shape.
        fluid: the fluid around it.
        path: space path.
        run: the run, a `Trajectory`.
    """
    panels = path.panels or 1
    coarse = sample_soft(soft, fluid, path.order, panels)
    fine = sample_soft(soft, fluid, path.order, 2 * panels, 2)
    where = instants(run.time.shape[0])
    found, (left, stress) = _evaluated(coarse, gait, fluid, run, where, True)
    better, _ = _evaluated(fine, gait, fluid, run, where, False)
    grids = compared(soft.beam, found, better)
    return eqx.tree_at(lambda e: e.modes, grids, _relative(left, stress), is_leaf=lambda x: x is None)


def examined(soft: Soft, gait: Gait | None, fluid: AbstractFluid, path: Panels, run: Any) -> Any:
    """The run with its estimated error, if all numbers are concrete and the run succeeded; warns about large errors.

    Arguments as in `soft_space_error`.
    """
    if any(isinstance(x, Tracer) for x in jax.tree.leaves((soft, gait, fluid, run))):
        return run
    if not bool(run.succeeded) or bool(run.coiled):
        return run
    error = soft_space_error(soft, gait, fluid, path, run)
    warn_if_coarse(error)
    return dataclasses.replace(run, error=error)


def warn_if_coarse(error: SpaceError) -> None:
    """Warns if the error due to the grids or the modes of a soft beam is large."""
    assert error.modes is not None
    warn_if(
        error.worst > COARSE_GRID,
        "the grid along the soft beam leaves relative errors of {:.0e} in the head's acceleration, {:.0e} in n, {:.0e} "
        "in M and {:.0e} in the power. More panels may help: path=cosserat.Panels(panels=...).",
        error.head_acceleration,
        error.force,
        error.moment,
        error.power,
    )
    warn_if(
        error.modes > FEW_MODES,
        "the modes of the soft beam leave a relative error of {:.0e} in its free strains. More modes may help, or "
        "pieces of free strains that end where its loads, stiffness or imposed strains jump.",
        error.modes,
    )


def _relative(left, stress) -> Float[Array, ""]:
    """The greater of the relative residuals of forces and moments; a part without stress is ignored."""
    scale = jnp.max(stress, axis=0)
    return jnp.max(jnp.where(scale > 0, jnp.max(left, axis=0) / jnp.where(scale > 0, scale, 1.0), 0.0))


@program
def _evaluated(sampled: SampledSoft, gait, fluid, run, where, own: bool):
    """Both loops at the body's own load nodes at each instant; if `own`, residual and stress of the modes too."""
    soft = sampled.soft
    along = Along(soft.beam, jnp.zeros(0))
    stations = sampled.body.stations(along.X)

    def instant(k):
        t, state, record = run.time[k], run.state(k), run.feedback
        command = None if record is None else last_commands(soft, record.command[k])
        now = soft_instant(sampled, gait, fluid, state, t, command)
        loops = second_loop(sampled.body, now.law, fluid, now.head, t, now.first, stations, now.at_nose)
        density = along.power_density(loops, soft.imposed(gait), t)
        size = jnp.sum(jnp.abs(jnp.sum(density, axis=1)))
        found = Found(now.rates[:6], loops.twist_rate, loops.force_w, loops.moment, jnp.sum(density), size, None)
        if not own:
            return found, None
        return found, residual(sampled, along.at_nodes(loops), gait, state.q, state.dq, t, command)

    return jax.lax.map(instant, jnp.asarray(where))


def residual(
    sampled: SampledSoft,
    loops: BothLoops,
    gait: Gait | None,
    q: Float[Array, "modes"],
    dq: Float[Array, "modes"],
    t: Float[Array, ""],
    command: Float[Array, "commands"] | None = None,
) -> tuple[Float[Array, "2"], Float[Array, "2"]]:
    """Root mean squares of the residual and of the stress over the free strains: forces [N] and moments [N·m].

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
    weight = jnp.where(free, body.load_weight[None, :], 0.0)
    mean = lambda x: jnp.sqrt(jnp.sum((weight * x**2).reshape(2, -1), axis=1) / soft.length)  # noqa: E731
    return mean(law - stress), mean(stress)
