"""The beam against itself and against independently computed figures."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro

from .cases import case_fields, cases
from .reference import eel_reference, world_acceleration
from .report import Measurement, check, exhibit, quote, require
from .subjects import TIMES, eel, published_gait, relative, sums_along, swim

GROUP = "agreement"

ADAPTIVE = 1e-9  # relative: loops at rtol 1e-11; the reference's own uncertainty is 1e-12
UNSPLIT = 1e-6  # relative: fixed Gauss panels across the kinks of |V|V
TRAJECTORY = 1e-6  # m: rtol 1e-9 on both sides, and Gauss panels across the kinks
GRADIENT = 1e-6  # relative: central differences of step 1e-4, with an error of the order of its square

WATER = 1e-6  # m²/s, kinematic viscosity

FIGURES = {  # mean speed of the centre of mass over 9-10 s [m/s], head at 10 s [m], peak |M3| at X = 1 m [N·m]
    "planar": (0.3451, (-2.17968, 0.01394, 0.0), 1.99),
    "turn": (0.3351, (-1.52973, 1.36985, 0.0), 2.48),
    "dive": (0.3421, (-2.14017, -0.12849, -0.11003), 1.99),
    "spiral": (0.3025, (-0.98120, 1.18496, -0.94308), 2.74),
}
_INDEPENDENT = "validation/data/eel_reference.json, computed independently of this code"


def _worst(path, value, expected):
    return max(relative(value(case, case_fields(case.name, path)), expected(case)) for case in cases())


def _acceleration(case, fields):
    return world_acceleration(case.state, fields.head_twist_rate)


def _expected_acceleration(case):
    return case.expected["a0"] + case.expected["wd0"]


_REFERENCE = dict(
    group=GROUP,
    unit="rel.",
    source=_INDEPENDENT,
    meaning="the equations differ from those derived a second time: compare term by term with the misprints of [BPK06]",
    shares="reference",
)


@check(title="head acceleration at three states, adaptive path", **_REFERENCE)
def reference_acceleration() -> Measurement:
    """Compares the planar gait, the spiral gait and a gait with all six strains, in motion."""
    return _worst("nested", _acceleration, _expected_acceleration), 0.0, ADAPTIVE


@check(title="internal force n along the body, three states, adaptive path", **_REFERENCE)
def reference_internal_force() -> Measurement:
    """Compared in the world frame."""
    return _worst("nested", lambda case, f: f.force_w, lambda case: case.expected["n_earth"]), 0.0, ADAPTIVE


@check(title="internal moment M along the body, three states, adaptive path", **_REFERENCE)
def reference_internal_moment() -> Measurement:
    """Compared in the section frames."""
    return _worst("nested", lambda case, f: f.moment, lambda case: case.expected["M_section"]), 0.0, ADAPTIVE


@check(title="acceleration, n and M at three states, fast path", **_REFERENCE)
def reference_fast_path() -> Measurement:
    """The worst of the three."""
    worst = max(
        _worst("panels", _acceleration, _expected_acceleration),
        _worst("panels", lambda case, f: f.force_w, lambda case: case.expected["n_earth"]),
        _worst("panels", lambda case, f: f.moment, lambda case: case.expected["M_section"]),
    )
    return worst, 0.0, UNSPLIT


@check(title="head acceleration with other fluids: vacuum, Kirchhoff, no nose, half perimeter", **_REFERENCE)
def reference_other_fluids() -> Measurement:
    """Fast path; the worst of four fluids at three states."""
    fluids = {
        "void": hydro.Void(),
        "kirchhoff_added_mass": hydro.Morison(added_mass="kirchhoff"),
        "no_head_terms": hydro.Morison(nose_drag=0.0, nose_mass=0.0),
        "perimeter_half_as_printed": hydro.Morison(drag_axial=0.005),
    }

    def error(case, name):
        rate = cosserat.head_acceleration(eel(), case.gait, fluids[name], case.state, case.t)
        return relative(world_acceleration(case.state, rate), case.alternatives[name])

    return max(error(case, name) for case in cases() for name in fluids), 0.0, UNSPLIT


@check(
    group=GROUP,
    title="fast path against adaptive path: n and M along the body, three states",
    unit="rel.",
    source="two discretisations that share the gait, the fluid and the body only",
    meaning="one of the two ways along X is wrong, or the nodes of the fast one are too few",
    shares="reference",
)
def fast_against_adaptive_path() -> Measurement:
    """The worst of force and moment."""
    pairs = [(case_fields(case.name, "panels"), case_fields(case.name, "nested")) for case in cases()]
    worst = max(max(relative(p.force_w, n.force_w), relative(p.moment, n.moment)) for p, n in pairs)
    return worst, 0.0, UNSPLIT


def _trajectory(name):
    run, rows = swim(name), eel_reference()["trajectories"][name]["rows"]
    worst = 0.0
    for row in rows:
        k = int(np.argmin(np.abs(TIMES - row["t"])))
        require(abs(TIMES[k] - row["t"]) < 1e-9, f"the run has no output at {row['t']} s")
        state = run.state(k)
        turned = np.asarray(state.rotation) - np.asarray(cosserat.HeadState(quaternion=row["q_wxyz"]).rotation)
        worst = max(worst, np.abs(np.asarray(state.position) - row["r0"]).max(), np.abs(turned).max())
    require(abs(run.position[-1, 0]) > 0.5, "it hardly swims")
    return worst, 0.0, TRAJECTORY


_MOTION = dict(
    group=GROUP,
    unit="m, -",
    source=_INDEPENDENT,
    meaning="the motion in time is wrong although forces at one instant are right: time integration, or the gait",
    shares="swims",
)


@check(title="position and axes of the head up to 10 s, planar gait", **_MOTION)
def trajectory_planar() -> Measurement:
    """Maximum difference over the reference's times."""
    return _trajectory("planar")


