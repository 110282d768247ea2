"""Trees of one's own: URDF geometry as strips, limits, passive joints, MJCF to and from MuJoCo."""

import warnings

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
import pytest
import trimesh

import anguilla
import cosserat
import gaits
import hydro
import multibody as mb
from anguilla.view.vectors import fluid_force
from spatial import matrix_from_quaternion, quaternion_exp

pytestmark = pytest.mark.slow

LINK = """<link name="{name}"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>
  <inertia ixx="1e-5" iyy="9e-5" izz="9e-5" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0.05 0 0" rpy="0 1.5707963267948966 0"/><geometry>{shape}</geometry></collision></link>"""
JOINT = """<joint name="q{k}" type="revolute"><parent link="l{j}"/><child link="l{k}"/><origin xyz="0.1 0 0"/>
  <axis xyz="0 0 1"/><dynamics damping="0.01" friction="0.0"/>
  <limit lower="-0.5" upper="1" effort="2" velocity="3"/></joint>"""
SHAPES = (
    '<cylinder radius="0.02" length="0.1"/>',
    '<box size="0.04 0.04 0.1"/>',
    '<sphere radius="0.03"/>',
    '<mesh filename="link.stl" scale="0.001 0.001 0.001"/>',
)


@pytest.fixture(scope="module")
def snake(tmp_path_factory):
    """Four links of different shapes; the mesh is a long ellipsoid in millimetres."""
    folder = tmp_path_factory.mktemp("snake")
    mesh = trimesh.creation.icosphere(subdivisions=4)
    mesh.apply_scale([20.0, 15.0, 50.0])
    mesh.export(folder / "link.stl")
    links = "".join(LINK.format(name=f"l{k}", shape=shape) for k, shape in enumerate(SHAPES))
    joints = "".join(JOINT.format(j=k - 1, k=k) for k in range(1, 4))
    file = folder / "snake.urdf"
    file.write_text(f'<robot name="snake">{links}{joints}</robot>')
    return file


def test_collision_geometry_becomes_strips_of_its_volume(snake):
    tree = mb.from_urdf(snake, strips=True)
    points = tree.strips.points
    volume = np.bincount(tree.strips.body, np.asarray(points.weight * points.section.area))
    exact = [np.pi * 0.02**2 * 0.1, 0.04**2 * 0.1, 4 / 3 * np.pi * 0.03**3, 4 / 3 * np.pi * 0.05 * 0.02 * 0.015]
    np.testing.assert_allclose(volume, exact, rtol=0.01)  # 1 %: the mesh has facets; the rest is exact
    np.testing.assert_allclose(volume[:3], exact[:3], rtol=1e-12)
    moment = np.asarray((points.weight * points.section.area)[:, None] * points.position)
    for body in range(4):  # each centre lies where <origin> says
        mine = np.asarray(tree.strips.body) == body
        np.testing.assert_allclose(moment[mine].sum(axis=0) / volume[body], [0.05, 0, 0], atol=2e-5)
    long = np.asarray(tree.strips.body) != 2  # a sphere has no longest axis
    np.testing.assert_allclose(np.abs(points.rotation[long, 0, 0]), 1.0, atol=1e-12)


