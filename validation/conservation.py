"""Conservation laws of the beam: momentum, the free tail, power, energy and impulse."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from cosserat.state import unchecked_state
from spatial import quaternion_rate

from .cases import case_fields, cases
from .kinks import cut_at_kinks
from .reference import eel_cases
from .report import Measurement, check, require
from .subjects import eel, nested, published_gait, six_strains, sums_along, swim, tight_nested, tight_run

GROUP = "conservation"

MOMENTUM = 1e-11  # ten times the tolerance of the time integrator, the only source of error
TAIL = 1e-8  # N and N·m: adaptive loops at 1e-11 over 2 m, forces of order ten newtons
TAIL_RELATIVE = 1e-9  # the same loops at 1e-11, some hundred steps
POWER = 1e-8  # W, where 50 W are dissipated: adaptive loops at 1e-13 along X, panels that end at the kinks of |V|V
ENERGY = 1e-9  # relative: rtol 1e-12 over some hundred steps
IMPULSE = 1e-8  # relative: the added momentum of 32 nodes while the body deforms


def _drift(values):
    values = np.asarray(values)
    return np.abs(values - values[:1]).max() / np.abs(values[0]).max()


@check(
    group=GROUP,
    title="drift of the eel's momentum in vacuum, six strains in motion, 10 s",
    unit="rel.",
    source="Newton; [BPK06, VI] keeps it to 1e-6",
    meaning="the kinematics are not derivatives of one another, or an inertial term is missing",
)
def beam_momentum_in_vacuum() -> Measurement:
    """Linear and angular, about the world's origin, relative to the initial value."""
    start = cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    run = tight_run(six_strains(), hydro.Void(), start)
    momentum = sums_along(eel(), six_strains(), hydro.Void(), run).momentum_w
    require(np.abs(momentum[0]).max() > 1.0, "the body hardly moves")
    require(np.abs(run.twist[-1] - run.twist[0]).max() > 1e-2, "the head moves uniformly")
    return _drift(momentum), 0.0, MOMENTUM


def _tail(name):
    run, left = swim(name), []
    for k in (4, 23, 56):
        fields = cosserat.internal_wrench(
            eel(), published_gait(name), hydro.Morison(), run.state(k), run.time[k], nested()
        )
        require(np.abs(fields.moment).max() > 1e-2, "there is no internal moment")
        left.append(np.abs(fields.tail).max())
    return float(max(left)), 0.0, TAIL


_TAIL = dict(
    group=GROUP,
    unit="N, N·m",
    source="[BPK06, eq. (45)]: n(L) = M(L) = 0",
    meaning="the two space loops solve different dynamics: a sign or a term differs between (34) and (42)",
    shares="swims",
)


@check(
    title="force and moment left at the tail, planar gait, three instants, loops without a common quadrature",
    **_TAIL,
)
def tail_condition_planar() -> Measurement:
    """Computed by `cosserat.Nested`."""
    return _tail("planar")


@check(title="force and moment left at the tail, turn, three instants", **_TAIL)
def tail_condition_turn() -> Measurement:
    """Computed by `cosserat.Nested`."""
    return _tail("turn")


@check(title="force and moment left at the tail, dive, three instants", **_TAIL)
def tail_condition_dive() -> Measurement:
    """Computed by `cosserat.Nested`."""
    return _tail("dive")


@check(title="force and moment left at the tail, spiral, three instants", **_TAIL)
def tail_condition_spiral() -> Measurement:
    """Computed by `cosserat.Nested`."""
    return _tail("spiral")


@check(
    title="force and moment left at the tail, all six strains in motion, one instant",
    **{**_TAIL, "unit": "rel.", "shares": "reference"},
)
def tail_condition_six_strains() -> Measurement:
    """Computed by `cosserat.Nested`, relative to the maximum force and moment along the body."""
    fields = case_fields(cases()[-1].name, "nested")
    greatest = np.array([np.abs(fields.force_w).max()] * 3 + [np.abs(fields.moment).max()] * 3)
    require(greatest.min() > 1.0, "there is no internal wrench")
    return float(np.max(np.abs(fields.tail) / greatest)), 0.0, TAIL_RELATIVE


