"""Closed loops: a four-bar linkage against its Lagrangian, and the same linkage floating freely."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import multibody as mb

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.4, 0.9, 0.7  # lengths [m]; Grashof, the crank turns fully
DENSITY = 2.0  # of the rods [kg/m]
GRAVITY = (0.0, -9.81, 0.0)
DRIFT = 1e-10  # largest gap allowed over ten seconds [m, rad]
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
    with pytest.raises(ValueError, match="no cut joint"):
        mb.close_loops(tree, [], q)
