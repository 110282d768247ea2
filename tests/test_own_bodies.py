"""Bodies of one's own: density along X, point masses, in both space paths, the sums and the cut into links."""

import warnings
from pathlib import Path

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import trimesh

import cosserat
import gaits
import hydro
import multibody
from anguilla import ground
from cosserat.state import unchecked_state
from spatial import matrix_from_quaternion
from spatial.traced_warnings import warn_if
from validation.subjects import six_strains

pytestmark = pytest.mark.slow

LENGTH, B, C = 0.5, 0.015, 0.02
MOTORS = [
    (0.05, 0.08, [2e-5, 3e-5, 4e-5]),
    (0.2, 0.06, [[1e-5, 2e-6, 0.0], [2e-6, 2e-5, 1e-6], [0.0, 1e-6, 2e-5]]),
    (0.2, 0.01),
    (0.35, 0.06, 1e-5, [0.01, -0.004, -0.008]),
    (0.5, 0.02),
]


@pytest.fixture(scope="module")
def lamprey():
    """A uniform body with four motors and a battery, one off the axis and one at the tail's tip."""
    return cosserat.rod(LENGTH, B, C, density=1050.0, masses=MOTORS)


def straight(X, t):
    return jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def by_hand():
    """Mass, centre and inertia about the nose of the straight lamprey, by textbook formulas."""
    m = 1050.0 * np.pi * B * C * LENGTH
    own = np.diag([(B**2 + C**2) / 4, C**2 / 4 + LENGTH**2 / 12, B**2 / 4 + LENGTH**2 / 12]) * m
    parts = [(m, np.array([LENGTH / 2, 0, 0]), own)]
    for X, kg, *rest in MOTORS:
        about = np.asarray(rest[0] if rest else 0.0)
        about = about if about.ndim == 2 else np.diag(np.broadcast_to(about, 3))
        parts.append((kg, np.array([X, 0, 0]) + np.asarray(rest[1] if len(rest) > 1 else [0, 0, 0]), about))
    total = sum(kg for kg, *_ in parts)
    centre = sum(kg * r for kg, r, _ in parts) / total
    inertia = sum(about + kg * (r @ r * np.eye(3) - np.outer(r, r)) for kg, r, about in parts)
    return total, centre, inertia


def test_mass_centre_and_inertia_are_those_computed_by_hand(lamprey):
    """Round-off only: the quadrature is exact for a uniform body, and so is the interpolation of a straight one."""
    total, centre, inertia = by_hand()
    assert abs(float(cosserat.mass(lamprey)) - total) < 1e-12
    state = cosserat.HeadState()
    found = cosserat.energetics(lamprey, straight, hydro.Void(), state, 0.0)
    np.testing.assert_allclose(found.centre_w, centre, rtol=0, atol=1e-12)
    for path in (None, cosserat.Nested()):
        head = cosserat.head_dynamics(lamprey, straight, hydro.Void(), state, 0.0, path).inertia
        np.testing.assert_allclose(head[3:, 3:], inertia, rtol=0, atol=1e-12)
        np.testing.assert_allclose(np.trace(head[:3, :3]), 3 * total, rtol=0, atol=1e-12)


def test_density_by_function_and_table_gives_the_mass_of_its_integral():
    linear = cosserat.rod(LENGTH, B, C, density=lambda X: 900.0 + 400.0 * X)
    table = cosserat.rod(LENGTH, B, C, density=([0.0, 0.2, LENGTH], [900.0, 980.0, 1100.0]))
    for beam in (linear, table):
        assert abs(float(cosserat.mass(beam)) / (1000.0 * np.pi * B * C * LENGTH) - 1) < 1e-12
        found = cosserat.energetics(beam, straight, hydro.Void(), cosserat.HeadState(), 0.0)
        centre = (900.0 * LENGTH**2 / 2 + 400.0 * LENGTH**3 / 3) / (1000.0 * LENGTH)
        np.testing.assert_allclose(found.centre_w, [centre, 0, 0], rtol=0, atol=1e-12)


