"""Checks against closed forms: fluid loads on a straight or rigid body, and slender-body theory."""

import functools

import diffrax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import quad

import cosserat
import hydro
import spatial

from .lamb import slender_added_inertia
from .reference import eel_reference
from .report import Measurement, check
from .subjects import eel, relative, straight

GROUP = "closed forms"

ROUND_OFF = 1e-12  # relative
QUADRATURE = 1e-9  # relative: Gauss panels on half ellipsoids, whose perimeter has a square-root end
COAST = 1e-9  # m and m/s at rtol 1e-12


@check(
    group=GROUP,
    title="mass of the straight eel and of the water it moves sideways",
    unit="kg",
    source="[BPK06, IX.A] by quadrature: 21.699 + 25.619 kg",
    meaning="the absolute sign or size of the added mass is wrong; the tail condition cannot see it",
)
def straight_lateral_inertia() -> Measurement:
    """Entry (2, 2) of the inertia reduced to the head."""
    H = cosserat.head_dynamics(eel(), straight, hydro.Morison(), cosserat.HeadState(), 0.0).inertia
    return float(H[1, 1]), 47.31827584928777, 1e-8


@check(
    group=GROUP,
    title="mass of the eel",
    unit="kg",
    source="[BPK06, IX.A]: 21.7 kg, one decimal",
    meaning="the shape of the body is not the paper's",
)
def mass_of_the_eel() -> Measurement:
    """Homogeneous, of unit density."""
    return float(cosserat.mass(eel())), 21.7, 0.05


