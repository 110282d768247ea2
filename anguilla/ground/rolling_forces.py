"""Internal force and moment of a beam that rolls on wheels: the second space loop, with a jump at every wheel."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from cosserat import Beam
from cosserat.output_stations import section_force
from cosserat.panel_loops import first_loop, second_loop
from cosserat.panels import Panels
from cosserat.strain import Gait, strain_rates
from gaits.refusals import check_gait
from hydro import AbstractFluid, Void
from spatial import Numbers, cross, increasing, matrix_from_quaternion
from spatial.checks import integer, of_kind
from stepping import unstored_program

from .rolling import Rolling
from .wheels import Wheels

_BETWEEN = 16  # Gauss nodes between two wheels, for the power of the actuators


class RollingWrench(eqx.Module):
    """Wrench that the head-side part of a rolling beam exerts on the tail-side part.

    Attributes:
        X: abscissae [m].
        force_w: n in the world [N].
        moment: M in the section frame [N·m].
        tail: n1, n2 and M3 at X = L, in the section frame [N, N, N·m]: zero if motion and wheel forces are consistent.
        actuator_power: ∫(M·dK/dt + Rᵀn·dΓ/dt) dX [W].
    """

    X: Float[Array, "stations"]
    force_w: Float[Array, "stations 3"]
    moment: Float[Array, "stations 3"]
    tail: Float[Array, "3"]
    actuator_power: Float[Array, ""]


def rolling_wrench(
    beam: Beam,
    gait: Gait,
    wheels: Wheels,
    run: Rolling,
    k: int,
    ground: AbstractFluid | None = None,
    *,
    stations: Numbers | None = None,
    path: Panels | None = None,
) -> RollingWrench:
    """The internal wrench at the k-th output time of a run of `roll`.

    Args:
        beam: the body.
        gait: its strain law.
        wheels: the wheels.
        run: result of `roll` with these arguments.
        k: index of the output time.
        ground: the same as in `roll`.
        stations: increasing abscissae [m]; 41 even ones when None.
        path: the same as in `roll`.
    """
    path = Panels() if path is None else path
    ground = Void() if ground is None else ground
    for name, value, wanted, words in (
        ("beam", beam, Beam, "a cosserat.Beam"),
        ("wheels", wheels, Wheels, "a ground.Wheels"),
        ("run", run, Rolling, "a result of ground.roll"),
        ("ground", ground, AbstractFluid, "what acts on sections, such as ground.Friction(), or None"),
        ("path", path, Panels, "a cosserat.Panels, or None"),
    ):
        of_kind(name, value, wanted, words)
    check_gait(gait)
    count = run.time.shape[0]
    if not -count <= integer("k", k, -count) < count:
        raise ValueError(f"k = {k}: the run has {count} output times")
    X = beam.length * jnp.linspace(0.0, 1.0, 41) if stations is None else increasing("stations", stations, "m")
    return _wrench(beam, gait, wheels, run, jnp.asarray(k), ground, X, path)


@unstored_program
def _wrench(beam, gait, wheels, run, k, ground, X, path):
    state, t = run.state(k), run.time[k]
    body = path.sample(beam, ground)
    first = first_loop(body, gait, ground, state, t)
    first = eqx.tree_at(lambda f: f.dynamics.twist_rate, first, run.twist_rate[k])

    node, weight = np.polynomial.legendre.leggauss(_BETWEEN)
    ends = jnp.concatenate([jnp.zeros(1), wheels.abscissae, beam.length[None]])
    gap = jnp.diff(ends)[:, None]
    nodes = (ends[:-1, None] + gap * jnp.asarray((node + 1.0) / 2.0)[None, :]).ravel()
    weights = (gap * jnp.asarray(weight / 2.0)[None, :]).ravel()

    def at(X):
        loops = second_loop(body, gait, ground, state, t, first, body.stations(X))
        return _with_wheels(loops, X, wheels, contact, push)

    contacts = second_loop(body, gait, ground, state, t, first, body.stations(wheels.abscissae))
    contact = contacts.position_w
    push = run.force[k][:, None] * matrix_from_quaternion(contacts.quaternion)[:, :, 1]
    n, moment, _ = at(X)
    n_tail, moment_tail, _ = at(beam.length[None])
    n_along, moment_along, quaternion = at(nodes)
    wrench = jnp.concatenate([section_force(quaternion, n_along), moment_along], axis=1)
    power = jnp.sum(weights[:, None] * wrench * strain_rates(gait, nodes, t).dxi)
    tail = jnp.stack([n_tail[0, 0], n_tail[0, 1], moment_tail[0, 2]])
    return RollingWrench(X, n, moment, tail, power)


def _with_wheels(loops, X, wheels, contact, push):
    """A force F at X_i adds F to n and -(r - r_i) × F to the moment of all sections behind it."""
    behind = (X[:, None] >= wheels.abscissae[None, :]).astype(float)
    arm = loops.position_w[:, None, :] - contact[None, :, :]
    lever = -cross(arm, jnp.broadcast_to(push[None], arm.shape))
    n = loops.force_w + behind @ push
    # The motion is planar: a moment about z is the same in all frames.
    return n, loops.moment + jnp.sum(behind[:, :, None] * lever, axis=1), loops.quaternion
