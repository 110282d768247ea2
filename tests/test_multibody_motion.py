"""Trees in time: gradients are those of the motion, the fluid acts as specified. Conservation: test_validation."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hydro
import multibody as mb
from spatial import quaternion_exp

pytestmark = pytest.mark.slow

GRADIENT = 1e-5  # against central differences of step 1e-6


def body(name, parent=None, joint=None, **kw):
    return mb.Link(
        name, parent, joint, mass=1.0, centre=(0.1, 0.02, -0.03), about_centre=np.diag([0.01, 0.02, 0.03]), **kw
    )


def swimmer(**options):
    """A base, a spherical joint, a revolute one and a branch with a prismatic one."""
    return mb.from_links(
        [
            body("base"),
            body("a", "base", mb.spherical(position=(0.3, 0, 0), **options)),
            body("b", "a", mb.revolute((0, 1, 0), position=(0.3, 0, 0), **options)),
            body("c", "base", mb.prismatic((0, 0, 1), position=(0, 0.2, 0), **options)),
        ]
    )


def law(t):
    turn = quaternion_exp(jnp.stack([0.4 * jnp.sin(2 * t), 0.5 * jnp.sin(3 * t), 0.3 * t]))
    return jnp.concatenate([turn, jnp.stack([0.7 * jnp.sin(1.7 * t), 0.1 * jnp.cos(2.3 * t)])])


STATE = mb.BaseState(twist=np.array([0.3, -0.2, 0.1, 0.4, -0.5, 0.6]))
TIGHT = dict(solver=diffrax.Dopri8(), rtol=1e-12, atol=1e-13)


def test_gravity_of_a_free_fall_and_of_a_pendulum():
    """A free tree falls with g; a rod on a fixed hinge swings with its own period."""
    tree = swimmer()
    g = jnp.asarray([0.0, 0.0, -9.81])
    q = law(jnp.asarray(0.3))
    still = jnp.zeros(5)
    found = jax.jit(mb.inverse_dynamics)(tree, mb.BaseState(), q, still, still, gravity=g)
    np.testing.assert_allclose(found.base_acceleration, [0, 0, -9.81, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found.torque, 0.0, atol=1e-12)
    rod = mb.Link("rod", "wall", mb.revolute((0, 1, 0), actuated=False), mass=2.0, centre=(0, 0, -0.5),
                  about_centre=np.diag([1 / 6, 1 / 6, 0.0]))  # fmt: skip
    hinge = mb.from_links([mb.Link("wall", mass=1.0), rod], base="fixed")
    run = mb.rollout(hinge, None, None, 2.0, joints=(1e-4,), gravity=(0, 0, -9.81), times=(1.0, 2.0), **TIGHT)
    rate = np.sqrt(1.5 * 9.81)  # of a uniform rod of one metre
    np.testing.assert_allclose(run.joints[:, 0], 1e-4 * np.cos(rate * np.array([1.0, 2.0])), rtol=1e-6)


def immersed():
    profile = hydro.uniform_profile(0.9, 0.03, 0.05)
    pieces = [mb.strip(profile, (0.3 * i, 0.3 * i + 0.3), nose_radius=0.03 if i == 0 else None) for i in range(3)]
    inertia = [mb.link_inertia(piece, 1000.0) for piece in pieces]
    return mb.from_links(
        [
            mb.Link("l0", inertia=inertia[0], strip=pieces[0]),
            mb.Link("l1", "l0", mb.spherical(position=(0.3, 0, 0)), inertia=inertia[1], strip=pieces[1]),
            mb.Link("l2", "l1", mb.revolute(position=(0.3, 0, 0)), inertia=inertia[2], strip=pieces[2]),
        ]
    )


def test_straight_immersed_body_has_the_forces_of_its_sections():
    """Sliding sideways at V: drag ½ρ·2c·L V², apparent mass ρ·area·L + ρπc²L; both about the middle."""
    tree, fluid = immersed(), hydro.Morison()
    q, still = tree.neutral(), jnp.zeros(4)
    V = 0.7
    state = mb.BaseState(twist=np.array([0, V, 0, 0, 0, 0.0]))
    found = jax.jit(mb.inverse_dynamics)(tree, state, q, still, still, fluid=fluid)
    drag = 0.5 * 1000 * 2 * 0.05 * 0.9 * V**2
    mass = 1000 * np.pi * 0.03 * 0.05 * 0.9 + 1000 * np.pi * 0.05**2 * 0.9
    np.testing.assert_allclose(found.base_acceleration, [0, -drag / mass, 0, 0, 0, 0], atol=1e-10)


def test_gradients_at_rest_and_at_zero_angles():
    """In water, whose |V|V has its corner there; spherical joint at the identity."""
    tree, medium = immersed(), hydro.Morison()
    weights = jnp.asarray(np.random.default_rng(0).normal(size=10))
    values, shape = jax.flatten_util.ravel_pytree((tree.inertia, tree.position, tree.axis))

    @jax.jit
    def loss(x):
        step, dq, ddq, twist, body = jnp.split(x, [4, 8, 12, 18])
        inertia, position, axis = shape(values + body)
        model = eqx.tree_at(lambda t: (t.inertia, t.position, t.axis), tree, (inertia, position, axis))
        q = mb.displace(model, model.neutral(), step)
        state = mb.state.unchecked_state(jnp.zeros(3), jnp.asarray([1.0, 0, 0, 0]), twist)
        found = mb.inverse_dynamics(model, state, q, dq, 1.0 + ddq, fluid=medium)
        return jnp.concatenate([found.base_acceleration, found.torque]) @ weights

    at = jnp.zeros(18 + values.shape[0])
    gradient = np.asarray(jax.jit(jax.grad(loss))(at))
    assert np.all(np.isfinite(gradient))
    h = 1e-6
    for k in [*range(18), 18, 25, 18 + 108, 18 + 113]:
        centred = (loss(at.at[k].add(h)) - loss(at.at[k].add(-h))) / (2 * h)
        assert abs(centred - gradient[k]) < GRADIENT * max(1.0, abs(gradient[k])), k


def test_gradient_through_a_rollout():
    tree = mb.from_links([body("base"), body("a", "base", mb.revolute((0, 1, 0), position=(0.3, 0, 0)))])

    @jax.jit
    def reach(amplitude):
        run = mb.rollout(
            tree,
            lambda t: amplitude * jnp.sin(3.0 * t)[None],
            None,
            0.5,
            state=STATE,
            samples=2,
            solver=diffrax.Heun(),
            controller=diffrax.ConstantStepSize(),
            dt0=0.05,
            max_steps=16,
        )
        return run.position[-1] @ jnp.asarray([1.0, 2.0, 3.0])

    gradient = jax.jit(jax.grad(reach))(jnp.asarray(1.1))
    centred = (reach(jnp.asarray(1.1 + 1e-5)) - reach(jnp.asarray(1.1 - 1e-5))) / 2e-5
    assert abs(centred) > 1e-4
    assert abs(gradient - centred) < GRADIENT * abs(centred)


def test_failures_tell_when_and_why():
    tree = swimmer()
    blow = lambda t: law(t) / jnp.where(t < 0.3, 1.0, jnp.nan)  # noqa: E731
    with pytest.raises(ValueError, match=r"law at t = 0\.30\d* s gives .*: must be finite"):
        mb.simulate(tree, blow, None, 1.0, samples=11, max_steps=50, progress=False)
    with pytest.raises(mb.SimulationError, match="stopped after t = 0.* s, .*joint law that is not twice"):
        mb.simulate(tree, law, None, 1.0, samples=11, max_steps=6, progress=False)


def test_friction_damping_and_rotor_enter_the_torque():
    """Γ = ... + I_a ddq + F_s sign(dq) + F_v dq + k (q - rest) [KR13, eq. (31)], far from the smoothed corner."""
    plain, geared = (
        mb.from_links([body("base"), body("a", "base", mb.revolute(**extra))], base="fixed")
        for extra in ({}, dict(rotor_inertia=0.2, friction=0.3, damping=0.4, stiffness=0.5, rest=0.1))
    )
    q, dq, ddq = (jnp.asarray([x]) for x in (0.7, -2.0, 1.5))
    solve = jax.jit(mb.inverse_dynamics)
    bare, full = (solve(t, mb.BaseState(), q, dq, ddq).torque[0] for t in (plain, geared))
    np.testing.assert_allclose(full - bare, 0.2 * 1.5 - 0.3 - 0.4 * 2.0 + 0.5 * 0.6, rtol=1e-12)


class Push(eqx.Module):
    """A force along x on the only body that begins within a step; its break times are a number or a tuple of arrays."""

    begin: float = 0.337
    listed: bool = True

    @property
    def break_times(self):
        return (jnp.asarray(self.begin),) if self.listed else self.begin

    def __call__(self, t, state, q, dq):
        return jnp.where(t > self.begin, 1.0, 0.0) * jnp.array([[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])


@pytest.mark.parametrize("how", ["march", "rollout"])
def test_steps_end_where_a_wrench_breaks(how):
    """A body of 2 kg under 1 N from 0.337 s on: x = (t - 0.337)²/4, exact for methods of order two and more.

    Before: the break of a wrench was not stepped onto; in ten equal steps the place was off by 1e-3 m.
    """
    ball = mb.from_links([mb.Link("ball", mass=2.0, about_centre=0.01 * np.eye(3))])
    steps = {"dt": 0.1} if how == "march" else {"samples": 2, "rtol": 1e-3, "atol": 1e-3}
    run = getattr(mb, how)(ball, None, t1=1.0, wrench=Push(listed=how == "march"), **steps)
    assert abs(float(run.position[-1, 0]) - (1.0 - 0.337) ** 2 / 4.0) < 1e-12
