"""Building trees: what is refused, and that tables and files give the machines they describe."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hydro
import multibody as mb


def body(name, parent=None, joint=None, mass=1.0, **kw):
    return mb.Link(name, parent, joint, mass=mass, about_centre=0.1 * np.eye(3), **kw)


def chain(*links):
    return mb.from_links([body("base"), *links])


def test_parent_after_child():
    with pytest.raises(ValueError, match="body 'a': parent 'b' comes after its child"):
        chain(body("a", "b", mb.revolute()), body("b", "base", mb.revolute()))


def test_cycle():
    with pytest.raises(ValueError, match="body 'a': cycle a -> b -> a"):
        chain(body("a", "b", mb.revolute()), body("b", "a", mb.revolute()))


def test_unknown_parent():
    with pytest.raises(ValueError, match="body 'a': parent = 'nobody': unknown"):
        chain(body("a", "nobody", mb.revolute()))


@pytest.mark.parametrize("axis", [(0.0, 0.0, 0.0), (0.0, 0.0, 2.0)])
def test_axis_of_zero_or_wrong_length(axis):
    with pytest.raises(ValueError, match="joint 'elbow': axis = .* must have unit norm"):
        chain(body("a", "base", mb.revolute(axis, name="elbow")))


def test_second_axis_of_universal_joint():
    with pytest.raises(ValueError, match="joint 'a': second_axis = .* must have unit norm"):
        chain(body("a", "base", mb.universal(second_axis=(0.0, 0.0, 0.0))))


def test_zero_mass_leaf_on_a_passive_joint():
    leaf = mb.Link("tip", "base", mb.revolute(actuated=False, name="wrist"))
    with pytest.raises(ValueError, match="joint 'wrist' of body 'tip' is passive but carries no inertia"):
        mb.from_links([body("base"), leaf])
    tree = mb.from_links([body("base"), mb.Link("tip", "base", mb.revolute(name="wrist"))])
    with pytest.raises(ValueError, match="joint 'wrist' of body 'tip' is passive"):
        tree.with_actuation(False)
    mb.from_links([body("base"), mb.Link("tip", "base", mb.revolute(actuated=False, rotor_inertia=0.1))])


def test_negative_mass():
    with pytest.raises(ValueError, match="body 'a': mass = -1.0: must be finite and not negative"):
        body("a", "base", mb.revolute(), mass=-1.0)
    inertia = np.stack([np.eye(6), -np.eye(6)])
    with pytest.raises(ValueError, match="body 'a': mass"):
        mb.Tree(["base", "a"], [0], [mb.revolute()], inertia)


def test_inertia_that_no_body_has():
    bad = np.diag([1.0, 1.0, 1.0, 0.1, 0.1, -0.1])
    with pytest.raises(ValueError, match="body 'a': inertia = .* no negative eigenvalue"):
        chain(mb.Link("a", "base", mb.revolute(), inertia=bad))


def test_counts_and_names():
    with pytest.raises(ValueError, match="2 bodies, 2 joints, 1 parents"):
        mb.Tree(["base", "a"], [0], [mb.revolute(), mb.revolute()], np.stack([np.eye(6)] * 2))
    with pytest.raises(ValueError, match="body 'a': name used 2 times"):
        chain(body("a", "base", mb.revolute()), body("a", "base", mb.revolute()))
    with pytest.raises(ValueError, match="Tree.inertia has shape"):
        mb.Tree(["base", "a"], [0], [mb.revolute()], np.eye(6)[None])
    with pytest.raises(ValueError, match="body 'a': parent = 7"):
        mb.Tree(["base", "a"], [7], [mb.revolute()], np.stack([np.eye(6)] * 2))
    with pytest.raises(ValueError, match="3 booleans for 1 joints"):
        chain(body("a", "base", mb.revolute())).with_actuation([True, False, True])


def test_numbers_that_are_none():
    with pytest.raises(ValueError, match="joint 'j': damping = .* not negative"):
        chain(body("a", "base", mb.revolute(damping=-1.0, name="j")))
    with pytest.raises(ValueError, match="joint 'j': position = .* must be finite"):
        mb.revolute(position=(np.nan, 0.0, 0.0), name="j")
    with pytest.raises(ValueError, match="joint 'j': rotation = .* must be a rotation matrix"):
        chain(body("a", "base", mb.revolute(rotation=2.0 * np.eye(3), name="j")))
    with pytest.raises(ValueError, match="joint 'j': stiffness has shape"):
        mb.spherical(stiffness=(1.0, 2.0), name="j")
    with pytest.raises(ValueError, match="joint: kind = 'rubber'"):
        mb.Joint("rubber")
    with pytest.raises(ValueError, match="Tree.base = 'loose'"):
        mb.from_links([body("base")], base="loose")
    with pytest.raises(ValueError, match="total mass = 0.0"):
        mb.from_links([body("base", mass=0.0)])


def test_a_fluid_needs_something_to_act_on():
    with pytest.raises(ValueError, match=r"has no strips.*from_urdf\(..., strips=True\)`, or use hydro.Void"):
        mb.immerse(chain(body("a", "base", mb.revolute())), hydro.Morison())
    with pytest.raises(ValueError, match="strip: span"):
        mb.strip(hydro.uniform_profile(1.0, 0.1, 0.1), (0.5, 1.5))


def test_laws_of_the_wrong_shape():
    tree = chain(body("a", "base", mb.revolute()))
    with pytest.raises(ValueError, match=r"law returns shape \(2,\): must be \(1,\)"):
        mb.rollout(tree, lambda t: jnp.stack([t, t]), None, 1.0)
    with pytest.raises(ValueError, match="law = None"):
        mb.rollout(tree, None, None, 1.0)
    with pytest.raises(ValueError, match="times run from 0.0 to 2.0: must lie between t0 = 0.0 and t1 = 1.0"):
        mb.simulate(tree, lambda t: t[None], None, 1.0, times=(0.0, 2.0), progress=False)


def test_khalil_kleinfinger_table():
    """Transforms against the product of six elementary ones, for revolute, prismatic and fixed rows."""
    rng = np.random.default_rng(0)

    def rot(axis, angle):
        c, s = np.cos(angle), np.sin(angle)
        return {
            "z": np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
            "x": np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]),
        }[axis]

    def tran(axis, length):
        out = np.eye(4)
        out["xyz".index(axis), 3] = length
        return out

    values = rng.normal(size=(3, 6))
    rows = [
        mb.DHRow(j, sigma=j, **dict(zip(("gamma", "b", "alpha", "d", "theta", "r"), v, strict=True)))
        for j, v in enumerate(values)
    ]
    q = rng.normal(size=2)
    place = mb.configuration(mb.from_dh(rows, np.stack([np.eye(6)] * 4)), jnp.asarray(q))
    T = np.eye(4)
    for j, (gamma, b, alpha, d, theta, r) in enumerate(values):
        theta, r = theta + (q[0] if j == 0 else 0.0), r + (q[1] if j == 1 else 0.0)
        T = T @ rot("z", gamma) @ tran("z", b) @ rot("x", alpha) @ tran("x", d) @ rot("z", theta) @ tran("z", r)
        np.testing.assert_allclose(place.rotation[j + 1], T[:3, :3], atol=1e-14)
        np.testing.assert_allclose(place.position[j + 1], T[:3, 3], atol=1e-14)


URDF = """<robot name="r">
  <link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0.3 0 0" rpy="0.1 0.2 0.3"/><mass value="1.5"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0" ixz="0.002" iyz="0"/></inertial></link>
  <link name="slider"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0.1 0"/><mass value="0.2"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.2" rpy="0.3 -0.2 0.5"/><axis xyz="0 0.6 0.8"/>
    <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
  <joint name="rail" type="prismatic"><parent link="arm"/><child link="slider"/>
    <origin xyz="0.5 0 0"/><axis xyz="1 0 0"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
  <joint name="mount" type="fixed"><parent link="slider"/><child link="tool"/>
    <origin xyz="0 0.1 0" rpy="0 0 1"/></joint>
