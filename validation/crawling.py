"""Crawling: ideal wheels and dry friction against closed forms, the power balance, and each other."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import j0

import cosserat
import gaits
import multibody
from anguilla import ground
from anguilla.ground.axles import kinematic_twist
from anguilla.ground.rolling import roller_of
from cosserat.state import unchecked_state
from hydro import Void
from spatial import quaternion_rate

from .report import Measurement, check, require

AMPLITUDE = np.pi / 6
ADVANCE = 1e-6  # relative to a wavelength; the tolerance of the time step is 1e-8
WORK = 1e-10  # W: round-off, with wheel forces of some newtons
POWER = 1e-8  # W, with powers below a watt: Gauss panels across the smoothed kinks of friction
ORDER = 0.25  # of a measured order: the next term of the expansion
WIDTH, PERIOD, STRETCH, MU = 3e-4, 8.0, 0.5, 0.5  # of the inchworm [m/s, s, -, -]
STRIDE = 0.01  # relative to the stretch: creep WIDTH * PERIOD is 0.5 %, inertia 1.6 % of friction with either sign


@functools.cache
def rod() -> cosserat.Beam:
    """One metre, two centimetres thick."""
    return cosserat.rod(1.0, b=0.02, c=0.02)


@functools.cache
def _bent() -> gaits.Strain:
    """A wave about a shape that is neither straight nor a circle, so that no three axles meet in one point."""
    return gaits.planar_bending(gaits.TravellingWave(1.0, 1.0, 1.0) + gaits.Function(_mean))


def _mean(X, t):
    return 5.0 * X


@check(
    group="closed forms",
    title="advance per wave of a serpenoid on twelve wheels, α = 30°",
    unit="m",
    source="λ J0(α), the chord of a wavelength of the serpenoid curve",
    meaning="the wheels slip, or the shape does not follow its leader",
)
def wheels_advance_by_bessel() -> Measurement:
    """One period of a wave of one metre."""
    snake = rod()
    run = ground.roll(snake, gaits.serpenoid(AMPLITUDE, 1.0), ground.Wheels.everywhere(snake, 12), t1=1.0, samples=2)
    return float(np.linalg.norm(run.position[-1])), float(j0(AMPLITUDE)), ADVANCE


@functools.cache
def _on_two_wheels():
    wheels, rough = ground.Wheels([0.2, 0.8]), ground.Friction(0.2, 0.3, width=0.05)
    run = ground.roll(rod(), _bent(), wheels, rough, t1=0.5, samples=3, rtol=1e-7, atol=1e-9)
    require(np.abs(run.force).max() > 0.1, "the wheels exert no force")
    return wheels, rough, run


@check(
    group="conservation",
    title="power of the forces of two wheels on a wriggling beam",
    unit="W",
    source="a wheel that does not slip sideways does no work",
    meaning="the velocity is not on the constraint",
    shares="wheels",
)
def wheels_do_no_work() -> Measurement:
    """Maximum over three instants."""
    return float(np.abs(_on_two_wheels()[2].wheel_power).max()), 0.0, WORK


@check(
    group="conservation",
    title="n and M at the tail of a beam on two wheels, from the forces of the wheels",
    unit="N, N·m",
    source="a free tail",
    meaning="forces of the wheels and acceleration of the head do not belong together",
    shares="wheels",
)
def wheels_leave_the_tail_free() -> Measurement:
    """The second space loop with the wheel forces, which the first loop does not contain."""
    wheels, rough, run = _on_two_wheels()
    found = ground.rolling_wrench(rod(), _bent(), wheels, run, 1, rough)
    require(np.abs(found.moment).max() > 1e-3, "there is no internal moment")
    return float(np.abs(found.tail).max()), 0.0, 1e-9


@check(
    group="closed forms",
    title="acceleration of the head on three wheels against differences of its twist in time",
    unit="m/s², rad/s²",
    source="central differences of the kinematic twist, step 1e-4 s",
    meaning="the rate of the constraint misses the motion of the wheels or of their axles",
    shares="wheels",
)
def wheels_accelerate_as_their_twist_changes() -> Measurement:
    """Maximum over V1, V2 and Ω3; the error of the finite differences is (2π)³ h²/6, about 1e-6."""
    roller = roller_of(rod(), _bent(), ground.Wheels([0.1, 0.45, 0.9]), Void(), None)

    @eqx.filter_jit
    def twist_and_rate(roller, t):
        axles = roller.axles(t)
        J, b = axles.constraint()
        twist = kinematic_twist(J, b)
        return twist, kinematic_twist(J, axles.bias(twist))

    t, h = 0.3, 1e-4
    before, after = (np.asarray(twist_and_rate(roller, jnp.asarray(t + s * h))[0]) for s in (-1, 1))
    rate = np.asarray(twist_and_rate(roller, jnp.asarray(t))[1])
    require(np.abs(rate).max() > 1.0, "the head hardly accelerates")
    return float(np.abs(rate - (after - before) / (2 * h)).max()), 0.0, 1e-4


@eqx.filter_jit
def power_budget(snake, gait, rough, state, t):
    """Power of the actuators, rate of kinetic and potential energy, power dissipated by friction [W]."""
    rate = cosserat.head_acceleration(snake, gait, rough, state, t)

    def energy(position, quaternion, twist, t):
        sums = cosserat.energetics(snake, gait, rough, unchecked_state(position, quaternion, twist), t)
        return sums.kinetic + sums.potential

    moving = state.rotation @ state.twist[:3], quaternion_rate(state.quaternion, state.twist[3:])
    now = (state.position, state.quaternion, state.twist, t)
    gain = jax.jvp(energy, now, (*moving, rate, jnp.ones(())))[1]
    taken = cosserat.energetics(snake, gait, rough, state, t).dissipation
    return cosserat.actuator_power(snake, gait, rough, state, t), gain, taken


@check(
    group="conservation",
    title="power of a sidewinding beam on dry friction: actuators - friction - rate of energy",
    unit="W",
    source="first law",
    meaning="friction does not act where the body moves, or the lifting is of another time",
)
def friction_power_balance() -> Measurement:
    """On an incline of 0.2 rad, with a viscous part."""
    gait = gaits.sidewinding(0.6, 0.8, 1.0, period=1.3)
    rough = ground.Friction(0.2, 0.6, 0.3, viscous=0.4, lifting=gait.lifting, incline=0.2)
    state = cosserat.HeadState(twist=(-0.4, 0.1, 0.0, 0.0, 0.0, 0.3))
    given, gain, taken = (float(value) for value in power_budget(rod(), gait, rough, state, jnp.asarray(0.4)))
    require(abs(gain) > 0.1 and abs(taken) > 0.1, "hardly any power flows")
    return given - gain - taken, 0.0, POWER


@check(
    group="agreement",
    title="order in which dry friction tends to ideal wheels as its sideways coefficient doubles",
    unit="-",
    source="a first-order slip: side force over coefficient",
    meaning="sideways friction does not hold the body",
)
def friction_tends_to_wheels() -> Measurement:
    """Advance per wave of a slow serpenoid; forward coefficient 0.05, sideways 4, 8, 16."""
    gait = gaits.serpenoid(0.6, 1.0, period=8.0)
    start = ground.roll(rod(), gait, ground.Wheels.everywhere(rod(), 9), t1=8.0, samples=2).twist[0]
    errors = []
    for sideways in (4.0, 8.0, 16.0):
        rough = ground.Friction(0.05, sideways, width=1e-2)
        state = cosserat.HeadState(twist=start)
        run = cosserat.rollout(rod(), gait, rough, 16.0, samples=3, state=state)
        errors.append(float(j0(0.6)) - float(np.linalg.norm(run.position[2] - run.position[1])))
    return float(np.log2(errors[1] / errors[2])), 1.0, ORDER


@check(
    group="agreement",
    title="order of a chain of 16 and 32 links against the beam on friction with lifting",
    unit="-",
    source="rigid links are a second-order model of a beam",
    meaning="one of the engines puts friction or lifting at another place",
)
def chain_on_friction_is_second_order() -> Measurement:
    """Acceleration of the head."""
    gait = gaits.sidewinding(0.6, 0.8, 1.0, period=1.3)
    rough = ground.Friction(0.2, 0.6, 0.3, lifting=gait.lifting)
    state, t = cosserat.HeadState(twist=(-0.4, 0.1, 0.0, 0.0, 0.0, 0.3)), jnp.asarray(0.4)
    beam = np.asarray(cosserat.head_acceleration(rod(), gait, rough, state, t))
    errors = []
    for links in (16, 32):
        tree, law = multibody.from_beam(rod(), links), multibody.strain_law(gait, 1.0, links)
        errors.append(np.abs(np.asarray(_chain(tree, law, rough, state, t)) - beam).max())
    return float(np.log2(errors[0] / errors[1])), 2.0, ORDER


@eqx.filter_jit
def _chain(tree, law, rough, state, t):
    drive = multibody.Drive(law, multibody.immerse(tree, rough), None, None, None)
    return drive.dynamics(tree, t, state, *multibody.law_motion(tree, law, t)).base_acceleration


def _stride(depth: float, forward: float, tau: float) -> float:
    gait = gaits.inchworm(STRETCH, 1.0, period=PERIOD, depth=depth)
    rough = ground.Friction(forward, MU, MU, width=WIDTH, incline=np.arctan(tau * MU), lifting=gait.lifting)
    path = cosserat.Panels(order=4)
    run = cosserat.rollout(rod(), gait, rough, PERIOD, samples=2, rtol=1e-4, atol=1e-7, path=path)
    return -float(run.position[-1, 0]) / STRETCH


def _slow_stride(tau: float) -> float:
    """Stride of a slow inchworm with full anchors and isotropic friction, from the balance of forces at every phase."""

    def still(phase):
        ahead = 0.5 * (1.0 - tau) if np.sin(phase) > 0 else 0.5 * (1.0 + tau)
        s = np.tanh(5 * np.sin(phase)) / np.tanh(5)
        return brentq(lambda x: x + s * (x * x - x) - ahead, 0.0, 1.0)

    return float(quad(lambda phase: 0.5 * np.sin(phase) * still(phase), 0, 2 * np.pi, points=[np.pi], limit=200)[0])


@check(
    group="closed forms",
    title="stride of an inchworm that anchors its ends by their load, on a slope of tan θ = 0.3 μ",
    unit="stretch",
    source="balance of friction and weight at every phase of a slow motion",
    meaning="lifting is of another place or time, or the weight along the slope is wrong",
    shares="inchworm",
)
def inchworm_with_anchors() -> Measurement:
    """Stride in units of the stretch of the body."""
    return _stride(1.0, MU, 0.3), _slow_stride(0.3), STRIDE


@check(
    group="closed forms",
    title="stride of an inchworm with scales (μ_f = 0) where tan θ = μ/4",
    unit="stretch",
    source="1 - 2 tan θ/μ: the sections at rest divide the weight",
    meaning="forward and backward friction are exchanged, or smoothed too widely",
    shares="inchworm",
)
def inchworm_with_scales() -> Measurement:
    """Stride in units of the stretch of the body; it stops at tan θ = μ/2, and slides down beyond tan θ = μ."""
    return _stride(0.0, 0.0, 0.25), 0.5, STRIDE
