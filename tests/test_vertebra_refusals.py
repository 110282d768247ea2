"""What the wrist refuses, and how it stays finite where it cannot refuse."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gaits
from anguilla.robots import vertebra

FAR = 2.0  # torsion that no crank of the prototype can follow [rad]


def far_rotation():
    return vertebra.platform_rotation(vertebra.prototype(), jnp.zeros(2), jnp.array(FAR))


def test_out_of_reach_is_a_clear_error():
    wrist = vertebra.prototype()
    rotation = far_rotation()
    with pytest.raises(ValueError, match="out of reach of the wrist at entry 0 of 1: the rod of leg"):
        vertebra.inverse_kinematics(wrist, rotation)
    both = jnp.stack([wrist.home_rotation, rotation])
    with pytest.raises(ValueError, match="at entry 1 of 2"):
        vertebra.inverse_kinematics(wrist, both)


def test_out_of_reach_inside_jit_is_an_error_too():
    wrist = vertebra.prototype()
    compiled = eqx.filter_jit(lambda rotation: vertebra.inverse_kinematics(wrist, rotation))
    np.testing.assert_allclose(compiled(wrist.home_rotation), [0.0, 0.0, np.pi / 4], atol=1e-14)
    with pytest.raises(Exception, match="out of reach of the wrist"):
        compiled(far_rotation())


@jax.jit
@jax.vmap
def everything(vector):
    """All that a vertebra of each design gives at one orientation, summed, and its gradient."""
    moment, spin = jnp.array([0.1, 0.4, 1.2]), jnp.array([0.2, -0.5, 1.5])

    def total(vector, wrist):
        relative = vertebra.rotation_from_tilt(vector[:2], vector[2])
        a = vertebra.actuate(wrist, vertebra.Limits(), relative, relative, spin, moment)
        parts = (a.angles, a.rates, a.torques, a.power, a.margins, a.singularity)
        return sum(jnp.sum(part) for part in parts), a

    wrists = [vertebra.DESIGNS[name]() for name in sorted(vertebra.DESIGNS)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *wrists)
    both = jax.value_and_grad(total, has_aux=True)
    return jax.vmap(both, in_axes=(None, 0))(vector, stacked)


def test_never_nan():
    """Angles, rates, torques, margins and all their gradients stay finite at any orientation, with a mask."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(400, 3))
    vectors *= rng.uniform(0.0, np.pi, (400, 1)) / np.linalg.norm(vectors, axis=1, keepdims=True)
    special = [[0, 0, 0], [0, np.pi / 2, 0], [np.pi, 0, 0], [0, np.pi, 0], [0, 0, np.pi]]
    (total, a), gradient = everything(jnp.asarray(np.concatenate([vectors, special])))
    assert np.isfinite(total).all() and np.isfinite(gradient).all()
    assert not np.isnan(a.condition).any()
    reached = np.sum(a.reachable, axis=0)
    parallel, prototype = (sorted(vertebra.DESIGNS).index(name) for name in ("parallel", "prototype"))
    assert np.all(reached > 100) and reached[parallel] < 400 and reached[prototype] < 400
    assert not np.any(a.feasible & ~a.reachable)


def test_margins_at_the_edge_of_reach_are_smooth():
    """The ball joint's margin crosses the edge of reach without a jump or an infinite slope."""
    wrist, limits = vertebra.prototype(), vertebra.Limits()

    def margin(roll):
        rotation = vertebra.platform_rotation(wrist, jnp.zeros(2), roll)
        return vertebra.margins(wrist, limits, vertebra.posture(wrist, rotation))[0]

    roll = jnp.linspace(0.5, 2.5, 801)
    value, slope = jax.jit(jax.vmap(jax.value_and_grad(margin)))(roll)
    edge = -(np.cos(np.radians(35.0)) ** 2)
    assert value[0] > edge > np.min(value)
    assert np.max(np.abs(np.diff(slope))) < 0.05
    np.testing.assert_allclose(np.diff(value), 0.5 * (slope[1:] + slope[:-1]) * np.diff(roll), atol=1e-5)


