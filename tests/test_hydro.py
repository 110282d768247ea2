"""The fluid on one section: closed forms, dissipation, invariance, refusals."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cosserat
import hydro
import spatial

SECTION = hydro.EllipticSection(jnp.asarray(0.03), jnp.asarray(0.06))
HERE = hydro.Place(jnp.zeros(3), jnp.eye(3))
twists = st.lists(st.floats(-2.0, 2.0), min_size=6, max_size=6).map(jnp.asarray)
examples = settings(max_examples=50, deadline=None)


@examples
@given(twists)
def test_drag_never_feeds_the_body(twist):
    terms = hydro.Morison().terms(SECTION, HERE, twist)
    assert terms["drag"] @ twist <= 0.0
    assert hydro.Morison().nose_terms(jnp.asarray(0.1), HERE, twist)["nose_drag"] @ twist <= 0.0


@examples
@given(twists)
def test_kirchhoff_added_mass_does_no_convective_work(twist):
    fluid = hydro.Morison(added_mass="kirchhoff")
    assert abs(fluid.terms(SECTION, HERE, twist)["added_mass"] @ twist) < 1e-13 * (1.0 + twist @ twist) ** 1.5


@examples
@given(twists)
def test_paper_added_mass_is_minus_mass_times_acceleration(twist):
    fluid, rate = hydro.Morison(), jnp.arange(6.0)
    load = fluid.terms(SECTION, HERE, twist)["added_mass"] - fluid.added_inertia(SECTION) @ rate
    acceleration = rate[:3] + jnp.cross(twist[3:], twist[:3])
    b, c = SECTION.b, SECTION.c
    expected = -1000 * np.pi * np.array([0.0, c**2 * acceleration[1], b**2 * acceleration[2]])
    assert np.allclose(load[:3], expected, rtol=1e-13, atol=1e-12)
    assert np.allclose(load[3], -1000 * np.pi / 8 * (c**2 - b**2) ** 2 * rate[3], rtol=1e-13)


@pytest.mark.parametrize("form", hydro.FORMS)
def test_a_current_is_a_change_of_observer(form):
    """Water and body both moving at U, seen by someone at rest, or the body alone seen by someone moving at -U."""
    rotation = spatial.matrix_from_quaternion(spatial.quaternion_exp(jnp.array([0.4, -0.3, 0.9])))
    place, U = hydro.Place(jnp.zeros(3), rotation), jnp.array([0.3, -0.2, 0.1])
    twist, rate = jnp.array([0.2, -0.5, 0.4, 0.3, -0.6, 0.8]), jnp.arange(6.0)
    still, flowing = hydro.Morison(added_mass=form), hydro.Morison(added_mass=form, current=U)
    U_s = rotation.T @ U
    moving = twist + jnp.concatenate([U_s, jnp.zeros(3)])
    moving_rate = rate + jnp.concatenate([-jnp.cross(twist[3:], U_s), jnp.zeros(3)])

    def load(fluid, twist, rate):
        return sum(fluid.terms(SECTION, place, twist).values()) - fluid.added_inertia(SECTION) @ rate

    assert np.abs(load(flowing, moving, moving_rate) - load(still, twist, rate)).max() < 1e-12


def test_circular_section_is_the_cable_of_the_appendix():
    D, Ct, Cn, Cm = 0.12, 0.02, 1.1, 0.9
    section = hydro.EllipticSection(jnp.asarray(D / 2), jnp.asarray(D / 2))
    fluid = hydro.Morison(
        drag_axial=Ct, drag_lateral=Cn, drag_dorsal=Cn, mass_lateral=Cm, mass_dorsal=Cm, density=1025.0
    )
    V, rate = np.array([0.7, -0.4, 0.3]), np.array([1.0, 2.0, -3.0])
    twist = jnp.asarray([*V, 0.0, 0.0, 0.0])
    load = sum(fluid.terms(section, HERE, twist).values()) - fluid.added_inertia(section) @ jnp.asarray(
        [*rate, 5.0, 0, 0]
    )
    speed, area = np.hypot(V[1], V[2]), np.pi * D**2 / 4
    expected = [
        -0.5 * 1025 * Ct * np.pi * D * abs(V[0]) * V[0],
        -0.5 * 1025 * (Cn * D * speed * V[1] + 2 * Cm * area * rate[1]),
        -0.5 * 1025 * (Cn * D * speed * V[2] + 2 * Cm * area * rate[2]),
        0.0,
        0.0,
        0.0,
    ]
    assert np.allclose(load, expected, rtol=1e-14, atol=1e-13)


def test_slender_ellipsoid_has_the_added_masses_of_section_IV():
    A, B, C, rho = 1.0, 0.1, 0.2, 1000.0
    half = hydro.Cap(A, -A, B, C), hydro.Cap(A, A, B, C)
    beam = cosserat.Beam(hydro.Profile((0.0, A, 2 * A), half), load_panels=(4, 4))
    fluid = hydro.Morison(rho)
    straight = lambda X, t: jnp.array([1.0, 0, 0, 0, 0, 0])  # noqa: E731
    H = cosserat.head_dynamics(beam, straight, fluid, cosserat.HeadState(), 0.0).inertia
    body = cosserat.head_dynamics(beam, straight, hydro.Void(), cosserat.HeadState(), 0.0).inertia
    at_centre = spatial.shift_inertia(jnp.eye(3), jnp.array([-A, 0.0, 0.0]), H - body)
    expected = np.diag(
        [
            0.0,
            4 * rho * np.pi * A * C**2 / 3,
            4 * rho * np.pi * A * B**2 / 3,
            2 * rho * np.pi * (B**2 - C**2) ** 2 * A / 15,
            4 * rho * np.pi * B**2 * A**3 / 15,
            4 * rho * np.pi * C**2 * A**3 / 15,
        ]
    )
    assert np.abs(at_centre - expected).max() < 1e-10 * expected.max()


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.2, np.pi / 2])
def test_lift_and_drag_of_the_straight_eel(alpha):
    """Figure 2: a straight eel held in a stream of speed v at the angle of attack alpha, in the plane (t1, t3)."""
    v = 0.8
    beam, straight = cosserat.eel(), lambda X, t: jnp.array([1.0, 0, 0, 0, 0, 0])
    fluid = hydro.Morison(nose_drag=0.0)
    velocity = v * np.array([np.cos(alpha), 0.0, np.sin(alpha)])
    state = cosserat.HeadState(twist=[*velocity, 0.0, 0.0, 0.0])
    force = cosserat.head_dynamics(beam, straight, fluid, state, 0.0).wrench[:3]

    profile = beam.profile

    def integral(coefficient):
        from scipy.integrate import quad

        b = np.asarray(profile.breaks)
        axes = [lambda X, p=p: [float(a) for a in p(jnp.asarray(X))] for p in profile.pieces]
        return sum(
            quad(lambda X, k=k: coefficient(*axes[k](X)), b[k], b[k + 1], epsabs=1e-10)[0] for k in range(len(axes))
        )

    friction = integral(lambda b, c: 0.5 * 1000 * 0.01 * np.pi * (b + c))
    dorsal = integral(lambda b, c: 0.5 * 1000 * 1.0 * 2 * b)
    ca, sa = np.cos(alpha), np.sin(alpha)
    drag = friction * abs(ca) * ca**2 + dorsal * abs(sa) * sa**2
    lift = (friction * abs(ca) - dorsal * abs(sa)) * sa * ca
    stream = np.array([ca, 0.0, sa])
    normal = np.array([-sa, 0.0, ca])
    assert abs(force @ stream + drag * v**2) < 1e-7
    assert abs(force @ normal - lift * v**2) < 1e-7


def test_loads_are_differentiable_at_rest():
    fluid = hydro.Morison()
    jacobian = jax.jacfwd(lambda twist: sum(fluid.terms(SECTION, HERE, twist).values()))(jnp.zeros(6))
    assert np.array_equal(jacobian, np.zeros((6, 6)))
    by_coefficient = jax.grad(lambda c: jnp.sum(hydro.Morison(drag_axial=c).terms(SECTION, HERE, jnp.ones(6))["drag"]))
    assert np.isfinite(by_coefficient(0.01))


def test_section_moments_by_integration():
    b, c = 0.03, 0.06
    y, z = np.meshgrid(*(np.linspace(-0.06, 0.06, 1201),) * 2, indexing="ij")
    inside = (y / b) ** 2 + (z / c) ** 2 < 1
    cell = (0.12 / 1200) ** 2
    J1, J2, J3 = SECTION.second_moments
    assert np.isclose(J2, (z**2 * inside).sum() * cell, rtol=1e-3)
    assert np.isclose(J3, (y**2 * inside).sum() * cell, rtol=1e-3)
    assert np.isclose(J1, J2 + J3, rtol=1e-15)


def test_a_cut_body_is_the_same_body_with_more_breaks():
    whole = hydro.eel_profile()
    cut = whole.cut((0.03, 0.9, 1.2))
    np.testing.assert_allclose(cut.breaks, [0.0, 0.03, 0.075, 0.296, 0.9, 1.2, 1.95, 2.0])
    before, after = (jax.vmap(profile)(jnp.linspace(0.0, 2.0, 57)) for profile in (whole, cut))
    np.testing.assert_array_equal(after.b, before.b)
    np.testing.assert_array_equal(after.c, before.c)


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: hydro.Morison(density=-1.0), r"Morison\.density = -1\.0"),
        (lambda: hydro.Morison(added_mass="lamb"), "Morison.added_mass = 'lamb': must be one of 'paper', 'kirchhoff'"),
        (lambda: hydro.Morison(current=[1.0, 2.0]), r"Morison\.current has shape \(2,\)"),
        (lambda: hydro.Morison(drag_axial=np.nan), r"Morison\.drag_axial = nan"),
        (lambda: hydro.eel_profile(length=1.0), "radius, shoulder, tail, length.*strictly increasing"),
        (lambda: hydro.eel_profile(radius=-0.1), "radius = -0.1: must be finite and positive"),
        (lambda: hydro.Taper((0.0, 1.0), (0.1, 0.0), (0.1, 0.1)), "Taper.b"),
        (lambda: hydro.Profile((0.0, 1.0), ()), r"Profile: 0 pieces need 1 breaks, 2 given"),
        (lambda: hydro.Profile((0.1, 1.0), (hydro.Taper((0.1, 1.0), (0.1, 0.1), (0.1, 0.1)),)), "must be 0, the nose"),
        (lambda: hydro.Profile((0.0, 1.0), (lambda X: 0.1 + 0 * X,)), r"must be the pair \(b, c\)"),
        (lambda: hydro.Cap(0.1, 0.0, 0.1, 0.1), "Cap.height = 0.0: must not be zero"),
        (
            lambda: hydro.Profile((0.0, 2.0), (lambda X: (jnp.abs(X - 1.0) - 0.1, 0.1 + 0 * X),)),
            r"Profile\.pieces\[0\]: semi-axis b inside the body\[\d+\] = -0\.0",
        ),
        (lambda: hydro.eel_profile().cut((0.5, 2.0)), "Profile.cut: abscissae = .*must lie inside the body"),
        (lambda: hydro.eel_profile().cut((0.296,)), "off the breaks"),
        (lambda: hydro.uniform_profile(-2.0, 0.1, 0.1), "length = -2.0"),
    ],
)
def test_refusals(build, message):
    with pytest.raises(ValueError, match=message):
        build()
