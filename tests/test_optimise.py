"""The optimiser on problems whose solutions are known: bounds, constraints, starts, logs, refusals."""

import dataclasses
import json
from types import SimpleNamespace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import cosserat
import gaits
import hydro
from anguilla import view
from anguilla.cli import main
from anguilla.robots import vertebra
from anguilla.studies.cma_comparison import against_cma
from anguilla.studies.gait_search import with_workspace, workspace_margin

WAVE = gaits.TravellingWave([1.0, 2.0], 1.0, 1.0)
BOUNDS = {"amplitude": (-2.0, 2.5), "wavelength": (0.1, 2.0)}
ROSENBROCK = gaits.quantity(
    "valley",
    "J",
    lambda a, wavelength: (1 - a[0]) ** 2 + 100 * (a[1] - a[0] ** 2) ** 2 + (wavelength - 0.3) ** 2,
    *("amplitude", "wavelength"),
)
CIRCLE = gaits.quantity("circle", "1", lambda a: jnp.sum(a**2), "amplitude")


def search(objective=ROSENBROCK, parameters=None, **options):
    return gaits.optimise(objective, WAVE, parameters or BOUNDS, **({"progress": False} | options))


def test_valley():
    found = search(tolerance=1e-12)
    assert np.abs(found.best - [1.0, 1.0, 0.3]).max() < 1e-4 and found.value < 1e-9 and found.success
    assert np.abs(found.gait.amplitude - jnp.ones(2)).max() < 1e-4 and found.gait.period == 1.0
    assert "valley" in str(found) and "100.49" in str(found) and "amplitude[1]" in str(found)
    assert len(found.plot().axes) == 2


def test_the_figure_shows_parameters_within_their_bounds_whatever_their_scale():
    found = search(parameters={"wavelength": (0.1, 2.1, 0.5)})
    drawn = found.plot().axes[1].lines[0].get_ydata()
    assert np.abs(drawn[-1] - (found.history[-1].x[0] * 0.5) / 2.0) < 1e-12
    assert abs(drawn[np.argmin([e.values[0] for e in found.history])] - (found.best[0] - 0.1) / 2.0) < 1e-12


def test_the_figure_counts_evaluations_in_whole_numbers_and_has_the_common_style():
    found = search(parameters={"wavelength": (0.1, 2.1, 0.5)})
    figure = dataclasses.replace(found, history=found.history[:2], value=found.history[1].values[0]).plot()
    figure.draw_without_rendering()
    for ax in figure.axes:
        low, high = ax.get_xlim()
        assert [tick for tick in ax.get_xticks() if low <= tick <= high] == [1.0, 2.0]
        assert not ax.spines["top"].get_visible() and ax.xaxis.get_gridlines()[0].get_visible()


def test_a_quantity_to_maximise_is_printed_with_its_own_sign():
    hill = gaits.quantity("height", "m", lambda wavelength: 2.0 - (wavelength - 0.3) ** 2, "wavelength")
    found = search(-hill, {"wavelength": (0.1, 2.1)})
    assert found.objective == "-height" and str(found).splitlines()[0].split() == (
        ["height,", "maximised", f"{-found.before:.6g}", "->", "2", "m"]
    )


def test_bounds_hold():
    """The valley kept out of its minimum; a plain function of the pytree is an objective too."""

    def valley(wave):
        a = wave.amplitude
        return (1 - a[0]) ** 2 + 100 * (a[1] - a[0] ** 2) ** 2

    wave = gaits.TravellingWave([2.0, 2.0], 1.0, 1.0)
    bounds = {"amplitude[0]": (1.2, 3.0), "amplitude[1]": (-1.0, 3.0)}
    found = gaits.optimise(valley, wave, bounds, progress=False, tolerance=1e-12)
    assert found.best[0] == 1.2 and abs(found.best[1] - 1.44) < 1e-5 and "at its bound" in str(found)
    assert all((e.x >= 0).all() and (e.x <= 1).all() for e in found.history)


