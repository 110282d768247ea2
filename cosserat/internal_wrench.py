"""Internal force and control torque along the body: the second space loop, from any path. [BPK06, VIII.B]"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid, EllipticSection, Place
from spatial import Numbers, increasing, join, matrix_from_quaternion

from .beam import Beam
from .head_dynamics import check_model, compiled
from .quadrature import load_nodes
from .space_path import AbstractSpacePath, BothLoops
from .state import HeadState
from .strain import Gait, StrainRates, strain_rates

STATIONS = 81


class BodyFields(eqx.Module):
    """The body at one instant, at stations along X.

    Attributes:
        X: abscissae [m].
        section: the sections there.
        position_w: their centres in the world [m].
        quaternion: their orientation in the world, (w, x, y, z).
        twist: their velocity, in their frame [m/s, rad/s].
        twist_rate: its rate, in their frame [m/s², rad/s²].
        strain: imposed strain (Γ, K), in their frame [-, 1/m].
        strain_rate: its rate, in their frame [1/s, 1/(m·s)].
        force_w: internal force n, in the world [N]: what the head side exerts on the tail side.
        moment: internal moment M, in the section frame [N·m]: what the head side exerts on the tail side. The
            actuators deliver ∫(M·dK/dt + Rᵀn·dΓ/dt) dX to the body.
        fluid: load of the fluid per metre, term by term, in the section frame [N/m, N].
        nose: load of the fluid on the nose, term by term, in the head frame [N, N·m].
        head_twist_rate: d(twist)/dt of the head, in its frame [m/s², rad/s²].
        actuator_power: power the actuators deliver to the body, ∫(M·dK/dt + Rᵀn·dΓ/dt) dX [W].
        tail: n in the world and M in the section frame at X = L; zero when the two space loops agree [N, N·m].
    """

    X: Float[Array, "stations"]
    section: EllipticSection
    position_w: Float[Array, "stations 3"]
    quaternion: Float[Array, "stations 4"]
    twist: Float[Array, "stations 6"]
    twist_rate: Float[Array, "stations 6"]
    strain: Float[Array, "stations 6"]
    strain_rate: Float[Array, "stations 6"]
    force_w: Float[Array, "stations 3"]
    moment: Float[Array, "stations 3"]
    fluid: dict[str, Float[Array, "stations 6"]]
    nose: dict[str, Float[Array, "6"]]
    head_twist_rate: Float[Array, "6"]
    actuator_power: Float[Array, ""]
    tail: Float[Array, "6"]

    @property
    def force(self) -> Float[Array, "stations 3"]:
        """Internal force Rᵀn in the section frame [N]."""
        return _section_force(self)


def internal_wrench(
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Numbers,
    path: AbstractSpacePath | None = None,
    stations: Numbers | None = None,
) -> BodyFields:
    """Motion, internal wrench and fluid load along the body at one instant.

    n and M are integrated from the nose; n(L) = M(L) = 0 is never imposed, `tail` tells how well it holds.

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: the fluid around it.
        state: pose and twist of the head.
        t: time [s].
        path: the way along X; `Panels()` when None.
        stations: increasing abscissae in [0, L] [m]; 81 even ones when None.
    """
    path = check_model(beam, gait, fluid, path)
    if stations is None:
        X = beam.length * jnp.linspace(0.0, 1.0, STATIONS)
    else:
        X = increasing("stations", stations, "m")
        outside = (X[0] < 0) | (X[-1] > beam.length * (1 + 1e-12))
        if not isinstance(outside, Tracer) and outside:
            raise ValueError(
                f"stations run from {X[0]} to {X[-1]}: must lie between the nose (0) and the tail ({beam.length}) [m]"
            )
        X = eqx.error_if(X, outside, "stations must lie between the nose (0) and the tail (beam.length) [m]")
    return _fields(beam, gait, fluid, state, t, path, X)


@compiled
def _fields(beam, gait, fluid, state, t, path, stations):
    body = path.sample(beam, fluid)
    loops = lambda X: path.both_loops(body, gait, fluid, state, t, X)  # noqa: E731
    return body_fields(loops, beam, gait, fluid, state, t, stations)


def body_fields(
    loops_at: Callable[[Float[Array, "stations"]], BothLoops],
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Float[Array, ""],
    stations: Float[Array, "stations"],
) -> BodyFields:
    """`internal_wrench` of a body that a path has sampled already; `loops_at` tells what its two loops find at X."""
    nodes = load_nodes(beam)
    node_X = nodes.X.ravel()
    everywhere = jnp.concatenate([stations, node_X, beam.length[None]])
    order = jnp.argsort(everywhere)
    loops = loops_at(everywhere[order])
    twist_rate = loops.head_twist_rate
    # Back to the order asked for: the stations, the nodes that carry the power, the tail.
    back = jnp.argsort(order)
    count = stations.shape[0]
    tail = jnp.concatenate([loops.force_w[back[-1]], loops.moment[back[-1]]])
    at_nodes, loop = (
        jax.tree.map(lambda field: field[rows] if field.ndim > 1 else field, loops)  # noqa: B023
        for rows in (back[count:-1], back[:count])
    )
    power = jnp.sum(nodes.weight.ravel() * actuation_per_metre(at_nodes, strain_rates(gait, node_X, t)))

    section = jax.vmap(beam.profile)(stations)
    place = Place(loop.position_w, matrix_from_quaternion(loop.quaternion))
    terms = jax.vmap(fluid.terms)(section, place, loop.twist)
    added = jax.vmap(fluid.added_inertia)(section)
    terms = _with_acceleration(terms, "added_mass", jnp.einsum("sij,sj->si", added, loop.twist_rate))
    nose = fluid.nose_terms(beam.nose_radius, Place(state.position, state.rotation), state.twist)
    nose_added = fluid.nose_added_inertia(beam.nose_radius) @ twist_rate
    strain = strain_rates(gait, stations, t)
    return BodyFields(
        X=stations,
        section=section,
        position_w=loop.position_w,
        quaternion=loop.quaternion,
        twist=loop.twist,
        twist_rate=loop.twist_rate,
        strain=strain.xi,
        strain_rate=strain.dxi,
        force_w=loop.force_w,
        moment=loop.moment,
        fluid=terms,
        nose=_with_acceleration(nose, "nose_added_mass", nose_added),
        head_twist_rate=twist_rate,
        actuator_power=power,
        tail=tail,
    )


def actuation_per_metre(loops: BothLoops, strain: StrainRates) -> Float[Array, "stations"]:
    """Power the actuators deliver per metre, M·dK/dt + Rᵀn·dΓ/dt [W/m]."""
    return jnp.sum(join(_section_force(loops), loops.moment) * strain.dxi, axis=-1)


def _section_force(fields):
    return jnp.einsum("sji,sj->si", matrix_from_quaternion(fields.quaternion), fields.force_w)


def _with_acceleration(terms, name, inertial):
    """Completes the convective term of the added mass by its part in the acceleration, where there is a fluid."""
    return {key: value - inertial if key == name else value for key, value in terms.items()}
