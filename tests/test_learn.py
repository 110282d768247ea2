"""Environments to learn in: against the adaptive engine, gradients, batches, gymnasium's checker, refusals."""

import warnings

import equinox as eqx
import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from scipy.integrate import simpson

import cosserat
import hydro
from anguilla import learn
from anguilla.learn.gym import NAMES

KEY = jax.random.key(3)
ACTION = np.array([0.9, 0.8, 0.4, -0.3])
STEPS = 50  # one second at 50 Hz

unroll = eqx.filter_jit(learn.unroll)


@pytest.fixture(scope="module")
def cruise():
    return learn.make("cruise")


@pytest.fixture(scope="module")
def second(cruise):
    return unroll(cruise, np.tile(ACTION, (STEPS, 1)), KEY)


def closed_form(drive, phase):
    """The strains for a held action: the step response of a critically damped servo, integrated for the phase."""
    u, omega = np.asarray(drive.command(ACTION)), 2.0 * np.pi * 2.0
    y0 = np.array([0.0, 1.0, 0.0, 0.0])

    def gait(X, t):
        decay = jnp.exp(-omega * t)
        A, _, yaw, pitch = u + (y0 - u) * (1.0 + omega * t) * decay
        beats = phase + u[1] * t + (y0[1] - u[1]) * (2.0 / omega - decay * (2.0 / omega + t))
        wave = A * (X**2 - 0.75 * X + 1.0) * jnp.sin(2.0 * jnp.pi * (X - beats))
        return jnp.stack([1.0, 0.0, 0.0, 0.0, pitch, wave + yaw])

    return gait


@pytest.mark.slow
def test_a_second_is_that_of_the_adaptive_rollout_of_the_full_body(cruise, second):
    beam, water = cosserat.eel(), hydro.Morison(added_mass="kirchhoff")
    gait = closed_form(cruise.drive, cruise.initial(KEY).drive[2])
    run = cosserat.rollout(beam, gait, water, 1.0, samples=101, rtol=1e-8, atol=1e-10)
    # 1e-4 m, rad, m/s, rad/s: what the step and the coarse grid may leave in a second.
    np.testing.assert_allclose(second.states.head.position[-1], run.position[-1], rtol=0, atol=1e-4)
    np.testing.assert_allclose(second.states.head.quaternion[-1], run.quaternion[-1], rtol=0, atol=1e-4)
    np.testing.assert_allclose(second.states.head.twist[-1], run.twist[-1], rtol=0, atol=1e-3)

    states = eqx.filter_vmap(cosserat.HeadState)(run.position, run.quaternion, run.twist)
    power = eqx.filter_vmap(cosserat.actuator_power, in_axes=(None, None, None, 0, 0))
    watts = power(beam, gait, water, states, run.time)
    # By the internal wrench here, by energy and losses there; the trapezoid of the losses leaves about 1e-3.
    assert float(second.states.work[-1]) == pytest.approx(simpson(watts, x=run.time), rel=3e-3)


@pytest.mark.slow
def test_the_gradient_of_the_return_is_that_of_central_differences(cruise):
    actions = jax.random.uniform(jax.random.key(1), (6, 4), float, -0.8, 0.8)
    # The environment is an argument: as constants of the program its arrays would be folded for minutes.
    total = lambda actions, environment: learn.unroll(environment, actions, KEY).total  # noqa: E731
    value = lambda a: unroll(cruise, a, KEY).total  # noqa: E731
    gradient = eqx.filter_jit(eqx.filter_grad(total))(actions, cruise)
    for direction in np.random.default_rng(0).normal(size=(3, 6, 4)):
        h = 1e-4
        differences = (value(actions + h * direction) - value(actions - h * direction)) / (2.0 * h)
        assert float(jnp.sum(gradient * direction)) == pytest.approx(float(differences), rel=1e-6, abs=1e-9)


