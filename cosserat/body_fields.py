"""Internal force and control torque along the body: the second space loop, from any path. [BPK06, VIII.B]"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from hydro import AbstractFluid, BodySection, Place, Void
from spatial import Numbers, increasing, matrix_from_quaternion
from spatial.checks import integer
from spatial.printing import Printed

from .beam import Beam
from .grid_error import limits_of
from .head_equation import check_model, compiled
from .output_stations import Along, section_force
from .panels import Panels
from .soft.instant import SoftInstant, soft_instant
from .soft.sampled_soft import sample_soft
from .soft.soft_beam import Soft, SoftState, start_of
from .space_path import AbstractSpacePath, BothLoops
from .state import HeadState
from .strain import Gait, strain_rates

STATIONS = 81


class BodyFields(Printed):
    """The body at one instant, at stations along X.

    Attributes:
        X: abscissae of the stations [m].
        section: cross-sections at the stations.
        position_w: centres of the sections in the world [m].
        quaternion: orientation of the sections in the world, (w, x, y, z).
        twist: twist of the sections, in the section frame [m/s, rad/s].
        twist_rate: rate of the twist, in the section frame [m/s², rad/s²].
        strain: imposed strain (Γ, K), in the section frame [-, 1/m].
        strain_rate: rate of the strain, in the section frame [1/s, 1/(m·s)].
        force_w: internal force n that the head side exerts on the tail side, in the world [N].
        moment: internal moment M that the head side exerts on the tail side, in the section frame [N·m]. The actuators
            deliver ∫(M·dK/dt + Rᵀn·dΓ/dt) dX to the body.
        fluid: load of the fluid per metre, term by term, in the section frame [N/m, N], without the load of `carried`.
        carried: wrench W that passing water carries through each section towards the tail, in the section frame
            [N, N·m]. It loads the body by (∂/∂X - ad(ξ)ᵀ) W per metre. None for a fluid without passing water.
        nose: load of the fluid on the nose, term by term, in the head frame [N, N·m].
        head_twist_rate: d(twist)/dt of the head, in its frame [m/s², rad/s²].
        actuator_power: power that the actuators deliver to the body, ∫(M·dK/dt + Rᵀn·dΓ/dt) dX [W].
        tail: n in the world and M in the section frame at X = L; zero when the two space loops agree [N, N·m]. The
            loops of `Panels` share their quadrature and agree on any grid: use `space_error` for their error. The loops
            of `Nested` are independent, so its tail wrench is a check.
    """

    X: Float[Array, "stations"]
    section: BodySection
    position_w: Float[Array, "stations 3"]
    quaternion: Float[Array, "stations 4"]
    twist: Float[Array, "stations 6"]
    twist_rate: Float[Array, "stations 6"]
    strain: Float[Array, "stations 6"]
    strain_rate: Float[Array, "stations 6"]
    force_w: Float[Array, "stations 3"]
    moment: Float[Array, "stations 3"]
    fluid: dict[str, Float[Array, "stations 6"]]
    carried: Float[Array, "stations 6"] | None
    nose: dict[str, Float[Array, "6"]]
    head_twist_rate: Float[Array, "6"]
    actuator_power: Float[Array, ""]
    tail: Float[Array, "6"]

    @property
    def force(self) -> Float[Array, "stations 3"]:
        """Internal force Rᵀn in the section frame [N]."""
        return section_force(self.quaternion, self.force_w)


def internal_wrench(
    beam: Beam | Soft,
    gait: Gait | None,
    fluid: AbstractFluid | None,
    state: HeadState | SoftState,
    t: Numbers,
    path: AbstractSpacePath | None = None,
    stations: int | Numbers | None = None,
) -> BodyFields:
    """Motion, internal wrench and fluid load along the body at one instant.

    n and M are integrated from the nose; n(L) = M(L) = 0 is never imposed.

    >>> import anguilla, cosserat, gaits, hydro
    >>> beam, gait, state = cosserat.eel(), gaits.planar(), cosserat.HeadState()
    >>> fields = cosserat.internal_wrench(beam, gait, hydro.Morison(), state, t=2.0)
    >>> bool(abs(fields.moment).max() > 1.0), bool(abs(fields.moment[-1]).max() < 1e-5)  # M, and M(L) = 0 [N·m]
    (True, True)

    Args:
        beam: the body.
        gait: strain law (X, t) -> (Γ, K).
        fluid: fluid around it; None for none.
        state: pose and twist of the head.
        t: time [s].
        path: space path; `Panels()` when None, with as many panels as its tolerance requires.
        stations: number of evenly spaced abscissae, or increasing abscissae in [0, L] [m]; 81 when None.
    """
    fluid = Void() if fluid is None else fluid
    path = check_model(beam, gait, fluid, path)
    stations = STATIONS if stations is None else stations
    if isinstance(stations, int | np.integer):
        X = beam.length * jnp.linspace(0.0, 1.0, integer("stations", stations, 2))
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
    if isinstance(beam, Soft):
        return soft_fields(beam, gait, fluid, start_of(beam, state), t, path, stations), None
    body, along = path.sample(beam, fluid), Along(beam, stations)
    loops = path.both_loops(body, gait, fluid, state, t, path.stations(body, along.X))
    return body_fields(loops, along, beam, gait, fluid, state, t), limits_of(path, body, gait, state, t)


def soft_fields(
    soft: Soft,
    gait: Gait | None,
    fluid: AbstractFluid,
    state: SoftState,
    t: Float[Array, ""],
    path: AbstractSpacePath,
    stations: Float[Array, "stations"],
) -> BodyFields:
    """`internal_wrench` of a soft beam. The accelerations are always those of the fast path."""
    grid = Panels() if path.counts is None else path.on_panels()
    sampled = sample_soft(soft, fluid, grid.order, grid.panels)
    now, along = soft_instant(sampled, gait, fluid, state, t), Along(soft.beam, stations)
    return instant_fields(path.soft_loops(sampled, now, fluid, t, along.X), along, now, gait, fluid, t)


def instant_fields(
    loops: BothLoops, along: Along, now: SoftInstant, gait: Gait | None, fluid: AbstractFluid, t: Float[Array, ""]
) -> BodyFields:
    """`body_fields` of a soft beam: only imposed strains have actuators, and a load may act on the tail."""
    soft = now.law.imposed.soft
    fields = body_fields(loops, along, soft.beam, now.law, fluid, now.head, t)
    changed = along.power(loops, soft.imposed(gait), t), fields.tail + now.at_tail
    return eqx.tree_at(lambda f: (f.actuator_power, f.tail), fields, changed)


def body_fields(
    loops: BothLoops,
    along: Along,
    beam: Beam,
    gait: Gait,
    fluid: AbstractFluid,
    state: HeadState,
    t: Float[Array, ""],
) -> BodyFields:
    """`internal_wrench` from the results of the two loops of a path at `along.X`."""
    fluid = fluid.at(t)
    loop, twist_rate = along.at_stations(loops), loops.head_twist_rate
    section, strain = along.section, strain_rates(gait, along.stations, t)
    place = Place(loop.position_w, matrix_from_quaternion(loop.quaternion), along.stations)
    terms = jax.vmap(fluid.terms)(section, place, loop.twist)
    added, wrench = jax.vmap(fluid.added_inertia)(section), None
    if fluid.shedding is not None:
        water = fluid.shedding.water_section(beam.profile, along.stations, section)
        slices = jax.vmap(fluid.carried)(jax.vmap(fluid.added_inertia)(water), place, loop.twist, strain.xi, strain.dxi)
        added, wrench = slices.inertia, slices.wrench
        terms = terms | {"added_mass": slices.load}
    terms = _with_acceleration(terms, "added_mass", jnp.einsum("sij,sj->si", added, loop.twist_rate))
    nose = fluid.nose_terms(beam.nose_radius, Place(state.position, state.rotation), state.twist)
    nose_added = fluid.nose_added_inertia(beam.nose_radius) @ twist_rate
    return BodyFields(
        X=along.stations,
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
        carried=wrench,
        nose=_with_acceleration(nose, "nose_added_mass", nose_added),
        head_twist_rate=twist_rate,
        actuator_power=along.power(loops, gait, t),
        tail=along.at_tail(loops),
    )


def _with_acceleration(terms, name, inertial):
    """Adds the inertial part of the added mass to its convective term, if the fluid has such a term."""
    return {key: value - inertial if key == name else value for key, value in terms.items()}
