"""Dry friction under a body's weight: its law, closed forms of sliding, sticking and stepping bodies, both engines."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import cosserat
import gaits
import hydro
import multibody
from anguilla import ground
from validation.crawling import power_budget

pytestmark = pytest.mark.slow

ROD = cosserat.rod(1.0, b=0.02, c=0.02)
COARSE = cosserat.Beam(hydro.uniform_profile(1.0, 0.02, 0.02), load_panels=(4,))
G = 9.81
MOVING = cosserat.HeadState(twist=(-0.4, 0.1, 0.0, 0.0, 0.0, 0.3))
SIDEWAYS = gaits.sidewinding(0.6, 0.8, 1.0, period=1.3)


def _standing(X, t):
    return jnp.cos(2 * jnp.pi * X) * jnp.sin(jnp.pi * t)


def planar(travelling=0.0, standing=0.0):
    """One structure for all planar cases, so that one program serves them."""
    wave = gaits.TravellingWave(2 * jnp.pi * travelling, 1.0, 2.0) + standing * gaits.Function(_standing)
    return gaits.planar_bending(gaits.Start(0.0, 1.0) * wave)


def _slide(friction, gait, t1=2.0, **options):
    options = {"rtol": 1e-8, "atol": 1e-10, "samples": 3, "path": cosserat.Panels(order=16)} | options
    return cosserat.rollout(COARSE, gait, friction, t1, **options)


def _centre(gait, friction, run, k):
    return np.asarray(cosserat.energetics(COARSE, gait, friction, run.state(k), run.time[k]).centre_w)


# --- the law of one section ------------------------------------------------------------------------------------------


def test_one_section_against_the_formula_by_hand():
    rough = ground.Friction(forward=0.2, sideways=0.5, backward=0.3, density=900.0, width=0.01, viscous=0.7)
    section, place = hydro.EllipticSection(jnp.array(0.03), jnp.array(0.02)), hydro.Place(jnp.zeros(3), jnp.eye(3))
    w = 900.0 * np.pi * 0.03 * 0.02 * G
    for V1, mu in ((-0.4, 0.2), (0.4, 0.3)):
        V2 = 0.3
        got = rough.terms(section, place, jnp.array([V1, V2, 0.0, 0.1, 0.2, 0.3]))["friction"]
        u = 1.0 / np.hypot(np.hypot(V1, V2), 0.01)
        expected = [-w * mu * V1 * u - 0.7 * V1, -w * 0.5 * V2 * u - 0.7 * V2, 0.0, 0.0, 0.0, 0.0]
        np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_friction_never_gives_power():
    lifting = gaits.SinusLifting(1.0, 0.7, 1.0, 1.0)
    rough = ground.Friction(0.1, 0.4, 0.2, lifting=lifting, viscous=0.3).at(jnp.array(0.37))
    section = hydro.EllipticSection(jnp.array(0.03), jnp.array(0.02))
    random = np.random.default_rng(0)
    twists = jnp.asarray(random.normal(size=(400, 6)) * 10.0 ** random.uniform(-6, 2, (400, 1)))
    axes = jnp.asarray(np.linalg.qr(random.normal(size=(400, 3, 3)))[0])
    place = hydro.Place(jnp.zeros((400, 3)), axes, jnp.asarray(random.uniform(0, 1, 400)))
    power = jax.vmap(lambda p, v: rough.terms(section, p, v)["friction"] @ v)(place, twists)
    assert np.all(np.asarray(power) <= 0.0) and np.asarray(power).min() < -1.0


def test_lifting_carries_the_whole_weight_at_all_times():
    for law in (
        gaits.SinusLifting(0.9, 0.7, 1.3, 1.0, order=1),
        gaits.SinusLifting(-1.0, 0.7, 1.3, 1.0, 0.4),
        gaits.Anchors(1.0, 1.3, 1.0),
        gaits.Anchors(0.8, 1.3, 1.0, order=7),
    ):
        X, weight = np.polynomial.legendre.leggauss(40)
        for t in (0.0, 0.31, 1.9):
            share = np.asarray(jax.vmap(law, (0, None))(jnp.asarray((X + 1) / 2), t))
            assert share.min() >= -1e-12
            assert abs(np.sum(0.5 * weight * share) - 1.0) < 1e-12


def test_gradients_at_rest_are_finite():
    def force(parameters, twist):
        rough = ground.Friction(*parameters)
        section = hydro.EllipticSection(jnp.array(0.03), jnp.array(0.02))
        return rough.terms(section, hydro.Place(jnp.zeros(3), jnp.eye(3)), twist)["friction"]

    for derivative in jax.jacobian(force, argnums=(0, 1))(jnp.array([0.1, 0.3, 0.2]), jnp.zeros(6)):
        assert np.all(np.isfinite(derivative))


# --- closed forms ----------------------------------------------------------------------------------------------------


def test_a_straight_body_slides_to_rest():
    """Forward at 1 m/s with μ = 0.2: v² = v0² - 2 μ g x, as long as v is far above the width."""
    rough = ground.Friction(0.2, 0.5, 0.9, width=1e-4)
    run = _slide(rough, planar(), 0.4, state=cosserat.HeadState(twist=(-1.0, 0, 0, 0, 0, 0)))
    # The smoothing takes (ε/v)²/2 of the force: 1e-8 at the lowest speed here.
    assert abs(-float(run.twist[-1, 0]) - (1.0 - 0.2 * G * 0.4)) < 1e-7
    assert abs(-float(run.position[-1, 0]) - (0.4 - 0.5 * 0.2 * G * 0.16)) < 1e-7


def test_on_an_incline_a_body_holds_below_the_angle_of_friction_and_slides_above():
    """Creep ε τ/√(1 - τ²) below, τ = tan θ/μ; acceleration g (sin θ - μ cos θ) above."""
    mu, width = 0.4, 1e-2
    below, above = np.arctan(0.6 * mu), np.arctan(1.5 * mu)
    run = _slide(ground.Friction(0.1, 0.9, mu, width=width, incline=below), planar(), 1.0)
    assert abs(float(run.twist[-1, 0]) - width * 0.6 / np.sqrt(1 - 0.36)) < 1e-7
    run = _slide(ground.Friction(0.1, 0.9, mu, width=width, incline=above), planar(), 1.0)
    gained = float(run.twist[2, 0] - run.twist[1, 0])
    # What the smoothing adds: μ g cos θ ∫ (1 - v/√(v²+ε²)) dt <= μ g cos θ ε²/(2 a² t) at t = 0.5.
    a = G * (np.sin(above) - mu * np.cos(above))
    assert abs(gained - 0.5 * a) < mu * G * width**2 / (2 * a**2 * 0.5)


def _inchworm_stride(tau, a, forward_over_backward, load, order=1):
    """Advance in body lengths per period of a slow inchworm: the section that stands still moves with the phase."""

    def still(phase):
        # Fraction of the load ahead of the section at rest: extending, that part goes up; shortening, down.
        r = forward_over_backward
        extending = np.sin(phase) > 0
        ahead = (1.0 - tau) / (1.0 + r) if extending else (r + tau) / (1.0 + r)
        s, m = np.tanh(5 * np.sin(phase)) / np.tanh(5), order + 1
        feet = lambda x: 0.5 * (1 + s) * x**m + 0.5 * (1 - s) * (1 - (1 - x) ** m)  # noqa: E731
        return brentq(lambda x: (1 - load) * x + load * feet(x) - ahead, 0.0, 1.0)

    advance = quad(lambda phase: 0.5 * a * np.sin(phase) * still(phase), 0, 2 * np.pi, points=[np.pi], limit=200)[0]
    return advance


def _stride(gait, **ground_options):
    """Advance of a slow inchworm in its first period [m], from rest; 144 nodes resolve where it stands still."""
    rough = ground.Friction(width=3e-4, lifting=gait.lifting, **ground_options)
    options = {"samples": 2, "rtol": 1e-4, "atol": 1e-7, "path": cosserat.Panels(order=4)}
    return -float(cosserat.rollout(ROD, gait, rough, 8.0, **options).position[-1, 0])


MU, STRETCH = 0.5, 0.5
# Creep: width times period = 0.5 % of the stretch. Inertia: a ω² L / 4 μ g = 1.6 % of friction, of either sign.
STRIDE = 0.01 * STRETCH


@pytest.mark.parametrize("tau", [0.0, 0.3])
def test_inchworm_on_an_incline(tau):
    """Slow, anchored by its load: the stride falls with tan θ/μ as the balance of forces says."""
    gait = gaits.inchworm(STRETCH, 1.0, period=8.0, depth=1.0)
    stride = _stride(gait, forward=MU, sideways=MU, backward=MU, incline=np.arctan(tau * MU))
    assert abs(stride - _inchworm_stride(tau, STRETCH, 1.0, 1.0)) < STRIDE


@pytest.mark.parametrize("tau", [0.25, 0.5, 1.1])
def test_inchworm_stops_where_friction_no_longer_holds(tau):
    """An even load and scales (μ_f = 0): the stride is a (1 - 2 tan θ/μ_b), and none holds beyond μ cos θ = sin θ."""
    theta = np.arctan(tau * MU)
    gait = gaits.inchworm(STRETCH, 1.0, period=8.0, depth=0.0)
    stride = _stride(gait, forward=0.0, sideways=MU, backward=MU, incline=theta)
    if tau < 1.0:
        assert abs(stride - STRETCH * (1 - 2 * tau)) < STRIDE
        return
    # It slides as a rigid body, but for what its own stretching adds: a L.
    assert abs(stride + 0.5 * G * (np.sin(theta) - MU * np.cos(theta)) * 8.0**2) < STRETCH


def test_inchworm_on_feet_climbs_until_the_friction_of_one_foot_equals_the_weight_along_the_slope():
    """Isotropic friction, the load on the holding foot: it climbs up to μ cos θ = sin θ and slides back beyond.

    By the balance of forces the stride vanishes at tan θ/μ = 0.997; the rest is the change of feet. Tolerance: that of
    the other strides, and creep ε τ/√(1 - τ²) over a period.
    """
    order = 15
    by_hand = lambda tau: _inchworm_stride(tau, STRETCH, 1.0, 1.0, order)  # noqa: E731
    assert 0.99 < brentq(by_hand, 0.5, 1.0 - 1e-5) < 1.0
    gait = gaits.inchworm(STRETCH, 1.0, period=8.0, depth=1.0, order=order)
    climb = lambda tau: _stride(gait, forward=MU, sideways=MU, backward=MU, incline=np.arctan(tau * MU))  # noqa: E731
    for tau in (0.5, 0.9):
        creep = 3e-4 * 8.0 * tau / np.sqrt(1.0 - tau**2)
        assert abs(climb(tau) - by_hand(tau)) < STRIDE + creep, tau
    theta = np.arctan(1.1 * MU)
    # As a rigid body, but for what its own stretching adds: a L.
    assert abs(climb(1.1) + 0.5 * G * (np.sin(theta) - MU * np.cos(theta)) * 8.0**2) < STRETCH


def test_isotropic_viscous_ground_moves_no_centre_of_mass():
    """The force is -c L times the velocity of the centre of mass: at rest it stays at rest, whatever the wave."""
    viscous = ground.Friction(0.0, 0.0, viscous=2.0)
    gait = planar(travelling=0.5)
    run = _slide(viscous, gait, 4.0)
    start = np.array([0.5, 0.0, 0.0])
    for k in (1, 2):
        assert np.abs(_centre(gait, viscous, run, k) - start).max() < 1e-8
    assert np.linalg.norm(np.asarray(run.position[1])) > 1e-3  # though the head moves


def test_isotropic_dry_ground_does_not_move_a_symmetric_wave():
    """A standing wave that is the same from head and tail, isotropic friction: no direction is preferred."""
    gait, rough = planar(standing=4.0), ground.Friction(0.3, 0.3)
    run = _slide(rough, gait, 4.0)
    assert abs(_centre(gait, rough, run, 2)[0] - 0.5) < 1e-7
    assert float(jnp.max(jnp.abs(run.twist))) > 0.05


# --- energy, engines, gradients --------------------------------------------------------------------------------------


@pytest.mark.parametrize("incline", [0.0, 0.2])
def test_power_balance_at_an_instant(incline):
    """Actuators = friction + rate of kinetic and potential energy [W], with lifting, on a level and on a slope."""
    rough = ground.Friction(0.2, 0.6, 0.3, viscous=0.4, lifting=SIDEWAYS.lifting, incline=incline)
    given, gain, taken = power_budget(ROD, SIDEWAYS, rough, MOVING, jnp.asarray(0.4))
    assert abs(float(given - gain - taken)) < 1e-8
    assert float(taken) > 0.1 and abs(float(gain)) > 0.1


@pytest.fixture(scope="module")
def rough():
    return ground.Friction(0.2, 0.6, 0.3, lifting=SIDEWAYS.lifting)


def test_both_space_paths_agree(rough):
    fast = cosserat.head_acceleration(ROD, SIDEWAYS, rough, MOVING, 0.4)
    nested = cosserat.head_acceleration(ROD, SIDEWAYS, rough, MOVING, 0.4, cosserat.Nested())
    np.testing.assert_allclose(fast, nested, rtol=2e-5, atol=2e-5)


@eqx.filter_jit
def _chain(tree, law, rough, t):
    q, dq, ddq = multibody.law_motion(tree, law, t)
    drive = multibody.Drive(law, multibody.immerse(tree, rough), None, None, None)
    return drive.dynamics(tree, t, MOVING, q, dq, ddq).base_acceleration


def test_beam_against_chain_is_second_order(rough):
    """Head acceleration of the beam and of its chain of links, on friction with the lifting of the instant."""
    beam = np.asarray(cosserat.head_acceleration(ROD, SIDEWAYS, rough, MOVING, 0.4))
    errors = []
    for links in (16, 32):
        tree, law = multibody.from_beam(ROD, links), multibody.strain_law(SIDEWAYS, 1.0, links)
        errors.append(np.abs(np.asarray(_chain(tree, law, rough, jnp.asarray(0.4))) - beam).max())
    order = np.log2(errors[0] / errors[1])
    assert abs(order - 2.0) < 0.3, (errors, order)


def test_together_with_water(rough):
    """Loads add up; the water alone adds inertia."""
    water, place = hydro.Morison(), hydro.Place(jnp.zeros(3), jnp.eye(3), jnp.asarray(0.2))
    section, twist = hydro.EllipticSection(jnp.array(0.03), jnp.array(0.02)), MOVING.twist
    both = hydro.Together(rough, water).at(jnp.asarray(0.4))
    terms = both.terms(section, place, twist)
    alone = rough.at(jnp.asarray(0.4)).terms(section, place, twist)
    np.testing.assert_array_equal(terms["friction"], alone["friction"])
    np.testing.assert_array_equal(terms["drag"], water.terms(section, place, twist)["drag"])
    np.testing.assert_array_equal(both.added_inertia(section), water.added_inertia(section))
    later = rough.at(jnp.asarray(0.9)).terms(section, place, twist)
    assert np.abs(np.asarray(later["friction"] - alone["friction"])).max() > 0.1  # the lifting has moved on


def test_gradient_of_the_distance_is_that_of_central_differences():
    """By amplitude, wavelength, both coefficients; width 0.02 m/s."""

    @jax.jit
    @jax.value_and_grad
    def distance(p):
        gait = gaits.serpenoid(p[0], p[1], period=1.0, begin=0.0, end=0.5)
        rough = ground.Friction(p[2], p[3], width=0.02)
        return -_slide(rough, gait, 1.0, samples=2, rtol=1e-9, atol=1e-11).position[-1, 0]

    p, h = jnp.array([0.6, 0.9, 0.2, 0.8]), 1e-4
    gradient = np.asarray(distance(p)[1])
    for k in range(4):
        step = h * jnp.eye(4)[k]
        difference = float(distance(p + step)[0] - distance(p - step)[0]) / (2 * h)
        assert abs(gradient[k] - difference) < 1e-5 * max(1.0, abs(difference)), (k, gradient[k], difference)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ground.Friction(forward=-0.1), "forward = -0.1.*not negative"),
        (lambda: ground.Friction(sideways=float("nan")), "sideways.*finite"),
        (lambda: ground.Friction(width=0.0), "width = 0.0.*positive"),
        (lambda: ground.Friction(viscous=-1.0), "viscous.*not negative"),
        (lambda: ground.Friction(normal=(0, 0, 2.0)), "normal.*unit norm"),
        (lambda: ground.Friction(normal=(0, 0, -1.0)), "press the body"),
        (lambda: ground.Friction(density=0.0), "density.*positive"),
        (lambda: gaits.SinusLifting(1.2, 1.0, 1.0, 1.0), "depth = 1.2.*between -1 and 1"),
        (lambda: gaits.Anchors(-0.1, 1.0, 1.0), "depth = -0.1.*between 0 and 1"),
        (lambda: gaits.Anchors(0.5, 1.0, 1.0, order=0), "order = 0"),
        (lambda: gaits.SinusLifting(0.5, 1.0, 1.0, 1.0, order=3), "order = 3"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(ValueError, match=words):
        make()