def test_a_box_keeps_its_mass_inertia_and_drag_widths(tmp_path):
    """Closed form of a homogeneous cuboid; three Gauss points integrate its second moments exactly."""
    length, width, height, density = 0.1, 0.03, 0.05, 900.0
    shape = f'<box size="{length} {width} {height}"/>'
    file = tmp_path / "box.urdf"
    file.write_text(
        f'<robot name="box">{LINK.format(name="l0", shape=shape).replace("1.5707963267948966", "0")}</robot>'
    )
    box = mb.from_urdf(file, strips=True).strips.points
    m = density * length * width * height
    about = m / 12.0 * np.array([width**2 + height**2, length**2 + height**2, length**2 + width**2])
    about += m * 0.05**2 * np.array([0.0, 1.0, 1.0])  # the centre lies 0.05 m along x
    found = np.asarray(mb.link_inertia(box, density))
    np.testing.assert_allclose(found[:3, :3], m * np.eye(3), rtol=0, atol=1e-13 * m)
    np.testing.assert_allclose(found[3:, 3:], np.diag(about), rtol=1e-12, atol=1e-13 * about.max())
    np.testing.assert_allclose(box.section.perimeter, 2.0 * (width + height), rtol=1e-14)
    np.testing.assert_allclose(box.section.lateral_width, height, rtol=1e-14)
    np.testing.assert_allclose(box.section.dorsal_width, width, rtol=1e-14)
    inside = mb.from_urdf(file, strips=True, boxes="ellipses").strips.points
    assert isinstance(inside.section, hydro.EllipticSection)  # for contact with the ground
    np.testing.assert_allclose(np.sum(inside.weight * inside.section.area), 0.25 * np.pi * m / density, rtol=1e-14)
    with pytest.raises(ValueError, match="boxes = 'round'"):
        mb.from_urdf(file, strips=True, boxes="round")


def test_boxes_and_cylinders_of_one_tree_swim_together(snake):
    """A cylinder among boxes carries the same load as alone: sections become general ones without loss."""
    fluid, twist = hydro.Morison(), jnp.array([0.1, 0.3, -0.2, 0.5, 0.4, 0.3])
    mixed, alone = (mb.from_urdf(snake, strips=wet).strips for wet in (["l0", "l1"], ["l0"]))
    assert isinstance(mixed.points.section, hydro.GeneralSection)
    assert isinstance(alone.points.section, hydro.EllipticSection)
    place = hydro.Place(jnp.zeros(3), jnp.eye(3))
    for load in (fluid.added_inertia, lambda section: sum(fluid.terms(section, place, twist).values())):
        here, there = (jax.vmap(load)(strips.points.section) for strips in (mixed, alone))
        np.testing.assert_allclose(here[np.asarray(mixed.body) == 0], there, rtol=1e-13)


def test_strips_are_made_where_they_are_wanted(snake):
    assert mb.from_urdf(snake).strips is None
    assert set(mb.from_urdf(snake, strips=["l0", "l2"]).strips.body) == {0, 2}
    with pytest.raises(ValueError, match=r"strips = \['fin'\]: no such link"):
        mb.from_urdf(snake, strips=["fin"])


def test_limits_are_kept_and_a_run_says_how_much_of_them_it_uses(snake):
    tree = mb.from_urdf(snake)
    for name, value in {"lower": -0.5, "upper": 1.0, "speed": 3.0, "effort": 2.0}.items():
        np.testing.assert_array_equal(getattr(tree.limits, name), np.full(3, value))
    law = lambda t: jnp.array([0.25, 1.0, 0.25]) + jnp.array([0.0, 0.0, 0.3]) * jnp.sin(2.0 * t)  # noqa: E731
    run = mb.simulate(tree, law, t1=1.0, samples=11, progress=False)
    use = mb.limit_use(run)
    np.testing.assert_allclose(use["range"][:2], [0.0, 1.0], atol=1e-12)  # in the middle, at the end
    np.testing.assert_allclose(use["speed"], [0.0, 0.0, 0.2], atol=1e-12)
    np.testing.assert_allclose(use["torque"], abs(run.torque).max("time") / 2.0)
    assert float(use["torque"][2]) > 0
    with pytest.raises(ValueError, match="lower.* is above upper"):
        tree.with_limits(lower=1.0, upper=0.0)


def test_zero_effort_and_velocity_of_a_file_are_no_limits(snake):
    """Many exporters write zeros where they know no limit; a range of zero is one."""
    file = snake.with_name("unlimited.urdf")
    file.write_text(snake.read_text().replace('effort="2" velocity="3"', 'effort="0" velocity="0"'))
    limits = mb.from_urdf(file).limits
    assert np.isinf(limits.effort).all() and np.isinf(limits.speed).all()
    np.testing.assert_array_equal(limits.upper, np.ones(3))