@pytest.mark.parametrize("method", ["slsqp", "trust-constr"])
def test_a_constraint_that_binds(method):
    """In the unit circle; the optimum by Newton's method on the Lagrangian, here, by hand."""
    found = search(method=method, constraints=[CIRCLE.at_most(1.0)], infeasible_start="accept", max_iterations=300)
    x = np.array([0.8, 0.6, 0.5])
    for _ in range(20):
        a, b, m = x
        gradient = np.array([-2 * (1 - a) - 400 * a * (b - a * a) + 2 * m * a, 200 * (b - a * a) + 2 * m * b])
        slope = np.array(
            [
                [2 - 400 * (b - 3 * a * a) + 2 * m, -400 * a, 2 * a],
                [-400 * a, 200 + 2 * m, 2 * b],
                [2 * a, 2 * b, 0.0],
            ]
        )
        x = x - np.linalg.solve(slope, np.array([*gradient, a * a + b * b - 1]))
    assert np.abs(found.best[:2] - x[:2]).max() < 2e-4
    assert found.violation <= 1e-6 and found.limits[0].active and abs(found.limits[0].after[0] - 1.0) < 1e-4


def test_equations_and_watched_quantities():
    found = search(constraints=[CIRCLE.equal_to(2.5), gaits.quantity("a", "1", lambda a: a, "amplitude").watched()],
                   infeasible_start="accept")  # fmt: skip
    assert abs(found.best[0] ** 2 + found.best[1] ** 2 - 2.5) < 1e-5
    assert np.abs(found.limits[1].after - found.best[:2]).max() < 1e-12


def test_many_starts_in_one_batch():
    """A function with a poor minimum near the start and a better one far from it."""
    two = gaits.quantity("two wells", "1", lambda w: (w**2 - 1) ** 2 + 0.3 * w, "wavelength")
    wave = gaits.TravellingWave(1.0, 0.9, 1.0)
    one = gaits.optimise(two, wave, {"wavelength": (-2.0, 2.0)}, progress=False)
    many = gaits.optimise(two, wave, {"wavelength": (-2.0, 2.0)}, starts=6, progress=False)
    assert one.best[0] > 0.8 and many.best[0] < -0.9 and many.value < one.value - 0.4
    assert {e.start for e in many.history} == set(range(6))


def test_optax():
    found = search(method=optax.adam(0.02), max_iterations=400, parameters={"wavelength": (0.1, 2.0)})
    assert abs(found.best[0] - 0.3) < 1e-3
    short = search(method=optax.adam(0.02), max_iterations=3, parameters={"wavelength": (0.1, 2.0)})
    assert not short.success and "max_iterations" in short.message
    at_bound = search(method="adam", max_iterations=200, parameters={"wavelength": (0.5, 2.0)})
    assert at_bound.best[0] == 0.5
    with pytest.raises(ValueError, match="'adam': does not support constraints"):
        search(method="adam", constraints=[CIRCLE.at_most(9.0)])


def test_no_number_cuts_the_step():
    """Beyond 1.2 there is no value; the optimum is at 1.1."""
    objective = gaits.quantity("cliff", "1", lambda w: jnp.where(w < 1.2, (w - 1.1) ** 2, jnp.nan), "wavelength")
    wave = gaits.TravellingWave(1.0, 0.1, 1.0)
    found = gaits.optimise(objective, wave, {"wavelength": (0.0, 9.0)}, progress=False, tolerance=1e-12)
    assert abs(found.best[0] - 1.1) < 1e-4
    assert found.cut == sum(not np.isfinite(e.values[0]) for e in found.history)


def test_beam_and_gait_together():
    """Two pytrees at once: names tell them apart."""
    pair = (WAVE, gaits.Start(0.0, 1.0))
    objective = lambda both: (both[0].wavelength - both[1].span[1] + 1) ** 2 + (both[1].span[1] - 1.5) ** 2  # noqa: E731
    found = gaits.optimise(objective, pair, {"wavelength": (0.1, 2), "span[1]": (0.5, 3)}, progress=False)
    assert np.abs(found.best - [0.5, 1.5]).max() < 1e-4
    with pytest.raises(ValueError, match="is ambiguous"):
        gaits.optimise(objective, (WAVE, WAVE), {"period": (0.1, 2)}, progress=False)