@pytest.mark.slow
def test_a_batch_of_randomised_environments_is_its_members(cruise):
    draw, keys = learn.Randomisation(), jax.random.split(jax.random.key(7), 3)
    many = eqx.filter_jit(lambda e, k: jax.vmap(draw, in_axes=(None, 0))(e, k))(cruise, keys)
    assert np.ptp(np.asarray(many.body.beam.length)) > 0.01
    assert np.ptp(np.asarray(many.fluid.drag_lateral)) > 0.01
    assert np.ptp(np.asarray(many.drive.wavelength)) > 0.01
    actions = np.tile(ACTION, (STEPS, 1))
    batch = eqx.filter_jit(eqx.filter_vmap(lambda e, k: learn.unroll(e, actions, k).states.centre))(many, keys)
    member = jax.tree.map(lambda x: x[1] if eqx.is_array(x) else x, many)
    alone = unroll(member, actions, keys[1])
    np.testing.assert_allclose(batch[1], alone.states.centre, rtol=0, atol=1e-9)
    assert np.linalg.norm(batch[0, -1] - batch[1, -1]) > 1e-4


@pytest.mark.slow
def test_a_batch_on_devices_is_its_members(cruise):
    """19 starts: one lane of 16 and a part of another."""
    keys, policy = jax.random.split(jax.random.key(8), 19), learn.NeuralPolicy(cruise, KEY)
    policy = eqx.tree_at(lambda p: p.network.layers[-1].bias, policy, jnp.array([0.5, 0.2, 0.1, 0.0]))
    batch = eqx.filter_jit(learn.unroll_batch)(cruise, policy, keys, 3)
    assert batch.rewards.shape == (19, 3)
    for k in (0, 15, 16, 18):
        alone = unroll(cruise, policy, keys[k], 3)
        np.testing.assert_allclose(batch.states.centre[k], alone.states.centre, rtol=0, atol=1e-12)
        np.testing.assert_allclose(batch.actions[k], alone.actions, rtol=0, atol=1e-12)


def by_evolution(cruise, network, steps):
    with jax.numpy_rank_promotion("allow"):  # evosax broadcasts
        return learn.by_evolution(cruise, network, KEY, generations=15, population=16, steps=steps)


def by_gradients(cruise, network, steps):
    return learn.by_gradients(cruise, network, KEY, ascents=8, rate=0.05, steps=steps)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [by_gradients, by_evolution])
def test_a_policy_learns_from_observations(cruise, learner):
    """The best policy found gives the return that was recorded, and looks at what it sees."""
    network, steps = learn.NeuralPolicy(cruise, KEY), 40
    starts = jax.random.split(jax.random.fold_in(KEY, 0), 4)
    value = eqx.filter_jit(learn.mean_return)
    begin = float(value(cruise, network, starts, steps))
    learned = learner(cruise, network, steps)
    assert np.all(np.diff(learned.returns) >= 0.0)
    assert learned.returns[-1] > begin + 1e-3  # m
    assert float(value(cruise, learned.policy, starts, steps)) == pytest.approx(learned.returns[-1], abs=1e-9)
    assert not np.allclose(*jax.vmap(learned.policy)(jax.random.normal(KEY, (2, 25))))


def test_an_episode_that_has_ended_gives_no_more_rewards():
    lost = learn.Environment(learn.StationKeeping(offset=0.0, limit=0.005))
    record = unroll(lost, np.zeros((STEPS, 4)), KEY)
    running = np.asarray(record.running)
    assert running[0] and not running[-1]
    assert np.all(np.asarray(record.rewards)[~running] == 0.0)
    assert np.all(np.asarray(record.rewards)[running] > 0.0)