def test_joints_become_passive_without_touching_fields(snake):
    tree = mb.from_urdf(snake).with_passive(["q2"], stiffness=3.0, damping=0.1)
    assert tree.actuated == (True, False, True)
    np.testing.assert_array_equal(tree.stiffness, [0.0, 3.0, 0.0])
    np.testing.assert_array_equal(tree.damping, [0.01, 0.1, 0.01])
    with pytest.raises(ValueError, match="joint 'q9' is unknown"):
        tree.with_passive(["q9"])


def test_figures_and_summary_take_the_record_of_any_tree(snake, tmp_path):
    """Springs, weight, an external force and water: the recorded powers account for the change of energy.

    1e-4 of the greatest power: the rate of energy is that of a quintic spline, (2π h/T)⁵/100 = 3e-7 for h = 0.01 s and
    energies of T = 0.5 s, more at both ends and at the kinks of the drag.
    """
    tree = mb.from_urdf(snake, strips=True).with_passive(["q3"], stiffness=0.05, damping=0.002)
    law = lambda t: 0.5 * (1.0 - jnp.exp(-(t**3))) * jnp.sin(2 * jnp.pi * t - jnp.arange(2.0))  # noqa: E731
    push = lambda t, state, q, dq: jnp.zeros((4, 6)).at[0, 1].set(0.05 * jnp.sin(3.0 * t))  # noqa: E731
    given = {"wrench": push, "gravity": (0.0, 0.0, -0.2), "rtol": 1e-9, "atol": 1e-11}
    run = mb.simulate(tree, law, hydro.Morison(), t1=1.0, samples=101, progress=False, **given)
    residual = anguilla.view.identity_residual(run)
    size = float(abs(run.actuator_power).max())
    assert np.abs(residual).max() < 1e-4 * size
    for part in ("load_power", "joint_dissipation"):
        assert float(abs(run[part]).max()) > 1e-3 * size  # the balance sees each
    summary = anguilla.summarise(run, period=1.0)
    assert summary.identity == np.abs(residual).max() and summary.peak_torque == float(abs(run.torque).max())
    assert any("base at the end" in line for line in summary.lines())
    force = np.sum(
        [run.rotation[-1, body].values @ run.fluid_drag[-1, body, :3].values for body in range(4)],
        axis=0,
    )
    np.testing.assert_allclose(fluid_force(run, "fluid_drag")[-1], force, rtol=1e-12)
    for draw in (anguilla.view.power_budget, anguilla.view.fluid_forces, anguilla.view.joint_torques):
        for record in (run, run.drop_vars("torque_limit")):  # a robot need not have limits
            draw(record).savefig(tmp_path / "figure.png")


def test_a_passive_stretch_of_a_beam_has_its_stiffness_and_a_law_of_the_rest():
    beam, links, EI = cosserat.rod(1.0, 0.01, 0.02), 21, jnp.array([0.3, 0.2, 0.1])
    tree = mb.from_beam(beam, links, passive=(0.5, 1.0), stiffness=lambda X: EI, damping=0.01)
    law = mb.strain_law(gaits.planar(), 1.0, links, passive=(0.5, 1.0))
    assert law(jnp.asarray(0.3)).shape == (len(tree.actuated_positions),)
    assert sum(not flag for flag in tree.actuated) == 10  # joints at 0.525, 0.575, ... 0.975 m
    # Constant curvature K: the springs hold ½ Σ EI K² times the length of the stretch.
    K, pitch = jnp.array([0.5, -0.4, 0.7]), 1.0 / (links - 1)
    q = jnp.tile(quaternion_exp(pitch * K), links - 1)
    energy = mb.potential_energy(tree, mb.BaseState(), q)
    np.testing.assert_allclose(energy, 0.5 * jnp.sum(EI * K * K) * 0.5, rtol=1e-12)
    with pytest.raises(ValueError, match="stiffness or damping without passive"):
        mb.from_beam(beam, links, stiffness=1.0)
    with pytest.raises(ValueError, match="no joint lies there"):
        mb.from_beam(beam, links, passive=(0.51, 0.52))