def test_a_log_answers_for_a_killed_run(tmp_path):
    whole = search(log=tmp_path / "whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_text().splitlines()
    assert len(lines) == 1 + whole.evaluations
    part = tmp_path / "part.jsonl"
    part.write_text("\n".join(lines[:8]) + '\n{"start": 0, "x": [0.')  # killed in the middle of a line
    again = search(log=part)
    assert again.replayed == 7 and again.evaluations == whole.evaluations
    for one, other in zip(whole.history, again.history, strict=True):
        assert one.x.tobytes() == other.x.tobytes() and one.values.tobytes() == other.values.tobytes()

    def strip(text):
        return [{k: v for k, v in json.loads(line).items() if k not in ("time", "seal")} for line in text.splitlines()]

    assert strip(part.read_text()) == strip((tmp_path / "whole.jsonl").read_text())
    before = part.read_bytes()
    with pytest.raises(ValueError, match=r"was written by another optimisation \(high was"):
        search(log=part, parameters={"amplitude": (-2.0, 3.0), "wavelength": (0.1, 2.0)})
    assert part.read_bytes() == before
    (tmp_path / "letter.txt").write_text("Dear Sir")
    with pytest.raises(ValueError, match="is not the log of an optimisation"):
        search(log=tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text() == "Dear Sir"


def test_gradients_against_an_evolution_strategy(tmp_path):
    """On the valley, whose optimum is known: both get there, and the account of rollouts is right."""
    options = {"budget": 3000, "starts": 2, "screen": 9, "seeds": 2, "logs": tmp_path, "progress": False}
    raised = ROSENBROCK + gaits.quantity("one", "J", lambda a: 1.0 + 0.0 * a[0], "amplitude")
    found, again = (against_cma("valley", raised, WAVE, BOUNDS, None, **options) for _ in range(2))
    assert abs(found.least - 1.0) < 1e-5 and found.as_good and found.successes(found.gradients) == 2
    for run, other in zip((*found.gradients, *found.strategy), (*again.gradients, *again.strategy), strict=True):
        assert (np.diff(run.history) <= 0).all() and run.history.tobytes() == other.history.tobytes()
        assert run.reached(run.value) == np.flatnonzero(run.history <= run.value * (1 + 1e-4))[0] + 1
        assert run.reached(0.5) is None
    ends = [run.reached(found.least) for run in found.gradients]
    spent = [9 + 3.0 * (end - 9) for end in ends]
    assert found.expected(found.gradients) == sum(ends) / 2 and found.expected(found.gradients, 3.0) == sum(spent) / 2
    whole = [len(run.history) / found.successes(found.strategy) for run in found.strategy]
    assert abs(found.expected(found.strategy, whole=True) / sum(whole) - 1.0) < 1e-12
    assert found.ratio() > 3.0 and "ratio" in str(found) and found.price > 0.0
    assert len(view.optimisers_compared([found, found]).axes) == 2


def test_a_rollout_with_the_adjoint_of_reverse_mode_is_refused_in_words():
    rod, bending = cosserat.rod(1.0, 0.02, 0.03), lambda w: gaits.planar_bending(w)
    swim = lambda wave: cosserat.rollout(rod, bending(wave), hydro.Void(), 0.1, samples=2)  # noqa: E731
    place = lambda run: run.position[-1, 0]  # noqa: E731
    for starts in (1, 2):
        with pytest.raises(
            ValueError, match=r"^model: .* forward mode; give adjoint=diffrax.ForwardMode\(\) to `rollout`"
        ):
            search(place, {"wavelength": (0.5, 2.0)}, model=swim, starts=starts)
    with pytest.raises(TypeError, match="unsupported operand"):  # other errors of the model are as they are
        search(lambda wave: wave.wavelength + "m", {"wavelength": (0.5, 2.0)})


def test_screening_finds_the_better_well():
    """The starts after the first are the best of what was screened, and the count is of both kinds."""
    two = gaits.quantity("two wells", "1", lambda w: (w**2 - 1) ** 2 + 0.3 * w, "wavelength")
    wave = gaits.TravellingWave(1.0, 0.9, 1.0)
    found = gaits.optimise(two, wave, {"wavelength": (-2.0, 2.0)}, starts=2, screen=11, batch=False, progress=False)
    assert len(found.screened) == 11 and found.best[0] < -0.9 and "after 11 screened" in str(found)
    raced = gaits.optimise(two, wave, {"wavelength": (-2.0, 2.0)}, starts=6, race=3, progress=False, tolerance=1e-12)
    counts = [sum(e.start == start for e in raced.history) for start in range(6)]
    assert raced.best[0] < -0.9 and sorted(counts)[:5] == [3] * 5 and max(counts) > 3 and raced.overtaken == 5
    first = {e.start: e for e in reversed(found.history)}
    assert first[0].values[0] == found.before and first[1].values[0] == found.screened.min()
    with pytest.raises(ValueError, match="screen = 1: must be 0, or at least starts - 1"):
        gaits.optimise(two, wave, {"wavelength": (-2.0, 2.0)}, starts=4, screen=1, progress=False)


def test_workspace_of_the_vertebra():
    """The greatest amplitude within the limits of every vertebra, against the bisection of `largest_amplitude`."""
    wrist, limits = vertebra.prototype(), vertebra.Limits()
    layout = vertebra.Layout.spanning(2.0, 20)
    times = jnp.linspace(2.0, 3.0, 17)
    gain = float(vertebra.largest_amplitude(wrist, layout, gaits.planar(), times, limits).gain)

    class Scaled(eqx.Module):
        gain: jax.Array

    def model(scaled):
        gait = vertebra.scaled(gaits.planar(), scaled.gain)
        return {"gain": scaled.gain, "margin": vertebra.gait_margins(wrist, limits, layout, gait, times)}

    found = gaits.optimise(
        gaits.quantity("-gain", "1", lambda g: -g, "gain"),
        Scaled(jnp.asarray(0.5 * gain)),
        {"gain": (0.0, 3.0 * gain)},
        model=model,
        constraints=[gaits.quantity("margin", "1", lambda m: m, "margin").at_least(0.0)],
        progress=False,
    )
    assert abs(found.best[0] / gain - 1.0) < 1e-5
    # What `anguilla optimise --vertebrae` constrains: least margins over a period, between its samples too.
    cycle = lambda gait: SimpleNamespace(time=2.0 + jnp.arange(24) / 24)  # noqa: E731
    motion = with_workspace(cycle, 2.0, 20)(vertebra.scaled(gaits.planar(), jnp.asarray(gain)))
    assert motion["workspace"].shape == (20, 10) and abs(float(workspace_margin(motion).min())) < 5e-3


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"parameters": {"frequency": (0.0, 1.0)}}, ValueError, "unknown parameter 'frequency'; available: amplitude"),
        ({"parameters": {"wavelength": (2.0, 1.0)}}, ValueError, "low < high"),
        ({"parameters": {"wavelength": (1.5, 2.0)}}, ValueError, "infeasible start: wavelength = 1: must lie between"),
        ({"parameters": {"wavelength": (-np.inf, 2.0)}}, ValueError, "needs a scale"),
        ({"parameters": {"wavelength": (3.0,)}}, ValueError, r"must be \(low, high\)"),
        ({"parameters": {"amplitude": (-2.0, 3.0), "amplitude[0]": (-2.0, 3.0)}}, ValueError, "chosen twice"),
        ({"constraints": [CIRCLE.at_most(1.0)]}, ValueError, "infeasible start: circle = 5: must lie between -inf"),
        ({"objective": lambda w: jnp.log(-w.wavelength)}, gaits.OptimisationError, "is nan at the start: amplitude"),
        ({"objective": lambda w: w.amplitude}, ValueError, r"has shape \(2,\): must be one number"),
        (
            {"objective": lambda w: -(w.wavelength**3), "parameters": {"wavelength": (0.0, np.inf, 1.0)}},
            gaits.OptimisationError,
            "has no lower bound",
        ),
        ({"method": "newton"}, ValueError, "method = 'newton': must be one of"),
        ({"starts": 0}, ValueError, "starts = 0: must be an integer of at least 1"),
        ({"infeasible_start": "maybe"}, ValueError, "infeasible_start = 'maybe'"),
    ],
)
def test_refusals(options, error, message):
    with pytest.raises(error, match=message):
        search(**options)


@pytest.mark.parametrize(
    "words, message",
    [
        (["--goal", "faster", "--margin", "0.7"], "--margin: 0.7: must be below 0.5"),
        (["--goal", "slower"], "invalid choice: 'slower'"),
        (["--goal", "faster", "--compare-cma"], "not allowed with argument"),
        (["--compare-cma", "--torque-limit", "2"], "--torque-limit: the comparison has no constraints"),
        (["--goal", "faster", "--torque-limit", "-2"], "must be finite and positive"),
        (["--goal", "faster", "--co-design", "--vertebrae", "9"], "--vertebrae: the layout"),
        (["--compare-cma", "--co-design"], "--co-design: the comparison has no constraints"),
        (["--goal", "faster", "--screen", "8"], "--screen: 8: must be 0, or at least --starts less one"),
    ],
)
def test_the_command_refuses(words, message, tmp_path, capsys):
    """Bad arguments end with 2 and a sentence, before anything is compiled or written."""
    with pytest.raises(SystemExit) as exit:
        main(["optimise", *words, "--out", str(tmp_path / "out")])
    assert exit.value.code == 2 and message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