def test_momentum_in_vacuum_is_kept(lamprey):
    path, gait = cosserat.Panels(order=12), six_strains()
    start = cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    run = cosserat.rollout(
        lamprey,
        gait,
        hydro.Void(),
        2.0,
        state=start,
        samples=5,
        rtol=1e-12,
        atol=1e-13,
        solver=diffrax.Dopri8(),
        path=path,
        land=True,
    )
    one = lambda p, q, eta, t: cosserat.momentum(lamprey, gait, unchecked_state(p, q, eta), t, path)  # noqa: E731
    momentum = np.asarray(eqx.filter_vmap(one)(run.position, run.quaternion, run.twist, run.time))
    assert np.abs(run.position[-1] - run.position[0]).max() > 0.1
    assert np.abs(momentum - momentum[:1]).max() / np.abs(momentum[0]).max() < 1e-11


WEIGHT = hydro.Together(hydro.Morison(), hydro.Weight(1050.0, gravity=[1.0, -2.0, -9.0]))


@pytest.fixture(scope="module")
def fields(lamprey):
    """Both paths at one instant of a motion with every strain, in water and under weight."""
    state = cosserat.HeadState([0.1, 0.2, 0.3], twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    X = jnp.asarray([0.0, 0.05, 0.13, 0.2, 0.3, 0.35, 0.42, 0.5])
    return [
        cosserat.internal_wrench(lamprey, six_strains(), WEIGHT, state, 0.7, path, X)
        for path in (cosserat.Panels(), cosserat.Nested())
    ]


def test_the_tail_is_free_and_the_paths_agree(fields):
    """n(L) = M(L) = 0 by the diffrax path, whose tolerance is 1e-11; both paths by the drag's quadrature, 1e-6."""
    fast, nested = fields
    largest = np.abs(nested.force_w).max()
    assert largest > 0.1
    assert np.abs(nested.tail).max() < 1e-9 * largest
    assert np.abs(fast.tail).max() < 1e-5 * largest
    np.testing.assert_allclose(fast.head_twist_rate, nested.head_twist_rate, rtol=1e-5)
    np.testing.assert_allclose(fast.force_w, nested.force_w, rtol=0, atol=1e-5 * largest)
    np.testing.assert_allclose(fast.moment, nested.moment, rtol=0, atol=1e-5 * np.abs(nested.moment).max())
    np.testing.assert_allclose(fast.actuator_power, nested.actuator_power, rtol=1e-5)


def test_the_internal_force_jumps_by_newtons_law(lamprey):
    """Across a motor n changes by its weight less mass times acceleration of its centre, found from the motion."""
    state, gait = cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15]), six_strains()
    X = jnp.asarray([0.35 - 1e-9, 0.35])
    fields = cosserat.internal_wrench(lamprey, gait, WEIGHT, state, 0.7, stations=X)
    V, omega = fields.twist[1, :3], fields.twist[1, 3:]
    c = jnp.asarray(MOTORS[3][3])
    a = fields.twist_rate[1, :3] + jnp.cross(omega, V)
    a = a + jnp.cross(fields.twist_rate[1, 3:], c) + jnp.cross(omega, jnp.cross(omega, c))
    R = matrix_from_quaternion(fields.quaternion[1])
    expected = 0.06 * (jnp.asarray([1.0, -2.0, -9.0]) - R @ a)
    np.testing.assert_allclose(fields.force_w[1] - fields.force_w[0], expected, rtol=0, atol=1e-7)


def test_actuators_give_what_the_energy_takes(lamprey):
    """Power of n and M over the strain rates is dT/dt in vacuum; dT/dt by central differences along the motion."""
    gait, state = six_strains(), cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    rate = cosserat.head_acceleration(lamprey, gait, hydro.Void(), state, 0.7)

    def kinetic(t):
        moved = unchecked_state(state.position, state.quaternion, state.twist + (t - 0.7) * rate)
        return cosserat.energetics(lamprey, gait, hydro.Void(), moved, t).kinetic

    power = cosserat.actuator_power(lamprey, gait, hydro.Void(), state, 0.7)
    slope = jax.jvp(kinetic, (jnp.asarray(0.7),), (jnp.asarray(1.0),))[1]
    np.testing.assert_allclose(power, slope, rtol=1e-8)


