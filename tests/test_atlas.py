"""The atlas of published swimmers: its halves, the computed eel beside independent figures, chains, filament, words."""

import jax.numpy as jnp
import numpy as np
import pytest

import cosserat
import multibody
from validation import atlas
from validation.atlas import chains, curve, filament
from validation.atlas.kern_koumoutsakos import FAST, REFERENCE
from validation.atlas.swimmer import Figure
from validation.atlas.verdicts import names
from validation.atlas.water import water

INDEPENDENT = 1e-2  # of the independent program's speeds, which are given to three digits


# Halves and verdicts


def test_every_swimmer_is_in_one_half_and_both_halves_have_figures():
    assert not set(atlas.FIXED) & set(atlas.JUDGED)
    without = {swimmer.name for swimmer in atlas.SWIMMERS if swimmer.speed is None}
    assert {name for name in names() if atlas.role(name) == "-"} == without
    assert {*atlas.FIXED, *atlas.JUDGED} == {*names()} - without
    with pytest.raises(ValueError, match="swimmer 'trout': must be one of kern-reference, kern-fast"):
        atlas.role("trout")


def _row(swimmer, speed, converged=True):
    return atlas.Swum(swimmer, atlas.CHOSEN_RULE, atlas.CROSS_FLOW, speed, 3000.0, 0.6, 0.7, 1e-3, converged)


def test_misfit_of_a_choice_of_coefficients():
    assert REFERENCE.speed is not None and FAST.speed is not None
    speeds = [1.1 * REFERENCE.speed.value, FAST.speed.value / 1.2]
    rows = tuple(_row(swimmer, speed) for swimmer, speed in zip((REFERENCE, FAST), speeds, strict=True))
    misfit = atlas.Candidate("hold", 0.5, rows).misfit
    assert abs(misfit - np.sqrt((np.log(1.1) ** 2 + np.log(1.2) ** 2) / 2.0)) < 1e-12
    assert atlas.Candidate("hold", 0.5, (*rows[:1], _row(FAST, 0.4, converged=False))).misfit == np.inf
    assert "kern-fast" in atlas.candidate_table([atlas.Candidate("hold", 0.5, rows)])


def test_verdicts_and_words():
    known = {swimmer.name: swimmer for swimmer in atlas.SWIMMERS}
    carling = known["carling"]
    rows = [_row(carling, 0.41), _row(REFERENCE, 0.42), _row(FAST, 0.42), _row(known["ibamr-eel"], 0.4)]
    assert [row.verdict for row in rows] == ["misfit", "within 15%", "within 15%", "no published speed"]
    assert carling.speed is not None and not carling.speed.from_memory
    text = atlas.table(rows)
    assert "0.40*" in text and "quoted from memory" in text and "misfit: the source is two-dimensional" in text
    words = atlas.notes(rows)
    assert f"fast over reference motion, {atlas.CHOSEN_RULE}: 1.00 (published 1.18" in words
    assert "Chosen: the shedding rule" in words and "Not in the atlas" in words and "first\nhalf" in words
    figure = Figure(0.2, "m/s", "a source", from_memory=True)
    found = atlas.Curves(
        "amphibot",
        (),
        (
            curve.trend("speed rises", "0.1, 0.2", curve.rises([0.1, 0.2])),
            curve.trend("speed falls", "0.1, 0.2", curve.rises([-0.1, -0.2])),
            curve.value("greatest speed", 0.22, figure),
        ),
    )
    assert [claim.holds for claim in found.claims] == [True, False, True]
    assert "greatest speed *: 0.22 against 0.2 m/s" in atlas.curve_table([found])
    tally = atlas.tally(rows, [found])
    assert "first half: 2 of 2 figures within 15%" in tally
    assert "second half: 1 of 2 figures within 15%, 1 of 2 trends as published" in tally


def test_refusals():
    with pytest.raises(ValueError, match="swimmer 'trout': must be one of kern-reference, kern-fast"):
        atlas.swum(["trout"])
    with pytest.raises(ValueError, match="rule = 'wu': must be one of"):
        atlas.swum([REFERENCE.name], ["wu"])


