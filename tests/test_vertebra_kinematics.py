"""The wrist's kinematics against figures computed apart from it, its own inverse, and automatic differentiation."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import spatial
from anguilla.robots import vertebra

DIGITS = 1e-10  # the reference figures have ten to twelve digits
ROUND_TRIP = 1e-12  # round-off, a few hundred operations from angles of order one


@pytest.fixture(scope="module", params=sorted(vertebra.DESIGNS))
def wrist(request):
    return vertebra.DESIGNS[request.param]()


def orientations(count, reach_deg=28.0, seed=0):
    """Platform orientations spread over the workspace of the prototype, and somewhat beyond."""
    rng = np.random.default_rng(seed)
    tilt = np.radians(rng.uniform(-reach_deg, reach_deg, (count, 2)))
    torsion = np.radians(rng.uniform(-reach_deg, reach_deg, count))
    return jnp.asarray(tilt), jnp.asarray(torsion)


def test_direct_figures():
    wrist = vertebra.prototype()
    legs, signs, closes = vertebra.direct_branches(wrist, jnp.array([0.1, 0.2, np.pi / 4]))
    assert np.all(closes)
    np.testing.assert_allclose(legs[0, 1:], [-0.070648521740, 0.141301482813], rtol=0, atol=2 * DIGITS)
    np.testing.assert_allclose(legs[2:, 1], np.pi / 2, rtol=0, atol=1e-7)  # a double root of the closed form
    np.testing.assert_array_equal(signs[0], [1.0, 1.0])


def test_every_direct_branch_closes_the_rods(wrist):
    angles = jnp.array([0.1, 0.2, np.pi / 4 + 0.1])
    legs, signs, closes = vertebra.direct_branches(wrist, angles)
    assert np.all(closes)
    B = wrist.motor + wrist.crank_vectors(angles[:2])
    for leg, sign in zip(legs, signs, strict=True):
        rotation = vertebra.rotation_from_leg(leg)
        rods = wrist.platform_points(rotation) - B
        np.testing.assert_allclose(np.linalg.norm(rods, axis=1), wrist.rod, rtol=0, atol=1e-12)
        z_second = vertebra.rotation_from_leg(leg.at[2].set(0.0))[:, 2]
        np.testing.assert_array_equal(np.sign([rods[0] @ z_second, rods[1] @ rotation[:, 2]]), sign)


def test_prototype_direct_closed_form():
    """φ and ψ by the formulas special to the prototype, over a grid of motor angles."""
    wrist = vertebra.prototype()
    grid = np.radians([-15.0, -5.0, 10.0, 30.0])
    angles = np.array([(a, b, np.pi / 4 + c) for a in grid for b in grid for c in grid])
    S1, S2, S3 = np.sin(angles).T
    C1, C2, C3 = np.cos(angles).T
    k, m = (C3 + S3 * C1) / np.sqrt(2), 1 - S1 / np.sqrt(2)
    phi = np.pi / 2 - 2 * np.arctan2(k, m)
    P = (S3 + C2 * C3) / np.sqrt(2)
    N = np.sin(phi) * (C2 * S3 - C3) / np.sqrt(2) - np.cos(phi) * (1 - S2 / np.sqrt(2))
    psi = np.arctan2(N, P) + np.arccos((1 - S2 / np.sqrt(2)) / np.hypot(P, N))
    done = jax.jit(jax.vmap(vertebra.assembly, in_axes=(None, 0)))(wrist, jnp.asarray(angles))
    np.testing.assert_allclose(done.leg[:, 1], phi, rtol=0, atol=1e-12)
    np.testing.assert_allclose(done.leg[:, 2], psi, rtol=0, atol=1e-12)


def test_inverse_figures():
    wrist = vertebra.prototype()
    rotation = vertebra.rotation_from_leg(jnp.array([np.pi / 4, np.pi / 12, np.pi / 12]))
    angles, signs, reachable = vertebra.inverse_branches(wrist, rotation)
    assert reachable
    theta1 = {round(float(a), 12) for a in angles[:, 0]}
    theta2 = {round(float(a), 12) for a in angles[:, 1]}
    np.testing.assert_allclose(sorted(theta1), [-0.373828097389, 2.026264923974], rtol=0, atol=DIGITS)
    np.testing.assert_allclose(sorted(theta2), [0.369056364503, 1.714939697723], rtol=0, atol=DIGITS)
    np.testing.assert_allclose(angles[0], [-0.373828097389, 0.369056364503, np.pi / 4], rtol=0, atol=DIGITS)
    np.testing.assert_allclose(vertebra.inverse_kinematics(wrist, rotation), angles[0], rtol=0, atol=ROUND_TRIP)


def test_every_inverse_branch_holds_the_orientation(wrist):
    rotation = vertebra.platform_rotation(wrist, jnp.array([0.15, -0.1]), jnp.array(0.2))
    angles, signs, reachable = vertebra.inverse_branches(wrist, rotation)
    assert reachable and len({tuple(np.round(row, 6)) for row in np.asarray(angles)}) == 8
    arm = wrist.platform_points(rotation)
    for row, sign in zip(angles, signs, strict=True):
        crank = wrist.crank_vectors(row[:2])
        rods = arm - wrist.motor - crank
        np.testing.assert_allclose(np.linalg.norm(rods, axis=1), wrist.rod, rtol=0, atol=1e-12)
        B = np.sum(np.cross(crank, rods) * np.asarray(wrist.axis), axis=1)
        np.testing.assert_array_equal(np.sign(B), sign[:2])


@eqx.filter_jit
@partial(jax.vmap, in_axes=(None, 0, 0))
def trip(wrist, tilt, torsion):
    rotation = vertebra.platform_rotation(wrist, tilt, torsion)
    pose = vertebra.posture(wrist, rotation)
    done = vertebra.assembly(wrist, pose.angles)
    again = vertebra.posture(wrist, done.rotation)
    inside = jnp.min(vertebra.margins(wrist, vertebra.Limits(), pose)) >= 0.0
    return rotation, done.rotation, pose.angles, again.angles, inside, done.assembled


def test_round_trip(wrist):
    """direct(inverse(R)) = R over the workspace, and inverse(direct(θ)) = θ."""
    tilt, torsion = orientations(2000)

    rotation, back, angles, again, inside, assembled = (np.asarray(x) for x in trip(wrist, tilt, torsion))
    assert inside.sum() > 300 and assembled[inside].all()
    assert np.max(np.abs(rotation - back)[inside]) <= ROUND_TRIP
    assert np.max(np.abs(angles - again)[inside]) <= ROUND_TRIP


@eqx.filter_jit
@partial(jax.vmap, in_axes=(None, 0, 0))
def jacobian_errors(wrist, tilt, torsion):
    rotation = vertebra.platform_rotation(wrist, tilt, torsion)
    turned = lambda f: spatial.matrix_from_quaternion(spatial.quaternion_exp(f)) @ rotation  # noqa: E731
    derivative = jax.jacfwd(lambda f: vertebra.posture(wrist, turned(f)).angles)(jnp.zeros(3))
    pose = vertebra.posture(wrist, rotation)
    identity = vertebra.jacobian(wrist, pose) @ vertebra.inverse_jacobian(wrist, pose)
    A = vertebra.matrix_A(pose)
    # A ω = B θ̇ with the signs and the third row as corrected
    rates = A - vertebra.diagonal_B(wrist, pose)[:, None] * derivative
    det = jnp.linalg.det(A) - vertebra.determinant_A(wrist, pose)
    return derivative - vertebra.inverse_jacobian(wrist, pose), identity - jnp.eye(3), rates, det


def test_jacobian_is_the_derivative_of_the_inverse_kinematics(wrist):
    for error in jacobian_errors(wrist, *orientations(300, 20.0)):
        assert np.max(np.abs(error)) <= 1e-10


def test_the_printed_third_row_holds_only_at_zero_phi():
    wrist = vertebra.prototype()
    at_zero = vertebra.posture(wrist, vertebra.rotation_from_leg(jnp.array([0.9, 0.0, 0.2])))
    tilted = vertebra.posture(wrist, vertebra.rotation_from_leg(jnp.array([0.9, 0.3, 0.2])))
    np.testing.assert_allclose(vertebra.matrix_A(at_zero)[2], [0.0, 0.0, 1.0], atol=1e-15)
    assert abs(vertebra.matrix_A(tilted)[2, 0]) > 0.1


@pytest.mark.parametrize(
    ("name", "condition", "yaw"),
    [("parallel", 1.0, np.sqrt(2.0)), ("orthogonal", 1.0, np.sqrt(2.0)), ("prototype", np.sqrt(2.0), 1.0)],
)
def test_home(name, condition, yaw):
    """Isotropy of the first two designs at home, and the yaw that both cranks together give."""
    wrist = vertebra.DESIGNS[name]()
    pose = vertebra.posture(wrist, wrist.home_rotation)
    np.testing.assert_allclose(pose.angles, [0.0, 0.0, np.pi / 4], rtol=0, atol=1e-15)
    assert abs(vertebra.condition_number(wrist, pose) - condition) <= DIGITS
    omega = vertebra.jacobian(wrist, pose) @ jnp.array([1.0, 1.0, 0.0])
    np.testing.assert_allclose(omega, [yaw, 0.0, 0.0], rtol=0, atol=DIGITS)
    np.testing.assert_allclose(vertebra.parallel_measures(wrist, pose), 1.0, atol=1e-14)
    np.testing.assert_allclose(vertebra.serial_measures(wrist, pose), 1.0, atol=1e-14)


def test_published_motor_places():
    s = np.sqrt(0.5)
    np.testing.assert_allclose(vertebra.parallel_axes().motor, [[s, s - 1, -1], [-s, s - 1, -1]], atol=1e-15)
    np.testing.assert_allclose(vertebra.prototype().motor, [[s, 0, -1], [-s, 0, -1]], atol=1e-15)
    np.testing.assert_allclose(vertebra.orthogonal_axes().motor, [[0, 0, -1], [0, 0, -1]], atol=1e-15)


def test_kinematics_do_not_depend_on_the_unit_of_length():
    small = vertebra.prototype(platform=0.035, rod=0.035)
    unit = vertebra.prototype()
    rotation = vertebra.platform_rotation(unit, jnp.array([0.2, -0.1]), jnp.array(0.15))
    a, b = (vertebra.posture(w, rotation) for w in (small, unit))
    np.testing.assert_allclose(a.angles, b.angles, rtol=0, atol=1e-14)
    np.testing.assert_allclose(vertebra.jacobian(small, a), vertebra.jacobian(unit, b), rtol=0, atol=1e-13)


def test_unequal_legs_close():
    wrist = vertebra.Wrist(
        motor=np.array([[0.7, 0.05, -1.1], [-0.6, 0.0, -0.95]]),
        axis=np.array([[1.0, 0.1, 0.0], [1.0, 0.0, 0.2]]),
        crank_zero=np.array([[-0.1, 1.0, 0.0], [0.0, 1.0, 0.0]]),
        crank=np.array([0.65, 0.7]),
        rod=np.array([1.1, 0.9]),
        platform=np.array([1.0, 0.95]),
        home=0.8,
    )
    rotation = vertebra.platform_rotation(wrist, jnp.array([0.1, 0.05]), jnp.array(-0.1))
    angles = vertebra.inverse_kinematics(wrist, rotation)
    np.testing.assert_allclose(vertebra.direct_kinematics(wrist, angles), rotation, rtol=0, atol=ROUND_TRIP)


@pytest.mark.parametrize("tilt_deg", [0.0, 1e-6, 20.0, 90.0])
def test_tilt_and_torsion(tilt_deg):
    """The paper's product of three rotations, the form without a singular azimuth, and the way back."""

    def about(axis, angle):
        return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()

    theta, azimuth, torsion = np.radians(tilt_deg), 0.7, -0.4
    z, y = [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]
    printed = about(z, azimuth) @ about(y, theta) @ about(z, torsion - azimuth)
    tilt = theta * jnp.array([np.cos(azimuth), np.sin(azimuth)])
    rotation = vertebra.rotation_from_tilt(tilt, jnp.array(torsion))
    np.testing.assert_allclose(rotation, printed, rtol=0, atol=1e-15)
    tilt_back, torsion_back = vertebra.tilt_from_rotation(rotation)
    np.testing.assert_allclose(tilt_back, tilt, rtol=0, atol=1e-14)
    np.testing.assert_allclose(torsion_back, torsion, rtol=0, atol=1e-14)
    np.testing.assert_allclose(tilt_gradient(tilt, jnp.array(torsion)), 1.0, rtol=0, atol=1e-9)


@jax.jit
@jax.grad
def tilt_gradient(tilt, torsion):
    return jnp.sum(vertebra.tilt_from_rotation(vertebra.rotation_from_tilt(tilt, torsion))[0])