def test_gradients_reach_masses_and_density():
    def pull(kg, X, density):
        beam = cosserat.rod(LENGTH, B, C, density=density, masses=[(X, kg, [1e-5, 1e-5, 1e-5])])
        state = cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
        return jnp.sum(cosserat.head_acceleration(beam, six_strains(), hydro.Morison(), state, 0.7))

    at = (0.1, 0.2, 1050.0)
    slopes = jax.grad(pull, (0, 1, 2))(*map(jnp.asarray, at))
    for k, h in enumerate((1e-5, 1e-5, 1e-1)):
        up, down = ([x + s * h * (j == k) for j, x in enumerate(at)] for s in (1, -1))
        np.testing.assert_allclose(slopes[k], (pull(*up) - pull(*down)) / (2 * h), rtol=1e-5)


def test_links_cut_from_the_body_carry_its_masses_and_tend_to_it(lamprey):
    gait, state = gaits.planar(), cosserat.HeadState(twist=[0.1, -0.05, 0.08, 0.2, -0.1, 0.15])
    total, centre, _ = by_hand()
    t = jnp.asarray(1.3)
    exact = cosserat.head_acceleration(lamprey, gait, hydro.Void(), state, t)
    errors = []
    for links in (21, 41):
        tree = multibody.from_beam(lamprey, links)
        assert abs(float(multibody.mass(tree)) - total) < 1e-12
        base = multibody.BaseState()
        np.testing.assert_allclose(multibody.centre_of_mass(tree, base, tree.neutral()), centre, rtol=0, atol=1e-12)
        q, dq, ddq = multibody.law_motion(tree, multibody.strain_law(gait, LENGTH, links), t)
        base = multibody.BaseState(twist=state.twist)
        found = multibody.hybrid_dynamics(tree, base, q, dq, ddq, jnp.zeros_like(dq)).base_acceleration
        errors.append(float(jnp.max(jnp.abs(found - exact))))
    assert np.log2(errors[0] / errors[1]) > 1.7, errors


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: cosserat.rod(1.0, 0.02, 0.03, density=np.full(10, 1e3)), r"array does not say where .* pair \(X, den"),
        (lambda: cosserat.rod(1.0, 0.02, 0.03, density=lambda X: 900.0 - 1000.0 * X), r"density\(X\) along the body"),
        (lambda: cosserat.rod(1.0, 0.02, 0.03, density=lambda X: float(X)), "write it with jax.numpy"),
        (lambda: cosserat.rod(1.0, 0.02, 0.03, density=([0.0, 0.0], [1e3, 1e3])), "strictly increasing"),
        (lambda: cosserat.rod(1.0, 0.02, 0.03, masses=[(1.2, 0.1)]), r"masses\[0\]: X = 1.2: must lie between"),
        (lambda: cosserat.rod(1.0, 0.02, 0.03, masses=[(0.2, -0.1)]), r"PointMass.mass = -0.1"),
        (lambda: cosserat.rod(1.0, 0.02, 0.03, masses=[0.2]), r"masses\[0\] = 0.2: must be a tuple \(X, kg\)"),
        (lambda: cosserat.PointMass(0.1, 0.1, [1.0, 2.0]), "3 moments or a 3x3 matrix"),
        (lambda: cosserat.PointMass(0.1, 0.1, [-1.0, 2.0, 2.0]), "no negative eigenvalue"),
    ],
)
def test_impossible_bodies_are_refused_in_words(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_other_units_are_noticed():
    """The density is compared with the water's: in units without dimensions both are 1."""
    with pytest.warns(UserWarning, match="500 m long and 60 m wide: lengths are in metres.*0.5 m long and 0.06 m wide"):
        cosserat.rod(500, 15, 30)
    with pytest.warns(UserWarning, match="0.5 m long and 60 m wide"):
        cosserat.rod(0.5, 15, 30)
    with pytest.warns(UserWarning, match="centimetres, by 100 .0.4 m long and 0.04 m wide"):
        cosserat.rod(40, 1.5, 2)
    with pytest.warns(UserWarning, match="point masses of this body weigh 120 kg.*grams, divide by 1000"):
        cosserat.rod(1.0, 0.015, 0.02, masses=[(0.1, 120.0)])
    fish = cosserat.rod(1.0, 0.015, 0.02, density=1.02)
    state = (gaits.planar(), hydro.Together(hydro.Morison(), hydro.Weight(1.02)), cosserat.HeadState(), 0.5)
    with pytest.warns(UserWarning, match="1.02 kg/m³ in water of 1000 kg/m³.*g/cm³, multiply by 1000"):
        cosserat.head_acceleration(fish, *state)
    with pytest.warns(UserWarning, match="1.02 kg/m³ in water of 1000 kg/m³"):
        cosserat.head_acceleration(cosserat.rod(1.0, 0.015, 0.02, density=1.02, masses=[(0.1, 0.001)]), *state)


def test_usual_and_traced_bodies_cause_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = cosserat.rod(LENGTH, B, C, density=1.0, masses=[(X, 0.2) for X in (0.1, 0.2, 0.3)])
        cosserat.head_acceleration(body, straight, hydro.Morison(density=1.0), cosserat.HeadState(), 0.0)
        hull = cosserat.rod(1.0, 0.015, 0.02, density=10.0, masses=[(0.1, 0.2)])  # the volume is 0.94 litres
        cosserat.head_acceleration(hull, straight, hydro.Morison(), cosserat.HeadState(), 0.0)
        jax.vmap(lambda b: cosserat.rod(500.0, b, 30.0, b).length)(jnp.array([15.0, 16.0]))
        jax.jit(lambda length: cosserat.rod(length, 15.0, 30.0).length)(500.0)


def test_warnings_point_at_the_line_of_the_caller():
    """Through constructors of eqx.Module and through a compiled program."""
    with pytest.warns(UserWarning) as told:
        cosserat.rod(500, 15, 30)
        cosserat.Beam(hydro.uniform_profile(500, 15, 30))
        jax.jit(lambda x: warn_if(x > 0.0, "positive") or x)(1.0).block_until_ready()
        jax.effects_barrier()
    assert [Path(warning.filename).name for warning in told] == [Path(__file__).name] * 3


def test_a_table_of_sections_is_a_body(tmp_path):
    """A cone's frustum of exact volume; an ellipsoid, whose squares the interpolation follows, to 1e-3 with 21 rows."""
    file = tmp_path / "frustum.csv"
    file.write_text("X [m], c [m], b [m], density [kg/m3]\n0,0.04,0.02,900\n\n0.5,0.03,0.015,1000\n1,0.02,0.01,1100\n")
    beam = cosserat.from_table(file, round_ends=False)
    np.testing.assert_allclose(cosserat.volume(beam), np.pi * 0.02 * 0.04 * (1 + 0.5 + 0.25) / 3, rtol=1e-12)
    X = np.linspace(0.0, 1.0, 100001)
    area = np.pi * 0.02 * 0.04 * (1 - 0.5 * X) ** 2
    np.testing.assert_allclose(cosserat.mass(beam), np.trapezoid(area * (900.0 + 200.0 * X), X), rtol=1e-9)

    rows = np.linspace(0.0, 1.0, 21)
    semi = 2.0 * np.sqrt(rows * (1.0 - rows))
    body = cosserat.Beam(hydro.table_profile(rows, 0.02 * semi, 0.05 * semi))
    np.testing.assert_allclose(cosserat.volume(body), 4 / 3 * np.pi * 0.5 * 0.02 * 0.05, rtol=1e-3)
    thin = jax.grad(lambda scale: cosserat.volume(cosserat.Beam(hydro.table_profile(rows, scale * semi, 0.05 * semi))))
    # A traced body keeps the default load grid, which the rounded ends of this one leave 4e-6 off.
    np.testing.assert_allclose(thin(0.02), cosserat.volume(body) / 0.02, rtol=1e-5)


@pytest.mark.parametrize(
    "header, density, metres",
    [
        ("X [cm], b [cm], c (cm), density [g/cm3]", "1.05", 0.01),
        ("X [mm], b[mm], c [ mm ], density [g/cm³]", "1.05", 0.001),
        ("X, b [m], c, density (kg/m^3)", "1050", 1.0),
    ],
)
def test_units_of_a_table_are_converted(tmp_path, header, density, metres):
    file, same = tmp_path / "other.csv", tmp_path / "metres.csv"
    rows = np.array([[0.0, 0.02, 0.03], [0.2, 0.025, 0.04], [0.5, 0.01, 0.02]])
    for path, first, scale, heavy in ((file, header, metres, density), (same, "X,b,c,density", 1.0, "1050")):
        lines = [f"{x:.9g},{b:.9g},{c:.9g},{heavy}" for x, b, c in rows / scale]
        path.write_text("\n".join([first, *lines]), encoding="utf-8")
    found, expected = cosserat.from_table(file), cosserat.from_table(same)
    for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "empty"),
        ("X,b\n0,1\n1,1\n", "column 'c' is missing"),
        ("X,b,c,colour\n0,1,1,1\n", "column 'colour': columns must be X, b, c and optionally density, each once"),
        ("X [inch],b,c\n0,1,1\n9,1,1\n", "column 'X' has the unit 'inch': must be in m or cm or mm"),
        ("X,b,c,density [lb/ft3]\n0,1,1,1\n", "column 'density' has the unit 'lb/ft3': must be in kg/m3 or g/cm3"),
        ("X,b []),c\n0,1,1\n", "column 'b' has the unit"),
        ("X;b;c\n0;0,1;0,1\n1;0,1;0,1\n", "separate columns by commas"),
        ("0,0.1,0.1\n1,0.1,0.1\n", "the first line must name the columns"),
        ("X,b,c\n0,0.1,0.1\n1,0.1,wide\n", r"row 3 is .*: must be 3 numbers"),
        ("X,b,c\n0,0.1,0.1\n", "1 rows of numbers"),
        ("X,b,c\n0.5,0.1,0.1\n1,0.1,0.1\n", r"breaks\[0\] = 0.5: must be 0, the nose"),
        ("X,b,c\n0,0.1,0.1\n1,0.1,0.1\n0.5,0.1,0.1\n", "strictly increasing"),
    ],
)
def test_tables_that_cannot_be_read_are_refused_in_words(tmp_path, text, message):
    file = tmp_path / "body.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        cosserat.from_table(file)


