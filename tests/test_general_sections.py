"""Sections that are not elliptic: inertia by hand, the ellipse as a special case, both space paths and both engines."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import hydro
import multibody
from anguilla import ground, view
from anguilla.view.surface import Sections, ring_points

LENGTH, WIDTH, HEIGHT, DENSITY = 0.5, 0.02, 0.04, 1100.0
ROUND_OFF = 1e-12  # relative: sums of some hundred terms
STATE = cosserat.HeadState(jnp.zeros(3), jnp.array([1.0, 0.0, 0.0, 0.0]), jnp.array([-0.1, 0.02, 0.03, 0.1, 0.2, 0.3]))
GAIT = gaits.planar_bending(gaits.TravellingWave(amplitude=(4.0, 2.0), wavelength=0.4, period=0.7))


def straight(X, t):
    return jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def prism(section):
    return cosserat.Beam(hydro.section_profile([0.0, LENGTH], [section, section]), DENSITY)


BAR = hydro.rectangle_section(WIDTH, HEIGHT)
WEDGE = hydro.outline_section(
    [(WIDTH / 2, -HEIGHT / 3), (0.0, 2 * HEIGHT / 3), (-WIDTH / 2, -HEIGHT / 3), (WIDTH / 2, -HEIGHT / 3)]
)
BY_HAND = {  # area, ∫z² dA, ∫y² dA of a rectangle and of an isosceles triangle about its centroid
    "rectangle": (BAR, WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12, WIDTH**3 * HEIGHT / 12),
    "triangle": (WEDGE, WIDTH * HEIGHT / 2, WIDTH * HEIGHT**3 / 36, WIDTH**3 * HEIGHT / 48),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_HAND)
def test_mass_and_inertia_are_those_computed_by_hand(name):
    section, area, J2, J3 = BY_HAND[name]
    beam, rho = prism(section), DENSITY
    mass = rho * area * LENGTH
    about_nose = np.diag([J2 + J3, J2, J3]) * rho * LENGTH + np.diag([0, 1, 1]) * mass * LENGTH**2 / 3
    np.testing.assert_allclose(cosserat.mass(beam), mass, rtol=ROUND_OFF)
    inertias = [
        cosserat.head_dynamics(beam, straight, hydro.Void(), cosserat.HeadState(), 0.0, path).inertia
        for path in (None, cosserat.Nested())
    ]
    tree = multibody.from_beam(beam, links=5)
    inertias.append(multibody.mass_matrix(tree, jnp.tile(jnp.array([1.0, 0, 0, 0]), 4))[:6, :6])
    for inertia in inertias:
        np.testing.assert_allclose(inertia[3:, 3:], about_nose, rtol=0, atol=ROUND_OFF * mass)
        np.testing.assert_allclose(np.trace(inertia[:3, :3]), 3 * mass, rtol=ROUND_OFF)


@pytest.mark.slow
def test_straight_bar_in_water_by_hand():
    """Sideways: m + ρ m_a L accelerates, ½ ρ C w L V² resists; both from numbers given with the section."""
    section = hydro.rectangle_section(WIDTH, HEIGHT, lateral_mass=2.5e-3, lateral_width=0.05)
    beam, speed, water = prism(section), 0.3, hydro.Morison(1000.0, drag_lateral=1.9)
    state = cosserat.HeadState(twist=jnp.array([0.0, speed, 0.0, 0.0, 0.0, 0.0]))
    expected = -0.5 * 1000.0 * 1.9 * 0.05 * speed**2 / (DENSITY * WIDTH * HEIGHT + 1000.0 * 2.5e-3)
    for path in (None, cosserat.Nested()):
        found = cosserat.head_acceleration(beam, straight, water, state, 0.0, path=path)
        np.testing.assert_allclose(found, [0, expected, 0, 0, 0, 0], rtol=0, atol=1e-9)  # of the adaptive path


@pytest.mark.slow
@pytest.mark.parametrize(
    "water", [hydro.Morison(added_mass="kirchhoff"), hydro.Lighthill()], ids=["Morison", "Lighthill"]
)
def test_with_the_numbers_of_an_ellipse_it_is_the_ellipse(water):
    ellipse = hydro.EllipticSection(jnp.asarray(0.01), jnp.asarray(0.02))
    numbers = prism(ellipse)
    assert numbers.profile.general
    rod = cosserat.rod(LENGTH, 0.01, 0.02, DENSITY)
    own = cosserat.head_acceleration(rod, GAIT, water, STATE, 0.4)
    np.testing.assert_allclose(
        cosserat.head_acceleration(numbers, GAIT, water, STATE, 0.4), own, rtol=1e-12, atol=1e-12
    )
    base, found = multibody.BaseState(twist=STATE.twist), []
    for body in (rod, numbers):
        tree = multibody.from_beam(body, 6)
        q, dq, ddq = multibody.law_motion(tree, multibody.strain_law(GAIT, LENGTH, 6), 0.4)
        moved = multibody.hybrid_dynamics(tree, base, q, dq, ddq, jnp.zeros_like(dq), fluid=water)
        found.append(moved.base_acceleration)
    np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_pieces_of_both_kinds_make_one_body_and_the_paths_agree():
    """A round nose, a bar, and a tail that tapers from the bar to a plate."""
    nose = hydro.Cap(0.05, -0.05, WIDTH / 2, HEIGHT / 2)
    plate = hydro.rectangle_section(0.004, 0.05)
    tail = hydro.SectionPiece([0.05, 0.2, 0.5], [BAR, BAR, plate])
    beam = cosserat.Beam(hydro.Profile([0.0, 0.05, 0.5], (nose, tail)))
    water = hydro.Morison()
    fast = cosserat.head_acceleration(beam, GAIT, water, STATE, 0.4)
    slow = cosserat.head_acceleration(beam, GAIT, water, STATE, 0.4, path=cosserat.Nested())
    np.testing.assert_allclose(fast, slow, rtol=0, atol=2e-5 * float(jnp.abs(slow).max()))  # the default of Panels


@pytest.mark.slow
def test_gradients_reach_the_numbers():
    mass = jax.grad(lambda w: cosserat.mass(prism(hydro.rectangle_section(w, HEIGHT))))(WIDTH)
    np.testing.assert_allclose(mass, DENSITY * HEIGHT * LENGTH, rtol=1e-9)
    beam = prism(BAR)

    def pull(numbers):
        where = lambda b: (b.profile.pieces[0].rows.lateral_mass, b.profile.pieces[0].rows.lateral_width)  # noqa: E731
        changed = eqx.tree_at(where, beam, (jnp.full(2, numbers[0]), jnp.full(2, numbers[1])))
        return cosserat.head_acceleration(changed, GAIT, hydro.Morison(), STATE, 0.4)[1]

    pull = jax.jit(pull)
    at = jnp.array([float(BAR.lateral_mass), float(BAR.lateral_width)])
    step = 1e-4 * at  # central differences: error of third order, below 1e-7
    found = jax.grad(pull)(at)
    for k in range(2):
        move = jnp.zeros(2).at[k].set(step[k])
        np.testing.assert_allclose(found[k], (pull(at + move) - pull(at - move)) / (2 * step[k]), rtol=1e-6)


def test_torsion_of_rectangles_is_that_of_the_tables():
    """Timoshenko and Goodier, Theory of Elasticity, table of k1: four digits."""
    for ratio, k1 in ((1.0, 0.1406), (2.0, 0.229), (5.0, 0.291), (10.0, 0.312)):
        section = hydro.rectangle_section(0.01, 0.01 * ratio)
        assert abs(float(section.torsion) / (0.01**4 * ratio) - k1) < 5e-4


def test_added_mass_of_rectangles_is_that_of_the_tables():
    """Over that of a plate: table of DNV-RP-C205, three digits, whose last is off by one; square: 0.725 a⁴ in roll."""
    for ratio, published in (
        (0.1, 2.23),
        (0.2, 1.98),
        (0.5, 1.70),
        (1.0, 1.51),
        (2.0, 1.36),
        (5.0, 1.21),
        (10.0, 1.14),
    ):
        section = hydro.rectangle_section(0.01, 0.01 * ratio)
        plate = np.pi * (0.005 * ratio) ** 2
        assert abs(float(section.lateral_mass) / plate - published) < 0.015
        turned = hydro.rectangle_section(0.01 * ratio, 0.01)
        np.testing.assert_allclose(turned.dorsal_mass, section.lateral_mass, rtol=1e-12)
    assert abs(float(hydro.rectangle_section(0.02, 0.02).roll_mass) / 0.01**4 - 0.725) < 1e-3
    thin = hydro.rectangle_section(1e-5, 1.0)  # a plate: π/4 h², π/128 h⁴
    np.testing.assert_allclose([thin.lateral_mass, thin.roll_mass], [np.pi / 4, np.pi / 128], rtol=1e-3)
    slope = jax.grad(lambda w: hydro.rectangle_section(w, 0.04).lateral_mass)(0.02)
    assert 0.0 < float(slope) < 0.04  # thicker: more, but less than the added area


def test_it_is_drawn_with_its_width_height_and_area():
    angle, ones = 800, np.ones(1)
    for fullness in (0.5, 0.25 * np.pi, 0.9):
        rings = Sections(np.zeros((1, 3)), np.eye(3)[None], 0.01 * ones, 0.02 * ones, fullness * ones)
        y, z = ring_points(rings, angle)[0, :, 1:].T
        area = 0.5 * abs(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1)))
        assert abs(area / (4 * 0.01 * 0.02) - fullness) < 0.005
        assert np.ptp(y) == pytest.approx(0.02) and np.ptp(z) == pytest.approx(0.04)


@pytest.mark.slow
def test_a_bar_swims_in_both_engines_and_is_drawn(tmp_path):
    swim = cosserat.simulate(prism(BAR), GAIT, hydro.Morison(), t1=0.2, samples=3, progress=False)
    np.testing.assert_allclose(swim.section_fullness, 1.0, rtol=1e-12)
    law = multibody.strain_law(GAIT, LENGTH, 5)
    chain = multibody.simulate(
        multibody.from_beam(prism(BAR), 5), law, hydro.Morison(), t1=0.2, samples=3, progress=False
    )
    for record in (swim, chain):
        assert len(view.body_mesh(record, 0.1).corners) > 100
        view.still(record).save(tmp_path / "bar.png")


REFUSED = {
    "area": (lambda: hydro.GeneralSection(8.0, (1e-7, 1e-7), 0.02, 0.04), "must not exceed width times height"),
    "moments": (lambda: hydro.GeneralSection(8e-4, (1e-12, 1e-12), 0.02, 0.04), "that of a disc"),
    "pair": (lambda: hydro.GeneralSection(8e-4, (1e-7,), 0.02, 0.04), r"must be the pair \(J2, J3\)"),
    "sign": (lambda: hydro.rectangle_section(0.02, 0.04, lateral_mass=-1.0), "lateral_mass = -1.0: must be finite"),
    "centroid": (
        lambda: hydro.outline_section([(0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (0.0, 0.0)]),
        "the centroid is at",
    ),
    "axes": (
        lambda: hydro.outline_section(
            [(0.1, 0.1), (-0.1, -0.1), (-0.1, -0.11), (0.1, 0.09), (0.1, 0.1)] + np.array([0, 0.005])
        ),
        "principal axes",
    ),
    "rows": (lambda: hydro.section_profile([0.0, 0.2, 0.5], [BAR, BAR]), "2 given at 3 abscissae"),
    "kind": (
        lambda: hydro.section_profile([0.0, 0.5], [hydro.polygon([(0, 0), (1, 0), (0, 1), (0, 0)])] * 2),
        "hydro.outline_section takes a polygon",
    ),
    "surface": (
        lambda: cosserat.head_acceleration(prism(BAR), straight, hydro.FreeSurface(), STATE, 0.0),
        "needs the outline of the sections",
    ),
    "contact": (
        lambda: cosserat.head_acceleration(
            prism(BAR), straight, hydro.Together(hydro.Morison(), ground.Contact()), STATE, 0.0
        ),
        "needs the outline of the sections",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    call, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        call()


def test_a_tendon_in_the_corner_of_a_box_is_inside_and_bending_stiffness_is_that_of_the_box():
    corner = cosserat.Thread((0.009, 0.019), gaits.Tension(1.0))
    law = cosserat.Elastic(young=2e6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cosserat.Soft(prism(BAR), cosserat.FreeStrains(modes={"K3": 2}), law, actuators=[corner])
    found = law.stiffness(jnp.zeros(()), BAR)
    expected = 2e6 * np.array([WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12, WIDTH**3 * HEIGHT / 12])
    np.testing.assert_allclose(found[jnp.array([0, 4, 5])], expected, rtol=1e-12)
