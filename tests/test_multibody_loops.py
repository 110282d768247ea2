"""Closed loops: a four-bar linkage against its Lagrangian; floating, against free bodies held by their reactions."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import multibody as mb

pytestmark = pytest.mark.slow

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.4, 0.9, 0.7  # lengths [m]; Grashof, the crank turns fully
DENSITY = 2.0  # of the rods [kg/m]
GRAVITY = (0.0, -9.81, 0.0)
DRIFT = 1e-10  # largest gap allowed over ten seconds [m, rad]
FREE = 1e-9  # against a dense system of 24 accelerations and 20 reactions, relative to the largest component
AGREEMENT = 1e-10  # two solutions of one system in round-off, relative


def rod(name, parent, joint, length):
    m = DENSITY * length
    about = m * length**2 / 12.0
    return mb.Link(name, parent, joint, mass=m, centre=(length / 2, 0, 0), about_centre=np.diag([1e-3, about, about]))


def four_bar(base="fixed", actuated=True):
    """Crank and coupler on one branch, rocker on the other, cut between coupler and rocker."""
    frame = mb.Link("frame", mass=3.0, centre=(GROUND / 2, 0, 0), about_centre=0.2 * np.eye(3))
    tree = mb.from_links(
        [
            frame,
            rod("crank", "frame", mb.revolute(actuated=actuated), CRANK),
            rod("coupler", "crank", mb.revolute(position=(CRANK, 0, 0), actuated=False), COUPLER),
            rod("rocker", "frame", mb.revolute(position=(GROUND, 0, 0), actuated=False), ROCKER),
        ],
        base,
    )
    cut = mb.Cut("pin", "coupler", "rocker", first_position=(COUPLER, 0, 0), second_position=(ROCKER, 0, 0))
    return tree, *mb.close_loops(tree, [cut], (0.5, 0.6, 2.0))


def angles(theta):
    """Absolute angles of coupler and rocker in closed form: intersection of two circles, upper branch."""
    tip = CRANK * jnp.stack([jnp.cos(theta), jnp.sin(theta)])
    pivot = jnp.asarray([GROUND, 0.0])
    d = pivot - tip
    D = jnp.sqrt(jnp.sum(d * d))
    a = (COUPLER**2 - ROCKER**2 + D**2) / (2 * D)
    h = jnp.sqrt(COUPLER**2 - a**2)
    e = d / D
    meet = tip + a * e + h * jnp.stack([-e[1], e[0]])
    coupler, rocker = meet - tip, meet - pivot
    return jnp.arctan2(coupler[1], coupler[0]), jnp.arctan2(rocker[1], rocker[0])


def lagrangian_torque(theta, dtheta, ddtheta):
    """Crank torque from the kinetic and potential energy written in the crank angle alone."""

    def centres(th):
        c, r = angles(th)
        direction = lambda a: jnp.stack([jnp.cos(a), jnp.sin(a)])  # noqa: E731
        crank = CRANK / 2 * direction(th)
        coupler = CRANK * direction(th) + COUPLER / 2 * direction(c)
        rocker = jnp.asarray([GROUND, 0.0]) + ROCKER / 2 * direction(r)
        return jnp.stack([crank, coupler, rocker]), jnp.stack([th, c, r])

    lengths = jnp.asarray([CRANK, COUPLER, ROCKER])
    masses = DENSITY * lengths
    spins = masses * lengths**2 / 12.0

    def inertia(th):
        (_, _), (v, w) = jax.jvp(centres, (th,), (jnp.ones(()),))
        return jnp.sum(masses * jnp.sum(v * v, axis=1)) + jnp.sum(spins * w * w)

    def height(th):
        return jnp.sum(masses * 9.81 * centres(th)[0][:, 1])

    return inertia(theta) * ddtheta + 0.5 * jax.grad(inertia)(theta) * dtheta**2 + jax.grad(height)(theta)


def crank_law(t):
    return (0.5 + 0.8 * t + 0.3 * jnp.sin(2.0 * t))[None]


def test_closed_at_the_closed_form():
    _, loops, q = four_bar()
    coupler, rocker = angles(q[0])
    np.testing.assert_allclose([q[0] + q[1], q[2]], [coupler, rocker], atol=1e-12)
    assert len(loops.rows) == 2  # five constraints of a hinge, two of them independent in the plane


def test_inverse_dynamics_is_the_lagrangian():
    tree, loops, _ = four_bar()
    state = mb.BaseState()

    @jax.jit
    def both(t):
        drive = mb.law_motion(tree, crank_law, t)
        coupler, rocker = angles(drive[0][0])
        q = drive[0].at[1].set(coupler - drive[0][0]).at[2].set(rocker)
        dq = loops.consistent(tree, q, drive[1])
        found = mb.loop_dynamics(tree, loops, state, q, dq, drive[2], jnp.zeros(3), gravity=jnp.asarray(GRAVITY))
        ddq = found.motion.acceleration
        opened = mb.inverse_dynamics(tree, state, q, dq, ddq, gravity=jnp.asarray(GRAVITY)).torque
        reduced = loops.independent_map(tree, q).T @ opened
        return found.motion.torque[0], reduced[0], lagrangian_torque(q[0], dq[0], ddq[0]), found.multipliers

    for t in (0.0, 0.7, 2.3, 5.9):
        kkt, reduced, lagrange, multipliers = both(jnp.asarray(t))
        assert abs(kkt - lagrange) < AGREEMENT * abs(lagrange)
        assert abs(reduced - lagrange) < AGREEMENT * abs(lagrange)  # [KR13, eq. (14)]
        assert np.max(np.abs(multipliers)) > 1e-3


def test_direct_dynamics_undoes_inverse_dynamics():
    tree, loops, q = four_bar("floating")
    free = tree.with_actuation(False)
    state = mb.BaseState(twist=np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6]))
    dq = loops.consistent(tree, q, jnp.asarray([1.3, 0.0, 0.0]))
    still = jnp.zeros(3)
    solve = jax.jit(mb.loop_dynamics)
    inverse = solve(tree, loops, state, q, dq, jnp.asarray([0.7, 0.0, 0.0]), still)
    direct = solve(free, loops, state, q, dq, still, inverse.motion.torque)
    np.testing.assert_allclose(direct.motion.acceleration, inverse.motion.acceleration, rtol=1e-10)
    np.testing.assert_allclose(direct.motion.base_acceleration, inverse.motion.base_acceleration, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(direct.multipliers, inverse.multipliers, rtol=1e-9)


def test_driven_four_bar_stays_closed_for_ten_seconds():
    tree, loops, q = four_bar()
    run = mb.simulate(
        tree, crank_law, None, 10.0, joints=q[1:], loops=loops, gravity=GRAVITY, samples=51, progress=False
    )
    joints = jnp.asarray(run.joint_position.values)
    gaps = jax.jit(jax.vmap(lambda q: loops.gaps(tree, q)))(joints)
    assert np.max(np.abs(gaps)) < DRIFT
    coupler, rocker = jax.jit(jax.vmap(angles))(joints[:, 0])
    turns = np.asarray(joints[:, 0] + joints[:, 1] - coupler) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)  # it never jumps to the other branch
    np.testing.assert_allclose(joints[:, 2], rocker, atol=1e-9)
    crank = [run[name].values[:, 0] for name in ("joint_position", "joint_velocity", "joint_acceleration")]
    torque = jax.jit(jax.vmap(lagrangian_torque))(*map(jnp.asarray, crank))
    np.testing.assert_allclose(run.torque.values[:, 0], torque, rtol=AGREEMENT, atol=AGREEMENT)


def test_free_floating_loop_keeps_closed_and_keeps_momentum_and_energy():
    """Spun up and let go in vacuum: nothing acts on it, so momentum and energy stay."""
    tree, loops, q = four_bar("floating", actuated=False)
    state = mb.BaseState(twist=np.array([0.1, 0.0, -0.1, 0.2, 0.1, 0.4]))
    dq = loops.consistent(tree, q, jnp.asarray([1.0, 0.0, 0.0]))
    run = mb.rollout(
        tree, None, None, 10.0, state=state, joints=q, joint_rates=dq, loops=loops, samples=21,
        solver=diffrax.Dopri8(), rtol=1e-10, atol=1e-11,
    )  # fmt: skip

    @jax.jit
    @jax.vmap
    def kept(k):
        base, q, dq = run.state(k), run.joints[k], run.joint_rates[k]
        return mb.momentum(tree, base, q, dq), mb.kinetic_energy(tree, base, q, dq), loops.gaps(tree, q)

    momentum, energy, gaps = kept(jnp.arange(21))
    assert np.max(np.abs(gaps)) < DRIFT
    assert np.max(np.abs(momentum - momentum[:1])) < 1e-8
    assert np.max(np.abs(energy - energy[0])) < 1e-8
    assert np.max(np.abs(run.joints[-1] - q)) > 0.1


# The same linkage as four free bodies in space: parent, place of the joint on it, mass, centre, inertia about it.
FREE_BODIES = (
    (None, None, 3.0, GROUND / 2, 0.2 * np.eye(3)),
    *(
        (parent, place, DENSITY * length, length / 2, np.diag([1e-3, *[DENSITY * length**3 / 12] * 2]))
        for parent, place, length in ((0, 0.0, CRANK), (1, CRANK, COUPLER), (0, GROUND, ROCKER))
    ),
)
HINGES = ((0, 0.0, 1, 0.0), (1, CRANK, 2, 0.0), (0, GROUND, 3, 0.0), (2, COUPLER, 3, ROCKER))  # the last is the cut


def free_bodies(position, rotation, twist, q, dq, *, torque, crank=None, gravity=(0.0, 0.0, 0.0)):
    """Newton and Euler for each body on its own, in the world, with the reactions of all four hinges as unknowns.

    24 accelerations and 20 reactions, three of them redundant because the linkage is flat: the accelerations of
    the least-squares solution are unique. A given acceleration of the crank adds its motor's torque to the unknowns.

    Returns:
        Rate of the base's twist in its own frame, accelerations of the three joints, torque of the crank's motor.
    """
    x, z = np.eye(3)[0], np.eye(3)[2]
    R, p, v, w = [rotation], [position], [rotation @ twist[:3]], [rotation @ twist[3:]]
    for (parent, place, *_), angle, rate in zip(FREE_BODIES[1:], q, dq, strict=True):
        c, s = np.cos(angle), np.sin(angle)
        arm = R[parent] @ (place * x)
        p.append(p[parent] + arm)
        v.append(v[parent] + np.cross(w[parent], arm))
        R.append(R[parent] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))
        w.append(w[parent] + R[parent] @ z * rate)
    hat = lambda a: np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])  # noqa: E731
    centre = [R[i] @ (FREE_BODIES[i][3] * x) for i in range(4)]
    M, load = np.zeros((24, 24)), np.zeros(24)  # of the accelerations of the centres, and of the spins
    for i, (_, _, m, _, about) in enumerate(FREE_BODIES):
        spin = R[i] @ about @ R[i].T
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3], M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = m * np.eye(3), spin
        load[6 * i : 6 * i + 3], load[6 * i + 3 : 6 * i + 6] = m * np.array(gravity), -np.cross(w[i], spin @ w[i])
    for (i, _, j, _), motor in zip(HINGES[:3], torque, strict=True):
        load[6 * j + 3 : 6 * j + 6] += motor * R[i] @ z
        load[6 * i + 3 : 6 * i + 6] -= motor * R[i] @ z
    rows, right = [], []
    for i, at_i, j, at_j in HINGES:
        point = np.zeros((3, 24))
        swing = np.zeros(3)
        for body, at, sign in ((i, at_i, -1.0), (j, at_j, 1.0)):
            arm = R[body] @ (at * x) - centre[body]
            point[:, 6 * body : 6 * body + 3], point[:, 6 * body + 3 : 6 * body + 6] = (
                sign * np.eye(3),
                -sign * hat(arm),
            )
            swing += sign * np.cross(w[body], np.cross(w[body], arm))
        rows += [*point]
        right += [*-swing]
        for e in (R[i][:, 0], R[i][:, 1]):
            rows.append(
                np.concatenate([np.zeros(3) if k % 2 == 0 else e * ((k // 2 == j) - (k // 2 == i)) for k in range(8)])
            )
            right.append(-(w[j] - w[i]) @ np.cross(w[i], e))
    if crank is not None:
        axis = R[0] @ z
        rows.append(np.concatenate([np.zeros(3), -axis, np.zeros(3), axis, np.zeros(12)]))
        right.append(crank - (w[1] - w[0]) @ np.cross(w[0], axis))
    C = np.array(rows)
    system = np.block([[M, C.T], [C, np.zeros((len(C), len(C)))]])
    found = np.linalg.lstsq(system, np.concatenate([load, right]), rcond=1e-12)[0]
    a, alpha = found[:24].reshape(4, 6)[:, :3], found[:24].reshape(4, 6)[:, 3:]
    origin = a[0] + np.cross(alpha[0], -centre[0]) + np.cross(w[0], np.cross(w[0], -centre[0]))
    base = np.concatenate([R[0].T @ origin - np.cross(twist[3:], twist[:3]), R[0].T @ alpha[0]])
    joints = []
    for i, _, j, _ in HINGES[:3]:
        axis = R[i] @ z
        joints.append((alpha[j] - alpha[i]) @ axis + (w[j] - w[i]) @ np.cross(w[i], axis))
    return base, np.array(joints), -found[-1] if crank is not None else torque[0]


def test_floating_loop_against_free_bodies():
    """Direct dynamics of the tumbling linkage with a torque on every joint, under gravity."""
    tree, loops, _ = four_bar("floating")
    free, solve = tree.with_actuation(False), jax.jit(mb.loop_dynamics)
    rng = np.random.default_rng(5)
    for theta in (0.5, 1.7, 3.9):
        coupler, rocker = angles(jnp.asarray(theta))
        q = jnp.stack([jnp.asarray(theta), coupler - theta, rocker])
        turn, torque = rng.normal(size=4), rng.normal(size=3)
        state = mb.BaseState(rng.normal(size=3), turn / np.linalg.norm(turn), rng.normal(size=6))
        dq = loops.consistent(tree, q, jnp.asarray([rng.normal(), 0.0, 0.0]))
        pull = rng.normal(size=3) * 9.81
        ours = solve(free, loops, state, q, dq, jnp.zeros(3), jnp.asarray(torque), gravity=jnp.asarray(pull)).motion
        base, joints, _ = free_bodies(
            *map(np.asarray, (state.position, state.rotation, state.twist, q, dq)), torque=torque, gravity=pull
        )
        np.testing.assert_allclose(ours.base_acceleration, base, atol=FREE * np.max(np.abs(base)), rtol=0)
        np.testing.assert_allclose(ours.acceleration, joints, atol=FREE * np.max(np.abs(joints)), rtol=0)


def test_driven_floating_loop_stays_closed_with_the_torque_of_free_bodies():
    """Ten seconds of a crank that follows its law on a frame that tumbles: gaps, accelerations and motor torque."""
    tree, loops, q = four_bar("floating")
    state = mb.BaseState(twist=np.array([0.1, 0.0, -0.1, 0.2, 0.1, 0.4]))
    run = mb.simulate(tree, crank_law, None, 10.0, state=state, joints=q[1:], loops=loops, samples=21, progress=False)
    gaps = jax.jit(jax.vmap(lambda q: loops.gaps(tree, q)))(jnp.asarray(run.joint_position.values))
    assert np.max(np.abs(gaps)) < DRIFT
    names = ("head_position", "rotation", "head_twist", "joint_position", "joint_velocity")
    worst = np.zeros(3)
    for k in range(21):
        now = run.isel(time=k)
        place, axes, *rest = (now[name].values for name in names)
        crank = now.joint_acceleration.values[0]
        base, joints, torque = free_bodies(place, axes[0], *rest, torque=np.zeros(3), crank=crank)
        ours = (now.head_twist_rate.values, now.joint_acceleration.values, now.torque.values[0])
        worst = np.maximum(worst, [np.max(np.abs(a - b)) for a, b in zip(ours, (base, joints, torque), strict=True)])
    size = [np.max(np.abs(run[name].values)) for name in ("head_twist_rate", "joint_acceleration", "torque")]
    print("worst differences", worst, "of", size)
    assert np.all(worst < FREE * np.array(size))


def test_refusals():
    tree, _, q = four_bar()
    far = mb.Cut("far", "coupler", "rocker", first_position=(5.0, 0, 0), second_position=(ROCKER, 0, 0))
    with pytest.raises(ValueError, match="loop 'far' between bodies 'coupler' and 'rocker' cannot close"):
        mb.close_loops(tree, [far], q)
    with pytest.raises(ValueError, match="cut 'lost': body 'nowhere': unknown"):
        mb.close_loops(tree, [mb.Cut("lost", "coupler", "nowhere")], q)
    pin = mb.Cut("pin", "coupler", "rocker", first_position=(COUPLER, 0, 0), second_position=(ROCKER, 0, 0))
    with pytest.raises(ValueError, match="2 independent constraints but only 1 passive freedoms"):
        mb.close_loops(tree.with_actuation([True, True, False]), [pin], q)
    with pytest.raises(ValueError, match="cut 'pin': kind = 'rubber'"):
        mb.Cut("pin", "coupler", "rocker", "rubber")
    with pytest.raises(ValueError, match="cuts is empty: must name one cut joint"):
        mb.close_loops(tree, [], q)
