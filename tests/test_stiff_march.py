"""Steps implicit in the joints: equal to explicit ones where those can go, and stable where they cannot."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import multibody as mb
from anguilla.robots.moth import READINGS, MothParameters, StrokeLaw, model as moth

pytestmark = pytest.mark.slow

PERIOD = 0.04


def flown(sections, steps, strokes=1.0, damping=1e-5):
    numbers = MothParameters(damping=damping)
    tree, law = moth(sections, "BT9", numbers), StrokeLaw(numbers.amplitude, numbers.frequency)
    air = READINGS["BT9"].air()
    count = round(strokes * steps)
    return (
        tree,
        law,
        air,
        mb.stiff_march(tree, law, air, dt=PERIOD / steps, steps=jnp.asarray(count), gravity=(0.0, 0.0, -9.81)),
    )


def test_it_is_the_motion_of_explicit_steps():
    tree, law, air, ours = flown(2, 400)
    known = mb.march(tree, law, air, PERIOD, dt=PERIOD / 1600, every=1600, gravity=(0.0, 0.0, -9.81))
    # Of both: the kinks of the loads, and the order of the explicit one.
    assert np.abs(ours.joints[-1] - known.joints[-1]).max() < 1e-6
    assert np.abs(ours.position[-1] - known.position[-1]).max() < 1e-8
    assert np.abs(ours.twist[-1] - known.twist[-1])[:3].max() < 1e-6
    assert ours.steps[0] == 400 and bool(ours.succeeded)


def test_dampers_that_would_explode_explicit_steps():
    # A thousand times the damping: explicit steps of this length would be unstable many times over.
    runs = [flown(2, steps, damping=1e-2)[3] for steps in (100, 400)]
    assert all(bool(run.succeeded) for run in runs)
    assert np.abs(runs[0].joints[-1] - runs[1].joints[-1]).max() < 1e-4
    tree, law, air, _ = flown(2, 100, damping=1e-2)
    explicit = mb.march(tree, law, air, PERIOD, dt=PERIOD / 400, every=400)
    assert not bool(explicit.succeeded)


def test_order_five_of_a_smooth_motion():
    """In the void nothing has a kink: halving the step divides the error by 32."""
    tree = moth(1, "BT9", MothParameters(damping=1e-4))
    law = StrokeLaw(jnp.asarray(0.5), jnp.asarray(2 * np.pi / PERIOD))
    runs = [
        mb.stiff_march(tree, law, None, dt=PERIOD / n, steps=jnp.asarray(n)).joints[-1] for n in (50, 100, 200, 800)
    ]
    errors = [float(jnp.abs(x - runs[-1]).max()) for x in runs[:-1]]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > 4.5), orders


def test_a_batch_of_runs_ends_and_is_the_runs():
    """Eighty runs of wings of four sections at once: no factorisation waits for another one."""
    tree, air = moth(4, "BT9"), READINGS["BT9"].air()

    def end(amplitude):
        law = StrokeLaw(amplitude, jnp.asarray(50 * np.pi))
        return mb.stiff_march(tree, law, air, dt=1e-4, steps=2).joint_rates[-1]

    amplitudes = jnp.linspace(0.5, 0.9, 80)
    batch = jax.jit(jax.vmap(end))(amplitudes)
    for k in (0, 41):
        np.testing.assert_allclose(batch[k], end(amplitudes[k]), rtol=1e-9, atol=1e-9 * float(jnp.abs(batch[k]).max()))


def test_derivative_is_that_of_the_steps():
    end = lambda damping: flown(2, 100, 0.25, damping)[3].joints[-1]  # noqa: E731
    value, h = jnp.asarray(1e-5), 1e-9
    slope = jax.jit(lambda mu: jax.jvp(end, (mu,), (jnp.ones(()),))[1])(value)
    differenced = (end(value + h) - end(value - h)) / (2 * h)
    np.testing.assert_allclose(slope, differenced, rtol=1e-5, atol=1e-5 * float(jnp.abs(slope).max()))


def test_refusals():
    tree = moth(1, "BT9")
    law = StrokeLaw(jnp.asarray(0.5), jnp.asarray(100.0))
    with pytest.raises(ValueError, match="records = 0"):
        mb.stiff_march(tree, law, dt=1e-4, steps=3, records=0)
    with pytest.raises(ValueError, match="dt = -1.0"):
        mb.stiff_march(tree, law, dt=-1.0, steps=3)
    ball = mb.Tree(["a", "b"], [0], [mb.spherical(name="ball", actuated=False)], jnp.stack([jnp.eye(6)] * 2))
    with pytest.raises(ValueError, match="spherical joints that are passive: must float"):
        mb.stiff_march(ball, None, dt=1e-3, steps=3)
