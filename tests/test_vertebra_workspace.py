"""The workspace within the mechanical limits: its ranges, its border, and the published ranges that clash."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from anguilla.robots import vertebra

HALF_DEGREE = 0.5  # the accuracy asked of the ranges; the published ones are whole degrees
JOINT_RANGE = (-17.0, 38.0)  # published range of θ1 and θ2 [deg]
TORSION = 18.0  # published range of the torsion, ± [deg]
THETA3 = 35.0  # published range of θ3, ± [deg]


def space(**changes):
    options = {"torsion_step": np.radians(0.5), "rays": 120} | changes
    return vertebra.workspace(vertebra.prototype(), **options)


@pytest.fixture(scope="module")
def border():
    return space()


def test_ranges(border):
    """Cone limit 35° and limd 0.2067."""
    ranges = np.degrees(border.angle_ranges)
    for leg in (0, 1):
        np.testing.assert_allclose(ranges[leg], JOINT_RANGE, rtol=0, atol=HALF_DEGREE)
    np.testing.assert_allclose(np.degrees(border.torsion_range), [-30.5, 30.5], rtol=0, atol=HALF_DEGREE)
    assert abs(np.max(np.abs(ranges[2])) - 31.0) <= HALF_DEGREE
    np.testing.assert_allclose(ranges[0, 0], -np.degrees(np.arcsin(0.2067 * np.sqrt(2))), rtol=0, atol=1e-6)


def test_border_points_lie_on_the_border(border):
    """The last point of each ray keeps every limit; a tolerance further out one is broken."""
    outward = border.tilt - border.centre[:, None, :]
    radius = jnp.linalg.norm(outward, axis=2, keepdims=True)
    beyond = border.tilt + 2.0 * border.tolerance * outward / jnp.maximum(radius, 1e-12)

    @jax.jit
    def margins(tilt, torsion):
        worst = eqx.Partial(vertebra.worst_margin, vertebra.prototype(), vertebra.Limits())
        return jax.vmap(jax.vmap(worst, in_axes=(0, None)))(tilt, torsion)

    assert np.min(border.margin) > -1e-14  # round-off between two compiled programs
    assert np.all(margins(beyond, border.torsion) < 0.0)
    assert np.max(border.margin) < 10.0 * border.tolerance


def test_cross_sections_mirror_each_other(border):
    """The section at -ψ is the mirror image in x of the section at ψ. [CHA08, fig. 19]"""
    sections = np.asarray(border.tilt)
    flipped = sections[::-1] * np.array([-1.0, 1.0])
    angle = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    along = np.stack([np.cos(angle), np.sin(angle)])
    reach = lambda outlines: np.max(outlines @ along, axis=1)  # noqa: E731  of each section in each direction
    np.testing.assert_allclose(reach(sections), reach(flipped), rtol=0, atol=0.03 * np.abs(sections).max())
    width = np.sum(np.ptp(sections, axis=1), axis=1)
    assert abs(int(np.argmax(width)) - len(width) // 2) <= 2  # greatest at zero torsion, as published


def test_joint_space_image(border):
    """Motor angles of border points assemble back to the border; a step towards home is inside."""
    wrist, limits = vertebra.prototype(), vertebra.Limits()
    home = jnp.array([0.0, 0.0, np.pi / 4])
    some = border.angles.reshape(-1, 3)[::97]
    inside = jax.jit(jax.vmap(lambda a: vertebra.inside_joint_space(wrist, limits, home + a)))
    assert np.mean(inside(0.98 * some)) > 0.95
    assert not np.any(inside(1.3 * some))


def test_rays_miss_nothing_that_random_orientations_find(border):
    """Orientations drawn at random, independent of the rays: none in the limits lies outside the ranges."""
    wrist, limits = vertebra.prototype(), vertebra.Limits()
    rng = np.random.default_rng(0)
    tilt = jnp.asarray(np.radians(rng.uniform(-40.0, 40.0, (40_000, 2))))
    torsion = jnp.asarray(np.radians(rng.uniform(-34.0, 34.0, 40_000)))

    @jax.jit
    @jax.vmap
    def draw(tilt, torsion):
        pose = vertebra.posture(wrist, vertebra.platform_rotation(wrist, tilt, torsion))
        return (
            jnp.min(vertebra.margins(wrist, limits, pose)) >= 0.0,
            pose.angles,
            vertebra.rod_distance(pose),
            vertebra.singularity_margin(wrist, pose),
        )

    good, angles, apart, regular = (np.asarray(x) for x in draw(tilt, torsion))
    assert good.sum() > 3000
    slack = np.radians(0.05)
    low, high = np.asarray(border.angle_ranges).T
    relative = angles[good] - np.array([0.0, 0.0, np.pi / 4])
    assert np.all(relative >= low - slack) and np.all(relative <= high + slack)
    assert np.max(np.abs(np.asarray(torsion)[good])) <= border.torsion_range[1] + float(border.torsion_step)
    # [CHA08] finds little risk that the rods meet within the other limits: they stay over a rod's length apart
    assert np.min(apart[good]) > 1.1
    assert np.min(regular[good]) > 0.8


def test_published_ranges_clash_whatever_the_limits():
    """Within the published θ1, θ2 any posture with θ3 = ±35° has a torsion far beyond the published ±18°.

    No choice of limits can then have all three ranges: the joint box alone decides, on a grid fine enough
    that the torsion changes by less than one degree from point to point.
    """
    wrist = vertebra.prototype()
    crank = np.radians(np.linspace(*JOINT_RANGE, 111))
    grid = np.stack(np.meshgrid(crank, crank, indexing="ij"), axis=-1)

    @jax.jit
    @jax.vmap
    def torsion(angles):
        done = vertebra.assembly(wrist, angles)
        return vertebra.tilt_from_rotation(done.rotation @ wrist.home_rotation.T)[1], done.assembled

    def least_and_greatest(theta3_deg):
        theta3 = np.full(grid.shape[:2] + (1,), np.pi / 4 + np.radians(theta3_deg))
        angles = np.concatenate([grid, theta3], axis=-1)
        found, assembled = torsion(jnp.asarray(angles.reshape(-1, 3)))
        found = np.degrees(np.where(assembled, found, np.nan)).reshape(grid.shape[:2])
        step = max(np.nanmax(np.abs(np.diff(found, axis=0))), np.nanmax(np.abs(np.diff(found, axis=1))))
        return np.nanmin(np.abs(found)), np.nanmax(np.abs(found)), step

    for theta3 in (-THETA3, THETA3):
        least, _, step = least_and_greatest(theta3)
        assert step < 1.0
        assert least - step > TORSION + 10.0
    # the other way round: a torsion of ±18° needs less than 25° of θ3
    for theta3 in (-25.0, 25.0):
        assert least_and_greatest(theta3)[0] > TORSION


def test_each_published_range_needs_its_own_cone():
    """The cone limit that gives one published range spoils the two others."""

    def ranges(cone_deg):
        limits = vertebra.Limits(cone=np.radians(cone_deg))
        found = vertebra.workspace(vertebra.prototype(), limits, torsion_step=np.radians(1.0), rays=60)
        angles = np.degrees(found.angle_ranges)
        return angles[0, 1], np.degrees(found.torsion_range[1]), np.max(np.abs(angles[2]))

    for_joints, for_torsion, for_theta3 = ranges(35.0), ranges(20.0), ranges(39.0)
    assert abs(for_joints[0] - JOINT_RANGE[1]) < 1.0 and for_joints[1] > TORSION + 10
    assert abs(for_torsion[1] - TORSION) < 2.0 and for_torsion[0] < JOINT_RANGE[1] - 8
    assert abs(for_theta3[2] - THETA3) < 1.5 and for_theta3[1] > TORSION + 14 and for_theta3[0] > JOINT_RANGE[1] + 2


def test_rod_distance_against_a_fine_search():
    wrist = vertebra.prototype()
    s = np.linspace(0.0, 1.0, 401)
    for leg in ([np.pi / 4, 0.3, -0.2], [1.6, 0.2, 0.9], [0.2, -0.6, 0.1]):
        pose = vertebra.posture(wrist, vertebra.rotation_from_leg(jnp.array(leg)))
        rods, ends = np.asarray(pose.rod), np.asarray(pose.arm)
        along = ends[:, None, :] - (1.0 - s)[None, :, None] * rods[:, None, :]
        brute = np.min(np.linalg.norm(along[0][:, None] - along[1][None], axis=-1))
        assert brute - 1e-5 <= float(vertebra.rod_distance(pose)) + 1e-5 <= brute + 2e-5


def test_crossing_rods_are_found():
    """Two rods made to cross: the distance between the lines, not between ends."""
    pose = vertebra.posture(vertebra.prototype(), vertebra.prototype().home_rotation)
    rod = jnp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    arm = jnp.array([[0.5, 0.0, 0.0], [0.0, 0.5, 0.3]])
    crossed = eqx.tree_at(lambda p: (p.rod, p.arm), pose, (rod, arm))
    assert abs(float(vertebra.rod_distance(crossed)) - 0.3) < 1e-15