</robot>"""


def test_urdf_against_pinocchio(tmp_path):
    import pinocchio as pin

    path = tmp_path / "robot.urdf"
    path.write_text(URDF)
    tree = mb.from_urdf(path)
    assert tree.names == ("base", "arm", "slider", "tool") and tree.joint_names == ("shoulder", "rail", "mount")
    model = pin.buildModelFromXML(URDF, pin.JointModelFreeFlyer())
    q = np.array([0.4, -0.2])
    theirs = pin.crba(model, model.createData(), np.concatenate([[0, 0, 0, 0, 0, 0, 1], q]))
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    np.testing.assert_allclose(jax.jit(mb.mass_matrix)(tree, jnp.asarray(q)), theirs, rtol=1e-10, atol=1e-12)
    assert mb.from_urdf(path, passive=["rail"]).actuated == (True, False, True)


def test_urdf_refusals(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(URDF.replace('type="prismatic"', 'type="planar"'))
    with pytest.raises(ValueError, match="joint 'rail': type = 'planar'"):
        mb.from_urdf(path)
    path.write_text(URDF)
    with pytest.raises(ValueError, match="no such joint"):
        mb.from_urdf(path, passive=["elbow"])


def test_a_cut_urdf_is_refused(tmp_path):
    """Wherever it ends: a lenient parser makes a robot with fewer links of it."""
    path = tmp_path / "robot.urdf"
    for part in np.linspace(0.05, 0.99, 20):
        path.write_text(URDF[: int(part * len(URDF))])
        with pytest.raises(ValueError, match="robot.urdf: not a URDF file, or cut"):
            mb.from_urdf(path)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('<mass value="0.5"/>', "<mass/>", "link 'slider': its <inertial> has no <mass value"),
        ('name="slider"', 'name="arm"', "2 <link> of the name 'arm'"),
        ('name="rail"', 'name="mount"', "2 <joint> of the name 'mount'"),
        ('xyz="0.5 0 0"', 'xyz="0.5 x 0"', "could not convert string to float"),
        ('<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><dynamics damping="a"/>', "joint 'rail': damping = 'a'"),
    ],
)
def test_urdf_is_read_strictly(tmp_path, old, new, message):
    path = tmp_path / "robot.urdf"
    path.write_text(URDF.replace(old, new))
    with pytest.raises(ValueError, match=message):
        mb.from_urdf(path)


def test_urdf_damping_and_friction(tmp_path):
    path = tmp_path / "robot.urdf"
    dynamics = '<axis xyz="1 0 0"/><dynamics damping="0.5" friction="0.25"/>'
    path.write_text(URDF.replace('<axis xyz="1 0 0"/>', dynamics))
    tree = mb.from_urdf(path)
    assert tree.damping[1] == 0.5 and tree.friction[1] == 0.25 and tree.damping[0] == 0.0


def test_a_urdf_in_millimetres_is_noticed(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(URDF.replace('xyz="0.5 0 0"', 'xyz="500 0 0"').replace('xyz="0 0 0.2"', 'xyz="0 0 200"'))
    with pytest.warns(UserWarning, match="is 700.1 m from its base to its end: lengths.*0.7001 m from"):
        mb.from_urdf(path)
