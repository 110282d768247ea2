"""Joint laws that are not smooth in time, or no motion late in a run, are found before the run; refusals of a run reach
whatever of it is used."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hydro
import multibody as mb
from gaits.impulse_balance import JUMP, balance_of
from multibody.law_in_time import JointsInTime
from spatial import quaternion_exp

pytestmark = pytest.mark.slow

T = np.linspace(0.0, 2.0, 41)


def machine(joint, mass=1.0):
    arm = mb.Link("arm", "base", joint, mass=mass, centre=(0.3, 0.0, 0.0), about_centre=0.02 * np.eye(3))
    return mb.from_links([mb.Link("base", mass=2.0, about_centre=0.05 * np.eye(3)), arm])


HINGE, SLIDE, BALL = (machine(joint(name="shoulder")) for joint in (mb.revolute, mb.prismatic, mb.spherical))


class Law(eqx.Module):
    """One kind of time dependence of one joint."""

    kind: str = eqx.field(static=True)
    ball: bool = eqx.field(static=True, default=False)

    def __call__(self, t):
        angle = {
            "smooth": lambda: jnp.sin(2 * jnp.pi * t),
            "table": lambda: jnp.interp(t, T, np.sin(2 * np.pi * T)),
            "abs": lambda: jnp.abs(jnp.sin(2 * jnp.pi * t)),
            "jump": lambda: jnp.where(t < 0.777, 0.0, 0.5) + jnp.sin(2 * jnp.pi * t),
            "second rate jumps": lambda: jnp.where(t < 0.777, 0.0, (t - 0.777) ** 2) + jnp.sin(2 * jnp.pi * t),
            "whole turns": lambda: jnp.mod(20.0 * t, 2 * jnp.pi),
            "late nan": lambda: jnp.where(t < 1.9, 1.0, jnp.nan),
        }[self.kind]()
        if not self.ball:
            return angle[None]
        # The sign of a quaternion means nothing: it changes once.
        return jnp.where(t < 1.234, 1.0, -1.0) * quaternion_exp(angle * jnp.array([0.6, 0.0, 0.8]))


CASES = [
    *((kind, "revolute", False) for kind in ("smooth", "second rate jumps", "whole turns")),
    *((kind, "revolute", True) for kind in ("table", "abs", "jump")),
    *(("smooth", kind, False) for kind in ("prismatic", "helical", "spherical")),
    *(("abs", kind, True) for kind in ("prismatic", "helical", "spherical")),
    ("whole turns", "prismatic", True),
]


@pytest.mark.parametrize("kind, joint, kinked", CASES)
def test_jumps_of_bodies_are_told_from_all_else(kind, joint, kinked):
    motion = JointsInTime(Law(kind, joint == "spherical"), (joint,))
    found = float(balance_of(motion, motion.groups, jnp.asarray(0.0), jnp.asarray(2.0)).jump)
    assert found > 10 * JUMP if kinked else found < 0.1 * JUMP


def drift(law, **options):
    """Greatest momentum of a machine that starts at rest in vacuum."""
    # From rest: the momentum of the arm's own motion is in the first record.
    run = mb.rollout(HINGE, law, t1=0.4, t0=0.05, samples=4, rtol=1e-9, atol=1e-11, **options)
    momenta = jax.vmap(lambda k: mb.momentum(HINGE, run.state(k), run.joints[k], run.joint_rates[k]))(jnp.arange(4))
    return float(jnp.abs(momenta - momenta[:1]).max())


def test_what_warns_loses_momentum_and_a_smooth_law_does_not():
    """Before: a table read by `jnp.interp` moved the machine without a word."""
    with pytest.warns(UserWarning, match="law: it is not smooth in time.*jnp.interp"):
        kinked = drift(Law("table"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smooth = drift(Law("smooth"))
    assert kinked > 1e-2 and smooth < 1e-5 * kinked


@pytest.mark.parametrize("run", [mb.rollout, mb.march, mb.simulate])
def test_positions_that_are_none_late_in_a_run_are_found_before_it(run):
    with pytest.raises(ValueError, match=r"law at t = 1\.9.* s gives \[nan\]: must be finite"):
        run(HINGE, Law("late nan"), t1=2.0)
    with pytest.raises(ValueError, match=r"law at t = 0\.2\d+ s gives joint 'shoulder' the quaternion .*unit norm"):
        run(BALL, lambda t: quaternion_exp(jnp.array([0.1, 0.0, 0.0])) * (1.0 + 1e-5 * t * t), t1=2.0)


def test_fixed_steps_warn_too():
    for run in (
        lambda: mb.march(HINGE, Law("abs"), t1=0.6, t0=0.4, dt=0.1),
        lambda: mb.stiff_march(HINGE, Law("abs"), t0=0.4, dt=0.1, steps=2),
    ):
        with pytest.warns(UserWarning, match="law: it is not smooth in time"):
            run()


@pytest.mark.parametrize("used", ["joints", "position", "joint_rates", "twist"])
def test_refusals_reach_whatever_is_used_of_a_compiled_run(used):
    """Before: the refusal stood at the twist alone, and was dropped with it where only the joints were used."""

    @jax.jit
    def swing(late):
        law = lambda t: jnp.sin(t)[None] + jnp.where(t > late, jnp.nan, 0.0)  # noqa: E731
        return getattr(mb.rollout(HINGE, law, hydro.Void(), 1.0, samples=3, max_steps=200), used)

    assert np.isfinite(swing(9.0)).all()
    with pytest.raises(Exception, match="positions of the joints must be finite at all times"):
        swing(0.6).block_until_ready()


def test_too_few_steps_are_told_where_only_the_joints_are_used():
    run = jax.jit(lambda steps: mb.rollout(HINGE, Law("smooth"), t1=1.0 * steps, samples=3, max_steps=4).joints)
    with pytest.raises(Exception, match="did not reach t1"):
        run(50.0).block_until_ready()


def test_a_bad_row_of_a_batch_is_marked():
    def run(late):
        law = lambda t: jnp.sin(t)[None] + jnp.where(t > late, jnp.nan, 0.0)  # noqa: E731
        return mb.rollout(HINGE, law, hydro.Void(), 1.0, samples=3, max_steps=200, throw=False).succeeded

    assert jax.jit(jax.vmap(run))(jnp.array([9.0, 0.6])).tolist() == [True, False]