def test_rewards_are_what_the_tasks_say():
    at = lambda position, centre, goal=(), work=0.0, time=0.0: learn.State(  # noqa: E731
        *map(jnp.asarray, (time,)),
        cosserat.HeadState(position=position),
        (),
        jnp.asarray(goal, float),
        jnp.asarray(centre, float),
        *map(jnp.asarray, ([0.0] * 3, 0.0, 0.0, work)),
    )
    mass, period = jnp.asarray(20.0), 0.02
    ahead = (-1.0, 0.0, 0.0)
    swum = learn.Cruise(weight=2.0).reward(
        at((0.0, 0, 0), (1.0, 0, 0), ahead), at((0.0, 0, 0), (0.5, 0, 0), ahead, 9.81), mass, period
    )
    assert float(swum) == pytest.approx(0.5 - 2.0 * 9.81 / (20.0 * 9.81))
    turned = at((0.0, 0, 0), (0.0, 1.0, 0), (0.0, 1.0, 0.0))
    assert float(learn.Turn().reward(turned, turned, mass, period)) == pytest.approx(period)
    away = at((0.0, 0, 0), (0.5, 0, 0), (0.0, 0.0, 0.0))
    assert float(learn.StationKeeping(scale=0.5).reward(away, away, mass, period)) == pytest.approx(0.5 * period)
    path = learn.FollowPath([(0, 0, 0), (-1, 0, 0), (-1, 1, 0)], weight=3.0)
    gained = path.reward(at((0.0, 0.1, 0), ahead), at((-1.2, 0.5, 0), ahead), mass, period)
    assert float(gained) == pytest.approx(1.5 - 3.0 * period * 0.04)
    assert path.at(jnp.asarray(1.5)).tolist() == pytest.approx([-1.0, 0.5, 0.0])
    assert bool(learn.FollowPath(limit=0.1).ended(at((1.0, 0, 0), ahead)))
    fled = learn.Escape().reward(
        at((0.0, 0, 0), (1.0, 0, 0), (1.0, 0, 0)), at((0.0, 0, 0), (1.0, 0.3, 0.4), (1.0, 0, 0)), mass, period
    )
    assert float(fled) == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_has_no_complaint(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name, render_mode="rgb_array")
        check_env(env.unwrapped)
        first = [env.reset(seed=5)[0], *env.step(np.full(env.action_space.shape, 0.5, np.float32))[:2]]
        again = [env.reset(seed=5)[0], *env.step(np.full(env.action_space.shape, 0.5, np.float32))[:2]]
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one, other)
        picture = env.render()
        assert picture.dtype == np.uint8 and picture.shape[2] == 3 and len(np.unique(picture)) > 10


@pytest.mark.slow
def test_the_wrapper_steps_as_the_functions_do(cruise):
    env = learn.GymEnv(cruise)
    seen, _ = env.reset(seed=11)
    seen, reward, terminated, truncated, info = env.step(ACTION)
    _, beginning = jax.random.split(jax.random.key(int(np.random.Generator(np.random.PCG64(11)).integers(2**31))))
    state = cruise.initial(beginning)
    following = cruise.transition(state, ACTION)
    np.testing.assert_allclose(seen, cruise.observation(following), rtol=1e-6, atol=1e-7)
    assert reward == pytest.approx(float(cruise.reward(state, ACTION, following)), rel=1e-9)
    assert (terminated, truncated) == (False, False) and info["time"] == pytest.approx(0.02)


def test_what_is_wrong_is_refused_in_words(cruise):
    with pytest.raises(ValueError, match="task = 'fly': must be one of"):
        learn.make("fly")
    with pytest.raises(ValueError, match="period = -0.02: must be finite and positive"):
        learn.make("cruise", period=-0.02)
    with pytest.raises(ValueError, match="substeps = 0: must be a positive integer"):
        learn.make("cruise", substeps=0)
    with pytest.raises(ValueError, match="must be a task such as"):
        learn.Environment("cruise")
    with pytest.raises(ValueError, match=r"actions have shape \(5, 3\): must be \(steps, 4\)"):
        learn.unroll(cruise, np.zeros((5, 3)), KEY)
    env = learn.GymEnv(cruise)
    with pytest.raises(ValueError, match="call reset"):
        env.step(ACTION)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action has shape"):
        env.step(np.zeros(3))
    with pytest.raises(ValueError, match="action = .*: must be finite"):
        env.step(np.array([0.0, np.nan, 0.0, 0.0]))
    with pytest.raises(ValueError, match="render_mode = 'human': must be one of"):
        learn.GymEnv(cruise, render_mode="human")
    with pytest.raises(ValueError, match="Randomisation.drag"):
        learn.Randomisation(drag=(-1.0, 1.0))
    other = learn.make("cruise", beam=learn.swimmer(scale=0.7))
    with pytest.raises(ValueError, match="another body than learn.swimmer"):
        learn.Randomisation()(other, jax.random.key(0))
    with pytest.raises(ValueError, match="high - low"):
        learn.WaveDrive(high=(0.0, 1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="at least two points"):
        learn.FollowPath([(0.0, 0.0, 0.0)])