@pytest.mark.parametrize(
    ("rotation", "message"),
    [
        (np.eye(3) * 1.1, "must be a rotation matrix"),
        (np.diag([1.0, 1.0, -1.0]), "must be a rotation matrix"),
        (np.full((3, 3), np.nan), "must be finite"),
        (np.eye(2), "must end in \\(3, 3\\)"),
    ],
)
def test_bad_rotations(rotation, message):
    with pytest.raises(ValueError, match=message):
        vertebra.inverse_kinematics(vertebra.prototype(), rotation)


def test_bad_motor_angles():
    wrist = vertebra.parallel_axes(crank=0.3)
    with pytest.raises(ValueError, match="cannot be assembled"):
        vertebra.direct_kinematics(vertebra.prototype(), np.array([0.0, 0.0, np.pi / 4 + np.pi]))
    with pytest.raises(ValueError, match="must end in \\(3,\\)"):
        vertebra.direct_kinematics(wrist, np.zeros(2))
    with pytest.raises(ValueError, match="must be finite"):
        vertebra.direct_kinematics(wrist, np.array([0.0, np.inf, 0.0]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rod": np.array([1.0, -1.0])}, "Wrist.rod.*positive"),
        ({"crank": 0.0}, "Wrist.crank.*positive"),
        ({"platform": np.ones(3)}, "Wrist.platform has shape"),
        ({"motor": np.zeros((3, 3))}, "Wrist.motor has shape"),
        ({"axis": np.zeros((2, 3))}, "Wrist.axis.*positive"),
        ({"crank_zero": np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])}, "must be normal to Wrist.axis"),
        ({"home": np.nan}, "Wrist.home.*finite"),
    ],
)
def test_bad_designs(change, message):
    wrist = vertebra.prototype()
    good = {name: getattr(wrist, name) for name in ("motor", "axis", "crank_zero", "crank", "rod", "platform", "home")}
    with pytest.raises(ValueError, match=message):
        vertebra.Wrist(**(good | change))


def test_bad_limits_and_layouts():
    with pytest.raises(ValueError, match="Limits.cone.*positive"):
        vertebra.Limits(cone=np.pi / 2)
    with pytest.raises(ValueError, match="Limits.cone.*negative"):
        vertebra.Limits(cone=-0.1)
    with pytest.raises(ValueError, match="Limits.rods.*negative"):
        vertebra.Limits(rods=-1.0)
    with pytest.raises(ValueError, match="Layout.count"):
        vertebra.Layout(0)
    with pytest.raises(ValueError, match="Layout.pitch.*positive"):
        vertebra.Layout(3, 0.0)
    with pytest.raises(ValueError, match="rays"):
        vertebra.workspace(vertebra.prototype(), rays=2)
    with pytest.raises(ValueError, match="home orientation breaks a limit"):
        vertebra.workspace(vertebra.prototype(), vertebra.Limits(base=-0.1))


def test_bad_records():
    wrist, layout = vertebra.prototype(), vertebra.Layout()
    X = np.linspace(0.0, 1.0, 11)
    quaternion = np.tile([1.0, 0.0, 0.0, 0.0], (2, 11, 1))
    with pytest.raises(ValueError, match="must lie within it"):
        vertebra.actuation(wrist, layout, X, quaternion, np.zeros((2, 11, 6)), np.zeros((2, 11, 3)))
    with pytest.raises(ValueError, match="twist has shape"):
        vertebra.actuation(wrist, layout, X, quaternion, np.zeros((2, 11, 3)), np.zeros((2, 11, 3)))


def test_a_spherical_wrist_does_not_stretch():
    gait = gaits.Strain(stretch=1.1)
    with pytest.raises(ValueError, match="stretches or shears"):
        vertebra.largest_amplitude(vertebra.prototype(), vertebra.Layout(), gait, np.zeros(1))