@eqx.filter_jit
def _energy_rate(beam, gait, fluid, state, t, path):
    """d/dt(T + T_a) along the motion, by differentiation of the energies."""
    twist_rate = cosserat.head_acceleration(beam, gait, fluid, state, t, path)
    rates = (state.rotation @ state.twist[:3], quaternion_rate(state.quaternion, state.twist[3:]), twist_rate, 1.0)

    def energy(position, quaternion, twist, time):
        sums = cosserat.energetics(beam, gait, fluid, unchecked_state(position, quaternion, twist), time, path)
        return sums.kinetic + sums.added

    return jax.jvp(energy, (state.position, state.quaternion, state.twist, t), rates)[1]


@functools.cache
def _cut_case():
    """The six-strain state of the reference file, and the eel with panels that end at the kinks of its drag."""
    case, path = eel_cases()[-1], cosserat.Panels(order=44)
    return case, cut_at_kinks(eel(), case.gait, case.state, case.t, path), path


def _power(form):
    (case, beam, path), fluid = _cut_case(), hydro.Morison(added_mass=form)
    t = jnp.asarray(case.t)
    given = cosserat.actuator_power(beam, case.gait, fluid, case.state, t, tight_nested())
    sums = cosserat.energetics(beam, case.gait, fluid, case.state, t, path)
    spent = _energy_rate(beam, case.gait, fluid, case.state, t, path) + sums.dissipation - sums.convective
    require(abs(given) > 1.0 and sums.dissipation > 10.0, "hardly any power flows")
    return float(given - spent), 0.0, POWER


_POWER = dict(
    group=GROUP,
    unit="W",
    source="exact identity ∫(M·dK/dt + Rᵀn·dΓ/dt) dX = d/dt(T + T_a) + D - P_conv",
    meaning="internal wrench, energies and fluid forces do not belong to one model: a sign of n, M, or the added mass",
    shares="power",
)


@check(title="power of the actuators less the power spent, six strains, added mass of the paper", **_POWER)
def power_identity_paper() -> Measurement:
    """The left side by `Nested`, the right by `Panels` and automatic differentiation."""
    return _power("paper")


@check(title="power of the actuators less the power spent, six strains, Kirchhoff's added mass", **_POWER)
def power_identity_kirchhoff() -> Measurement:
    """The left side by `Nested`, the right by `Panels` and automatic differentiation."""
    return _power("kirchhoff")


def _ideal_water():
    return hydro.Morison(
        added_mass="kirchhoff", drag_axial=0.0, drag_lateral=0.0, drag_dorsal=0.0, drag_roll=0.0, nose_drag=0.0
    )


def _push():
    return cosserat.HeadState(twist=[-0.4, 0.2, 0.1, 0.3, -0.2, 0.5])


@check(
    group=GROUP,
    title="energy of a bent, rigid eel and its water, no drag, 10 s",
    unit="rel.",
    source="Kirchhoff (1869)",
    meaning="the Kirchhoff form does work: an efficiency computed with it would be wrong",
    shares="ideal water",
)
def kirchhoff_energy() -> Measurement:
    """T + T_a relative to its initial value."""
    wave = gaits.TravellingWave
    # The laws of `six_strains` with a period of thirty years and a start long past, so that one program serves both.
    past = gaits.Start(-2.0, -1.0)
    frozen = gaits.timoshenko_reissner(
        1.0 + past * wave(0.05, 1.5, 1e9, 0.3),
        past * wave(0.02, 1.1, 1e9, 0.7),
        past * wave(0.03, 0.9, 1e9, 1.0),
        past * wave((0.1, 0.2), 1.3, 1e9, 0.2),
        past * wave((0.2, 0.5), 1.7, 1e9, 0.5),
        past * wave((0.3, 0.8), 1.3, 1e9, 0.1),
    )
    run = tight_run(frozen, _ideal_water(), _push())
    sums = sums_along(eel(), frozen, _ideal_water(), run)
    require(np.ptp(sums.added) > 1e-3, "body and water do not exchange energy")
    return _drift(sums.kinetic + sums.added), 0.0, ENERGY


@check(
    group=GROUP,
    title="impulse of a deforming eel and its water, no drag, 10 s",
    unit="rel.",
    source="Kirchhoff (1869)",
    meaning="the added momentum is not carried with the sections",
    shares="ideal water",
)
def kirchhoff_impulse() -> Measurement:
    """Linear and angular, of body and water, relative to the initial value."""
    run = tight_run(six_strains(), _ideal_water(), _push())
    sums = sums_along(eel(), six_strains(), _ideal_water(), run)
    require(np.ptp(sums.momentum_w[:, 0]) > 1e-2, "body and water do not exchange momentum")
    return _drift(sums.impulse_w), 0.0, IMPULSE
