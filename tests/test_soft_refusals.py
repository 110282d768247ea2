"""What no soft beam can be is refused in words: which argument, its value, the rule."""

import jax.numpy as jnp
import pytest

import cosserat
import hydro

ROD = cosserat.rod(1.0, 0.02, 0.04)
K3 = cosserat.FreeStrains(modes={"K3": 2})
LAW = cosserat.Elastic(1e5)


@pytest.mark.parametrize(
    "build, words",
    [
        (lambda: cosserat.FreeStrains(0.5, 0.2), "must run towards the tail"),
        (lambda: cosserat.FreeStrains(modes={"K4": 2}), "strains are G1, G2, G3, K1, K2, K3"),
        (lambda: cosserat.FreeStrains(modes={"K3": -1}), "integer of at least 0"),
        (lambda: cosserat.Soft(ROD, cosserat.FreeStrains(0.5, 1.7), LAW), "must lie on the body, from 0 to 1 m"),
        (lambda: cosserat.Soft(ROD, cosserat.FreeStrains(1.2), LAW), "must lie on the body"),
        (lambda: cosserat.Soft(ROD, [K3, cosserat.FreeStrains(0.5, modes={"K3": 1})], LAW), "free twice"),
        (
            lambda: cosserat.Soft(
                ROD,
                cosserat.FreeStrains(
                    modes={"K3": 3}, basis=cosserat.Functions(lambda x: jnp.stack([1.0 + 0 * x, x, 1.0 - x]))
                ),
                LAW,
            ),
            "linearly dependent",
        ),
        (
            lambda: cosserat.Soft(
                ROD,
                cosserat.FreeStrains(modes={"K3": 1}, basis=cosserat.Functions(lambda x: jnp.stack([0.0 * x]))),
                LAW,
            ),
            "linearly dependent",
        ),
        (lambda: cosserat.Elastic(-1.0), "Elastic.young"),
        (lambda: cosserat.Elastic(1.0, poisson=0.7), "between -1 and 0.5"),
        (lambda: cosserat.Elastic(1.0, poisson=0.3, shear=1.0), "both given"),
        (lambda: cosserat.Springs([1, 1, 1, 1, 1, -2.0]), "not negative"),
        (
            lambda: cosserat.Soft(ROD, K3, cosserat.Springs(lambda X: jnp.ones(6) * (0.5 - X))),
            "must be finite and not negative",
        ),
        (
            lambda: cosserat.Soft(
                ROD, K3, LAW, head=cosserat.Clamped(), loads=cosserat.EndLoad(force=[0, 1.0, 0], at="head")
            ),
            "does nothing to a head that is Clamped",
        ),
        (lambda: cosserat.Soft(ROD, K3, 1e5), "must be a law"),
        (lambda: cosserat.Soft("eel", K3, LAW), "must be a cosserat.Beam"),
        (lambda: cosserat.Soft(ROD, K3, LAW, loads=[hydro.Void()]), "must be a cosserat.EndLoad"),
        (lambda: cosserat.EndLoad(at="middle"), "must be one of 'tail', 'head'"),
        (lambda: cosserat.Moved(3.0), "must be a callable"),
        (lambda: cosserat.equilibrium(cosserat.Soft(ROD, K3, LAW)), "the head is free to drift"),
        (lambda: cosserat.rollout(cosserat.Soft(ROD, K3, LAW), None, dense=True), "no continuous output"),
        (
            lambda: cosserat.rollout(
                cosserat.Soft(ROD, K3, LAW), None, hydro.Void(), 1.0, state=cosserat.SoftState([0.0, 0.0, 0.0])
            ),
            "must be (2,), one for each mode",
        ),
        (
            lambda: cosserat.rollout(cosserat.Soft(ROD, K3, LAW), None, hydro.Void(), 1.0, method="magic"),
            "must be one of 'adaptive', 'implicit'",
        ),
        (
            lambda: cosserat.rollout(cosserat.Soft(ROD, K3, LAW), None, hydro.Void(), 1.0, path=cosserat.Nested()),
            "a soft beam needs cosserat.Panels",
        ),
    ],
)
def test_refused_in_words(build, words):
    with pytest.raises(ValueError, match=".*" + words.replace("(", r"\(").replace(")", r"\)")):
        build()


def test_newton_that_cannot_converge_raises_in_words():
    """No stiffness against the load at all: singular, said, and nothing NaN without `throw`."""
    soft = cosserat.Soft(
        ROD,
        K3,
        cosserat.Springs([1, 1, 1, 1, 1, 0.0]),
        head=cosserat.Clamped(),
        loads=cosserat.EndLoad(moment=[0, 0, 1.0]),
    )
    with pytest.raises(Exception, match="no equilibrium was found"):
        cosserat.equilibrium(soft)
    found = cosserat.equilibrium(soft, throw=False)
    assert not bool(found.converged)
    assert bool(jnp.all(jnp.isfinite(found.q)))


@pytest.mark.parametrize(
    "body",
    [{"density": 0.0}, {"density": lambda X: jnp.where(X < 0.5, 1000.0, 0.0)}, {"b": 0.0}],
    ids=("no density", "no density behind", "no width"),
)
def test_a_body_without_inertia_is_refused_before_its_strains_are_free(body):
    """No section is without inertia, so that a free strain without stiffness still has an equation of motion."""
    with pytest.raises(ValueError, match="must be finite and positive"):
        cosserat.rod(**{"length": 1.0, "b": 0.02, "c": 0.04, "density": 1000.0, **body})


@pytest.mark.slow
def test_a_free_strain_without_stiffness_moves_freely():
    """A limp tail: finite accelerations; nothing NaN."""
    soft = cosserat.Soft(ROD, cosserat.FreeStrains(0.5, modes={"K3": 2}), cosserat.Springs(0.0))
    run = cosserat.rollout(soft, None, hydro.Morison(), 0.1, state=cosserat.SoftState([1.0, 0.5]), samples=2, dt0=0.05)
    assert bool(run.succeeded) and bool(jnp.all(jnp.isfinite(run.q)))