def fish_mesh():
    """A fish of two ellipsoids' outlines, slightly pear-shaped, 0.4 m, along y with its back along x."""
    mesh = trimesh.creation.icosphere(subdivisions=4)
    x, y, z = mesh.vertices.T
    swell = 1.0 - 0.4 * x
    mesh.vertices = np.stack([0.05 * z * swell, 0.2 * x, 0.02 * y * swell], axis=1)
    mesh.fix_normals()
    return mesh


def test_a_mesh_of_a_fish_is_a_body_within_a_percent_of_its_volume(tmp_path):
    mesh = fish_mesh()
    file = tmp_path / "fish.stl"
    mesh.copy().apply_scale(1000.0).export(file)  # in millimetres, as most STL files
    beam = cosserat.from_mesh(file, density=1050.0, axis="y", up="x", scale=0.001)
    assert abs(float(beam.length) / 0.4 - 1) < 1e-6
    assert abs(float(cosserat.volume(beam)) / mesh.volume - 1) < 0.01
    assert abs(float(cosserat.mass(beam)) / (1050.0 * mesh.volume) - 1) < 0.01
    middle = beam.profile(jnp.asarray(0.2))
    np.testing.assert_allclose([middle.b, middle.c], [0.02, 0.05], rtol=0.01)
    back = cosserat.from_mesh(mesh, axis="y", up="x", flip=True).profile(jnp.asarray(0.1))
    np.testing.assert_allclose(back.b, beam.profile(jnp.asarray(0.3)).b, rtol=1e-3)


def test_meshes_that_are_no_bodies_are_refused_or_remarked():
    open_mesh = fish_mesh()
    open_mesh.update_faces(np.arange(len(open_mesh.faces)) > 5)
    with pytest.raises(ValueError, match="not closed"):
        cosserat.from_mesh(open_mesh)
    with pytest.raises(ValueError, match="axis = up = 'x'"):
        cosserat.from_mesh(fish_mesh(), axis="x", up="x")
    bent = fish_mesh()
    bent.vertices[:, 2] += 2.0 * bent.vertices[:, 1] ** 2
    with pytest.warns(UserWarning, match="off a straight axis"):
        cosserat.from_mesh(bent, axis="y", up="x")


def test_friction_that_would_not_know_their_weight_refuses_point_masses():
    beam = cosserat.rod(LENGTH, B, C, masses=[(0.2, 0.3)])
    with pytest.raises(ValueError, match="point masses, whose weight causes no friction"):
        cosserat.head_dynamics(beam, straight, ground.Friction(), cosserat.HeadState(), 0.0)