@check(
    group=GROUP,
    title="straight eel coasting for 10 s: speed and distance against V0/(1 + k V0 t)",
    unit="m/s, m",
    source="closed form, k = 0.2437004741 1/m from the drag and the axial inertia",
    meaning="axial drag, nose drag or axial inertia is wrong",
)
def straight_coasting() -> Measurement:
    """Maximum difference of speed and of distance."""
    k, V0 = 0.2437004741146085, 0.8
    run = cosserat.rollout(
        eel(),
        straight,
        hydro.Morison(),
        10.0,
        state=cosserat.HeadState(twist=[-V0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        samples=11,
        rtol=1e-12,
        atol=1e-14,
        solver=diffrax.Dopri8(),
        land=True,
    )
    t = np.asarray(run.time)
    speed = np.abs(np.asarray(run.twist[:, 0]) + V0 / (1 + k * V0 * t)).max()
    way = np.abs(np.asarray(run.position[:, 0]) + np.log(1 + k * V0 * t) / k).max()
    last = abs(float(run.twist[-1, 0]) - eel_reference()["checks"]["coast"]["V10"])
    return max(speed, way, last), 0.0, COAST


@functools.cache
def _length_integrals() -> tuple[float, float]:
    """∫C_ld1 dX and ∫C_ld3 dX by scipy [kg/m]."""
    profile = eel().profile
    breaks = np.asarray(profile.breaks)

    def integral(coefficient):
        total = 0.0
        for k, piece in enumerate(profile.pieces):
            axes = lambda X, piece=piece: [float(a) for a in piece(jnp.asarray(X))]  # noqa: E731
            total += quad(lambda X: coefficient(*axes(X)), breaks[k], breaks[k + 1], epsabs=1e-11)[0]  # noqa: B023
        return total

    friction = integral(lambda b, c: 0.5 * 1000.0 * 0.01 * np.pi * (b + c))
    dorsal = integral(lambda b, c: 0.5 * 1000.0 * 1.0 * 2.0 * b)
    return friction, dorsal


def _held_in_a_stream(along):
    """Worst relative error of drag or lift over four angles of attack; v² = 0.64 m²/s²."""
    friction, dorsal = _length_integrals()
    worst, speed = 0.0, 0.8
    for alpha in (0.15, 0.3, 0.8, 1.2):
        ca, sa = np.cos(alpha), np.sin(alpha)
        state = cosserat.HeadState(twist=[speed * ca, 0.0, speed * sa, 0.0, 0.0, 0.0])
        fluid = hydro.Morison(nose_drag=0.0)
        force = np.asarray(cosserat.head_dynamics(eel(), straight, fluid, state, 0.0).wrench[:3])
        if along == "drag":
            found = -force @ np.array([ca, 0.0, sa])
            expected = (friction * ca**3 + dorsal * sa**3) * speed**2
        else:
            found = force @ np.array([-sa, 0.0, ca])
            expected = (friction * ca - dorsal * sa) * sa * ca * speed**2
        worst = max(worst, abs(found / expected - 1.0))
    return worst, 0.0, QUADRATURE * 10.0


_FIGURE_2 = dict(
    group=GROUP,
    unit="rel.",
    source="[BPK06, IV, Figure 2], with the signs of a resistance",
    meaning="the drag of a section is wrong in size or direction",
    shares="stream",
)


@check(title="drag of the straight eel at four angles of attack", **_FIGURE_2)
def drag_of_the_straight_eel() -> Measurement:
    """Force along the stream relative to its closed form."""
    return _held_in_a_stream("drag")


@check(title="lift of the straight eel at four angles of attack", **_FIGURE_2)
def lift_of_the_straight_eel() -> Measurement:
    """Force normal to the stream relative to its closed form."""
    return _held_in_a_stream("lift")


def ellipsoid_added_inertia(A: float, B: float, C: float) -> np.ndarray:
    """Added inertia of a rigid ellipsoidal beam at its centre, summed over sections by the engine [kg, kg·m²].

    Args:
        A: semi-axis along t1 [m].
        B: semi-axis along t2 [m].
        C: semi-axis along t3 [m].
    """
    halves = hydro.Cap(A, -A, B, C), hydro.Cap(A, A, B, C)
    beam = cosserat.Beam(hydro.Profile((0.0, A, 2 * A), halves), load_panels=(4, 4))
    wet, dry = (
        cosserat.head_dynamics(beam, straight, fluid, cosserat.HeadState(), 0.0).inertia
        for fluid in (hydro.Morison(1000.0), hydro.Void())
    )
    return np.asarray(spatial.shift_inertia(jnp.eye(3), jnp.array([-A, 0.0, 0.0]), wet - dry))


@check(
    group=GROUP,
    title="added inertia of a slender ellipsoid, six by six",
    unit="rel.",
    source="[BPK06, IV]: 4ρπAC²/3, 4ρπAB²/3, 2ρπ(B²-C²)²A/15, 4ρπB²A³/15, 4ρπC²A³/15",
    meaning="the added mass of a section, or its sum along the body, is wrong",
)
def ellipsoid_of_section_IV() -> Measurement:
    """Semi-axes 1, 0.1 and 0.2 m."""
    A, B, C = 1.0, 0.1, 0.2
    expected = np.diag(slender_added_inertia(A, B, C, 1000.0))
    return relative(ellipsoid_added_inertia(A, B, C), expected), 0.0, 1e-10


@check(
    group=GROUP,
    title="load on a circular section against the cable of the Appendix",
    unit="rel.",
    source="[BPK06, Appendix], after Burgess (1993)",
    meaning="the coefficients of the elliptic section do not reduce to the circular one: perimeter, diameter or area",
)
def circular_cable() -> Measurement:
    """Three forces and three couples at one velocity and acceleration."""
    D, Ct, Cn, Cm, rho = 0.12, 0.02, 1.1, 0.9, 1025.0
    section = hydro.EllipticSection(jnp.asarray(D / 2), jnp.asarray(D / 2))
    fluid = hydro.Morison(rho, drag_axial=Ct, drag_lateral=Cn, drag_dorsal=Cn, mass_lateral=Cm, mass_dorsal=Cm)
    V, rate = np.array([0.7, -0.4, 0.3]), np.array([1.0, 2.0, -3.0])
    here = hydro.Place(jnp.zeros(3), jnp.eye(3))
    terms = fluid.terms(section, here, jnp.asarray([*V, 0.0, 0.0, 0.0]))
    load = sum(terms.values(), jnp.zeros(6)) - fluid.added_inertia(section) @ jnp.asarray([*rate, 5.0, 0.0, 0.0])
    speed, area = np.hypot(V[1], V[2]), np.pi * D**2 / 4
    expected = [
        -0.5 * rho * Ct * np.pi * D * abs(V[0]) * V[0],
        -0.5 * rho * (Cn * D * speed * V[1] + 2 * Cm * area * rate[1]),
        -0.5 * rho * (Cn * D * speed * V[2] + 2 * Cm * area * rate[2]),
        0.0,
        0.0,
        0.0,
    ]
    return relative(load, expected), 0.0, ROUND_OFF