def test_peaks_of_a_curve():
    x = np.linspace(0.0, 2.0, 9)
    assert np.allclose(curve.peaks(x, -((x - 0.7) ** 2)), [0.7])
    assert curve.peaks(x, x) == [] and curve.rises(x) and not curve.rises([1.0, 1.0])


# The computed eel


@pytest.mark.slow
@pytest.mark.parametrize("rule", atlas.RULES)
def test_speeds_of_the_computed_eel(rule):
    for swimmer in (REFERENCE, FAST):
        row = atlas.swim(swimmer, rule, cross_flow=0.5)  # the independent program's
        print(f"{swimmer.name}, {rule}: {row.speed:.4f}, independent {swimmer.independent[rule]:.3f}")
        assert row.converged
        assert row.against_independent is not None and abs(row.against_independent) < INDEPENDENT
        assert 0.5 < row.efficiency < 1.0
        assert 0.2 < row.strouhal < 1.0


# Chains


@pytest.mark.slow
def test_the_steady_swim_of_a_chain_repeats_in_a_simulation():
    """Adaptive steps from the start of the period come back to it; 48 equal steps of order 5 err by some 1e-6."""
    robot = chains.AMPHIBOT_ROBOT
    tree = multibody.from_beam(cosserat.rod(robot.length, robot.width, robot.height), robot.links)
    law = chains.PhaseLag(jnp.deg2rad(40.0), jnp.asarray(1.0), jnp.asarray(1.0), robot.links - 1)
    fluid = water(robot.length, 1000.0, 1.0e-6, 0.2, None)
    swim = chains.steady_chain(tree, law, multibody.immerse(tree, fluid), law.period, jnp.asarray(0.2))
    assert float(swim.multiplier) < 1.0
    start = multibody.BaseState(twist=swim.twist)
    run = multibody.rollout(tree, law, fluid, 2.0, times=[0.0, 1.0, 2.0], state=start, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(run.twist[1:], np.stack([swim.twist] * 2), atol=1e-4)
    moved = np.linalg.norm(np.diff(run.position, axis=0), axis=1)
    print(
        f"steady {float(swim.speed):.5f} m/s, simulated {moved} m in a second, multiplier {float(swim.multiplier):.3f}"
    )
    np.testing.assert_allclose(moved, swim.speed, rtol=1e-4)


def test_joints_follow_each_other():
    law = chains.PhaseLag(jnp.asarray(0.5), jnp.asarray(2.0), jnp.asarray(1.5), 6)
    q = np.asarray(law(jnp.asarray(0.3))).reshape(6, 4)
    angle = 2.0 * np.arctan2(q[:, 3], q[:, 0])
    assert np.allclose(angle, 0.5 * np.sin(2.0 * np.pi * (0.15 - 0.25 * np.arange(6))), atol=1e-12)


# Filament


def test_travelling_share_of_known_waves():
    """Of a exp(i(kx - t)) + b exp(i(kx + t)) over whole wave lengths it is |a - b|/(a + b)."""
    x, t = np.arange(64) / 64.0, np.arange(40) / 40.0
    phase = lambda sign: np.cos(2.0 * np.pi * (x[None, :] - sign * t[:, None]))  # noqa: E731
    for a, b in ((1.0, 0.0), (1.0, 1.0), (0.3, 0.5)):
        share = filament.travelling_share(jnp.asarray(a * phase(1.0) + b * phase(-1.0)))
        assert abs(share - abs(a - b) / (a + b)) < 1e-7  # the square root of round-off


@pytest.mark.slow
def test_the_filament_has_the_natural_frequencies_it_is_scaled_with():
    """Rotary inertia lowers ω² by about (β r/2L)² < 1.5 % for the second mode, which is not scaled away."""
    soft = filament.filament(jnp.asarray(2.0))
    medium = water(1.0, 1.0, 1e-4, 0.3, None)
    omega = np.asarray(cosserat.natural_modes(soft, medium).frequency)
    omega = omega[omega > 1e-3 * omega.max()][:2]
    expected = np.pi * (np.asarray(filament.BETA[:2]) / filament.BETA[0]) ** 2
    assert np.allclose(omega, expected, rtol=0.015)
