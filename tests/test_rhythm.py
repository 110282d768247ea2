"""Coupled oscillators: their lags, their exact rates, and the travelling wave as their limit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import gaits
import gaits.feedback as fb
import hydro
import multibody as mb
from stepping import Marcher, Span, integrate


def states(oscillators, t1, samples=2):
    """The oscillators alone in time."""
    field = lambda t, memory: oscillators(t, {}, memory)[1]  # noqa: E731
    marcher = Marcher(None, None, 1e-10, 1e-12, None, 10_000, None, None)
    return jax.jit(lambda: integrate(field, oscillators.start(), Span(0.0, t1, samples), marcher).states)()


@pytest.fixture(scope="module")
def chain():
    return gaits.Oscillators.chain(6, 1.2, lag=-0.7, amplitude=0.8, phase=np.linspace(0.0, 2.0, 6))


def test_phase_lags_converge_to_those_imposed(chain):
    """From other phases, to 1e-6 rad; the amplitudes to R, and all oscillators at their common frequency."""
    end = jax.tree.map(lambda x: x[-1], states(chain, 60.0))
    np.testing.assert_allclose(np.diff(end.phase), -0.7, rtol=0, atol=1e-6)
    np.testing.assert_allclose(end.amplitude, 0.8, rtol=0, atol=1e-8)
    turning = chain(0.0, {}, end)[1].phase
    np.testing.assert_allclose(turning, 2 * np.pi * 1.2, rtol=0, atol=1e-6)


def test_amplitudes_are_critically_damped(chain):
    """r = R (1 - (1 + a t/2) e^(-a t/2)), the closed form."""
    record = states(chain, 1.0, 5)
    x = 5.0 * np.linspace(0.0, 1.0, 5)[:, None]
    np.testing.assert_allclose(record.amplitude, np.broadcast_to(0.8 * (1 - (1 + x) * np.exp(-x)), (5, 6)), atol=1e-8)


def hinge(k):
    return mb.revolute(axis=(0.0, 0.0, 1.0), name=f"hinge{k}")


def test_rates_are_exact_with_sensors_in_the_loop():
    """Joints driven by oscillators that feel them: the work of the motors is the kinetic energy, in the void."""
    links = [mb.Link("wall")]
    for k in range(2):
        parent = links[-1].name
        links.append(mb.Link(f"arm{k}", parent, hinge(k), mass=1.0, centre=(0.2, 0, 0), about_centre=0.01 * np.eye(3)))
    tree = mb.from_links(links, base="fixed")
    feels = lambda t, sensed: 3.0 * jnp.concatenate([sensed["joint_hinge1"], sensed["joint_hinge0"]])  # noqa: E731
    sensors = (fb.JointPosition("hinge0"), fb.JointPosition("hinge1"))
    chain = gaits.Oscillators.chain(2, 1.0, -0.5, 0.6, feedback=feels, sensors=sensors)
    law = gaits.Steered(lambda t, y: y, chain, servo=fb.Smooth())
    work = lambda t, state, q, dq, found: jnp.stack([found.torque @ dq])  # noqa: E731
    run = mb.rollout(tree, law, t1=1.0, samples=5, rtol=1e-9, atol=1e-11, integrand=work)
    energy = jax.vmap(lambda q, dq: mb.kinetic_energy(tree, mb.BaseState(), q, dq))(run.joints, run.joint_rates)
    assert float(energy.max()) > 0.05
    np.testing.assert_allclose(run.integrals[:, 0], energy, rtol=0, atol=1e-7)
    # The sensors do push the phases.
    assert float(jnp.max(jnp.abs(run.memory.controller.push))) > 0.1


WAVE = gaits.TravellingWave((0.8, 0.4), wavelength=1.6, period=1.0)


def driven(count):
    """The wave of `WAVE` by a settled chain on `count` nodes."""
    nodes = np.linspace(0.0, 2.0, count)
    lag = -2 * np.pi * (nodes[1] - nodes[0]) / 1.6
    phase = np.pi / 2 + lag * np.arange(count)  # sin(a) = cos(π/2 - a)
    chain = gaits.Oscillators.chain(count, 1.0, lag, 0.8 * nodes + 0.4, phase=phase, settled=True)
    return gaits.Steered(gaits.NodeStrain(nodes), chain, servo=fb.Smooth())


def test_the_strain_of_a_chain_tends_to_the_travelling_wave():
    """Strain and both rates, along the body: fourth order in the distance of the nodes."""
    X, t = jnp.linspace(0.0, 2.0, 41), jnp.array(0.3)

    def error(count):
        steered = driven(count)
        chain = steered.controller
        memory = chain.start()
        memory = type(memory)(memory.phase + 2 * jnp.pi * t, memory.amplitude, memory.growth, memory.push)
        y, dy = steered.servo.motion(t, (), chain, {}, memory)
        ddy, _ = steered.servo.acceleration(t, (), y, chain, {}, memory)
        at = lambda y: jax.vmap(lambda x: steered.law(x, t, y)[5])(X)  # noqa: E731
        wave = lambda t: jax.vmap(lambda x: WAVE(x, t))(X)  # noqa: E731
        rate = lambda t: jax.jvp(wave, (t,), (jnp.ones(()),))[1]  # noqa: E731
        exact = wave(t), rate(t), jax.jvp(rate, (t,), (jnp.ones(()),))[1]
        return [float(jnp.max(jnp.abs(at(v) - e))) for v, e in zip((y, dy, ddy), exact, strict=True)]

    coarse, fine = error(12), error(24)
    for one, other, size in zip(coarse, fine, (2.0, 12.6, 79.0), strict=True):
        assert one < 0.05 * size and other < one / 10  # 2⁴ for a spline of fourth order, with the ends


@pytest.mark.slow
def test_the_swim_of_a_chain_tends_to_that_of_the_travelling_wave():
    eel, water = cosserat.eel(), hydro.Morison()
    wave = cosserat.rollout(eel, gaits.planar_bending(WAVE), water, t1=1.0, samples=3)
    away = [
        float(jnp.max(jnp.abs(cosserat.rollout(eel, driven(n), water, t1=1.0, samples=3).position - wave.position)))
        for n in (10, 20)
    ]
    assert away[0] < 0.02 and away[1] < away[0] / 8


@pytest.mark.slow
def test_gradients_through_oscillators_are_central_differences():
    """By frequency, lag and coupling of a chain that drives a tree, on equal steps."""
    import diffrax

    links = [mb.Link("head", mass=1.0, about_centre=0.01 * np.eye(3))]
    for k in range(2):
        parent = links[-1].name
        links.append(mb.Link(f"arm{k}", parent, hinge(k), mass=1.0, centre=(0.2, 0, 0), about_centre=0.01 * np.eye(3)))
    tree = mb.from_links(links)

    def turned(p):
        chain = gaits.Oscillators.chain(2, p[0], p[1], 0.6, p[2], phase=0.0)
        law = gaits.Steered(lambda t, y: y, chain, servo=fb.Smooth())
        steps = {"controller": diffrax.ConstantStepSize(), "dt0": 0.05}
        end = mb.rollout(tree, law, t1=0.5, samples=2, **steps)
        return end.twist[-1, 5] + end.position[-1, 0]

    turned = jax.jit(turned)
    at, h = jnp.array([1.0, -0.6, 4.0]), 1e-4
    found = jax.grad(turned)(at)
    for k in range(3):
        step = h * jnp.eye(3)[k]
        central = float(turned(at + step) - turned(at - step)) / (2 * h)
        assert abs(float(found[k]) - central) <= 1e-6 * max(1.0, abs(central))


def test_bad_oscillators_are_refused():
    with pytest.raises(ValueError, match="count = 1: must be an integer of at least 2"):
        gaits.Oscillators.chain(1, 1.0, 0.1, 1.0)
    with pytest.raises(ValueError, match=r"frequency has shape \(3,\): must be one number or 4"):
        gaits.Oscillators.chain(4, [1.0, 2.0, 3.0], 0.1, 1.0)
    with pytest.raises(ValueError, match="nothing reads them"):
        gaits.Oscillators.chain(4, 1.0, 0.1, 1.0, sensors=(fb.Heading(),))
    with pytest.raises(ValueError, match="NodeStrain has 3 nodes: the command has 4"):
        gaits.NodeStrain([0.0, 1.0, 2.0])(0.1, 0.0, jnp.zeros(4))