@check(title="position and axes of the head up to 10 s, spiral gait", **_MOTION)
def trajectory_spiral() -> Measurement:
    """Maximum difference over the reference's times."""
    return _trajectory("spiral")


@check(title="head at 10 s, worst of the four gaits (reference: five decimals)", **{**_MOTION, "unit": "m"})
def head_after_ten_seconds() -> Measurement:
    """Maximum difference of a coordinate."""
    exhibit("swims", **{name: swim(name).position for name in FIGURES})
    worst = max(np.abs(np.asarray(swim(name).position[-1]) - FIGURES[name][1]).max() for name in FIGURES)
    return worst, 0.0, 0.5e-5 + TRAJECTORY


def cruising_speed(name: str) -> float:
    """Mean speed of the centre of mass from 9 to 10 s [m/s]; records the final pose of the head for the ledger."""
    last = swim(name).state(-1)
    (x, y, z), R = np.asarray(last.position), np.asarray(last.rotation)
    axes = [np.asarray(swim(name).state(k).rotation)[:, 0] for k in range(90, 100)]  # over the last period
    quote(
        **{f"{name}_x": x, f"{name}_y": y, f"{name}_z": z, f"{name}_depth": abs(z)},
        **{f"{name}_yaw": abs(np.degrees(np.mean([np.arctan2(axis[1], axis[0]) for axis in axes])))},
        **{f"{name}_roll": np.degrees(np.arctan2(R[2, 1], R[2, 2]))},
    )
    sums = sums_along(eel(), published_gait(name), hydro.Morison(), swim(name))
    return float(np.linalg.norm(sums.centre_w[100] - sums.centre_w[90]))


_SPEED = dict(
    group=GROUP,
    unit="m/s",
    source="an independent integration, four decimals; [BPK06] prints curves only",
    meaning="thrust or resistance is wrong",
    shares="swims",
)


@check(title="mean speed of the centre of mass over 9-10 s, planar gait", **_SPEED)
def speed_planar() -> Measurement:
    """Computed from the swim of ten seconds."""
    speed = cruising_speed("planar")
    quote(planar_reynolds=speed * 0.15 / WATER)
    return speed, FIGURES["planar"][0], 0.6e-4


@check(title="mean speed of the centre of mass over 9-10 s, turn", **_SPEED)
def speed_turn() -> Measurement:
    """Computed from the swim of ten seconds."""
    return cruising_speed("turn"), FIGURES["turn"][0], 0.6e-4


@check(title="mean speed of the centre of mass over 9-10 s, dive", **_SPEED)
def speed_dive() -> Measurement:
    """Computed from the swim of ten seconds."""
    return cruising_speed("dive"), FIGURES["dive"][0], 0.6e-4


@check(title="mean speed of the centre of mass over 9-10 s, spiral", **_SPEED)
def speed_spiral() -> Measurement:
    """Computed from the swim of ten seconds."""
    return cruising_speed("spiral"), FIGURES["spiral"][0], 0.6e-4


@eqx.filter_jit
def _distance(p):
    """Forward advance of the nose in 0.6 s from rest [m] for (α1, α2, α3, λ, T, K3 offset), in steps of 20 ms."""
    gait = gaits.spiral(offset2=0.2, offset3=p[5], amplitude=p[:3], wavelength=p[3], period=p[4])
    run = cosserat.rollout(
        eel(),
        gait,
        hydro.Morison(),
        0.6,
        samples=2,
        solver=diffrax.Heun(),
        controller=diffrax.ConstantStepSize(),
        dt0=0.02,
        max_steps=64,
    )
    return -run.position[-1, 0]


@check(
    group=GROUP,
    title="gradient of the distance swum from rest, by six parameters of the gait",
    unit="rel.",
    source="central differences of step 1e-4",
    meaning="optimisation would fail: a derivative is missing, or NaN at the kink of |V|V",
)
def gradient_of_the_distance() -> Measurement:
    """Reverse mode through the time integration: the derivative of the discrete map, hence exact."""
    p = jnp.array([1.0, -0.75, 1.0, 1.0, 1.0, 0.3])
    gradient = np.asarray(eqx.filter_jit(jax.grad(_distance))(p))
    steps = jnp.asarray(1e-4 * np.eye(len(p)))
    central = np.array([(_distance(p + h) - _distance(p - h)) / 2e-4 for h in steps])
    require((np.abs(central) > 1e-5).all(), "a parameter does not matter")
    return relative(gradient, central), 0.0, GRADIENT