def model_of(tree):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mujoco.MjModel.from_xml_string(mb.to_mjcf(tree))
    return model, mujoco.MjData(model)


def base_acceleration(model, data, position, quaternion, twist, joints):
    """d(twist)/dt of a free base under given joint accelerations, from MuJoCo's mass matrix and bias."""
    q, dq, ddq = joints
    R = np.asarray(matrix_from_quaternion(quaternion))
    data.qpos[:] = np.concatenate([position, quaternion, q])
    data.qvel[:] = np.concatenate([R @ twist[:3], twist[3:], dq])
    mujoco.mj_forward(model, data)
    columns = np.zeros((7, model.nv))
    given = np.concatenate([np.zeros(6), ddq])
    for row, vector in zip(columns, [*np.eye(6, model.nv), given], strict=True):
        mujoco.mj_mulM(model, data, row, vector)
    a = np.linalg.solve(columns[:6, :6].T, -data.qfrc_bias[:6] - columns[6, :6])
    a[:3] = R.T @ a[:3] - np.cross(twist[3:], twist[:3])
    return a


def test_mujoco_moves_the_chain_as_we_do():
    tree = mb.from_beam(cosserat.eel(masses=[(0.5, 1.0, [0.01, 0.02, 0.02], [0.0, 0.01, -0.02])]), 5)
    joints = mb.law_motion(tree, mb.strain_law(gaits.planar(), 2.0, 5), jnp.asarray(1.3))
    state = mb.BaseState([0.1, 0.2, 0.3], [0.8, 0.2, -0.4, 0.4], [0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    ours = mb.hybrid_dynamics(tree, state, *joints, jnp.zeros_like(joints[1])).base_acceleration
    theirs = base_acceleration(
        *model_of(tree), *map(np.asarray, (state.position, state.quaternion, state.twist)), joints
    )
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-11)


def moved_by_mujoco(links, t1, steps):
    """Place of the head after t1 in vacuum, by RK4 on MuJoCo's accelerations."""
    tree = mb.from_beam(cosserat.eel(), links)
    model, data = model_of(tree)
    law = mb.strain_law(gaits.planar(), 2.0, links)
    h = t1 / steps
    joints = jax.vmap(lambda t: mb.law_motion(tree, law, t))(0.5 * h * jnp.arange(2 * steps + 1))
    joints = [np.asarray(x) for x in joints]

    def slope(k, y):
        q = y[3:7] / np.linalg.norm(y[3:7])
        R, w = np.asarray(matrix_from_quaternion(q)), y[10:]
        spin = np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))]) / 2
        a = base_acceleration(model, data, y[:3], q, y[7:], [x[k] for x in joints])
        return np.concatenate([R @ y[7:10], spin, a])

    y = np.array([0.0] * 3 + [1.0] + [0.0] * 9)
    for k in range(steps):
        k1 = slope(2 * k, y)
        k2 = slope(2 * k + 1, y + 0.5 * h * k1)
        k3 = slope(2 * k + 1, y + 0.5 * h * k2)
        k4 = slope(2 * k + 2, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[:3]


def test_a_beam_sent_to_mujoco_moves_as_the_beam_at_second_order_in_the_links():
    run = cosserat.rollout(cosserat.eel(), gaits.planar(), hydro.Void(), 1.0, samples=2, rtol=1e-9, atol=1e-11)
    errors = [np.abs(moved_by_mujoco(links, 1.0, 50) - np.asarray(run.position[-1])).max() for links in (21, 41)]
    assert np.abs(run.position[-1]).max() > 0.01  # m: far more than the errors
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.2, errors


def test_what_goes_to_mjcf_comes_back():
    profile = hydro.uniform_profile(0.3, 0.02, 0.03)
    piece = mb.strip(profile, (0.0, 0.3))
    inertia = mb.link_inertia(piece, 1000.0)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    spring = {"stiffness": 2.0, "rest": 0.1, "damping": 0.3, "friction": 0.04, "rotor_inertia": 0.005}
    tree = mb.from_links(
        [
            mb.Link("hull", inertia=inertia, strip=piece),
            mb.Link(
                "a",
                "hull",
                mb.revolute([0.6, 0.0, 0.8], position=[0.3, 0, 0], rotation=turn, **spring),
                inertia=inertia,
            ),
            mb.Link("b", "hull", mb.spherical(position=[0.1, 0.02, 0]), inertia=inertia),
            mb.Link("c", "a", mb.prismatic([0.0, 1.0, 0.0], actuated=False), inertia=inertia),
            mb.Link("d", "c", mb.fixed(position=[0.1, 0, 0]), inertia=inertia),
        ]
    ).with_limits(lower=[-1.0] + [-np.inf] * 3 + [-np.inf], upper=[1.0] + [np.inf] * 3 + [0.2])
    with pytest.warns(UserWarning, match="fluid is left behind"):
        text = mb.to_mjcf(tree)
    with pytest.warns(UserWarning, match="left behind: 1 actuator"):
        back = mb.from_mjcf(text, passive=["c"], strips=True)
    order = [tree.names.index(name) for name in back.names]
    assert sorted(order) == list(range(5)) and back.names[0] == "hull"
    np.testing.assert_allclose(back.inertia, np.asarray(tree.inertia)[order], atol=1e-12)
    joints = [back.joint_names.index(name) for name in ("a", "b", "c")]
    mine = [tree.joint_names.index(name) for name in ("a", "b", "c")]
    assert [back.kinds[k] for k in joints] == [tree.kinds[k] for k in mine]
    assert [back.actuated[k] for k in joints] == [True, True, False]
    for field in ("rotation", "position"):
        np.testing.assert_allclose(
            np.asarray(getattr(back, field))[joints], np.asarray(getattr(tree, field))[mine], atol=1e-12
        )
    first = back.layout.freedom_start[joints[0]]
    for field, value in spring.items():
        np.testing.assert_allclose(getattr(back, field)[first], value, rtol=1e-12)
    np.testing.assert_allclose([back.limits.lower[first], back.limits.upper[first]], [-1.0, 1.0])
    third = back.layout.freedom_start[joints[2]]  # limited on one side only
    np.testing.assert_allclose([back.limits.lower[third], back.limits.upper[third]], [-np.inf, 0.2])
    assert back.strips is not None and set(back.strips.body) == {0}


def test_joints_off_the_body_origin_and_several_on_one_body_are_read():
    """Masses and centres of mass, by MuJoCo's own kinematics, at a random configuration."""
    text = """<mujoco><option gravity="0 0 0"/><worldbody><body name="a" pos="0 0 1">
      <joint name="x" axis="1 0 0" pos="0.1 0 0"/>
      <joint name="z" axis="0 0 1" pos="0.1 0 0"/><geom type="capsule" size="0.05 0.2"/>
      <body name="b" pos="0.3 0 0" euler="0 0 30"><joint name="s" type="slide" axis="0 1 0"/>
      <geom type="box" size="0.1 0.2 0.05"/>
      </body></body></worldbody></mujoco>"""
    tree, model = mb.from_mjcf(text, strips=True), mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    q = np.array([0.4, -0.7, 0.05])
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    assert tree.joint_names == ("x", "z", "s") and tree.base == "fixed"
    centre = mb.centre_of_mass(tree, mb.BaseState(), jnp.asarray(q))
    np.testing.assert_allclose(centre, data.subtree_com[0], atol=1e-12)
    points = tree.strips.points
    volume = np.bincount(tree.strips.body, np.asarray(points.weight * points.section.area), minlength=4)
    np.testing.assert_allclose(volume[2], np.pi * 0.05**2 * 0.4 + 4 / 3 * np.pi * 0.05**3, rtol=1e-9)
