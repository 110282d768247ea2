"""Gradients against an evolution strategy: the same objective, the same bounds, rollouts counted."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tqdm

import gaits
from gaits.evaluation_log import EvaluationLog
from gaits.optimise import solve
from gaits.parameters import Parameters
from gaits.problem import Problem

REACHED = 1e-4  # relative distance at which one has reached the other's optimum
TOLERANCE = 1e-6  # relative to the start: where both stop, well below that distance
ASKED = 10.0  # times fewer rollouts


@dataclass(frozen=True)
class StrategyRun:
    """One run of CMA-ES.

    Attributes:
        seed: of its random numbers.
        value: the best it found.
        best: its parameters.
        history: its best value after each rollout.
        message: why it stopped.
    """

    seed: int
    value: float
    best: np.ndarray
    history: np.ndarray
    message: str

    def reached(self, value: float) -> int | None:
        """Rollouts until it came as low as a value; None when it never did."""
        hits = np.flatnonzero(self.history <= value + REACHED * abs(value))
        return int(hits[0]) + 1 if len(hits) else None


@dataclass(frozen=True)
class Comparison:
    """Two ways to one optimum.

    Attributes:
        name: of the problem.
        optimum: what the gradients found.
        runs: of CMA-ES, one for each seed.
        price: of an evaluation with derivatives, in rollouts: a ratio of times, measured.
    """

    name: str
    optimum: gaits.Optimum
    runs: list[StrategyRun]
    price: float

    @property
    def rollouts(self) -> int:
        """Of the gradients, all starts and what was screened for them: function evaluations."""
        return len(self.optimum.screened) + self.optimum.evaluations

    @property
    def rollouts_with_derivatives(self) -> float:
        """Of the gradients, an evaluation with derivatives counted at its price."""
        return len(self.optimum.screened) + self.price * self.optimum.evaluations

    @property
    def strategy_rollouts(self) -> list[int]:
        """Of each run of CMA-ES, until it reached the gradients' optimum or ended."""
        return [run.reached(self.optimum.value) or len(run.history) for run in self.runs]

    @property
    def ratio(self) -> float:
        """Rollouts of CMA-ES over those of the gradients: the median of its runs."""
        return float(np.median(self.strategy_rollouts)) / self.rollouts

    @property
    def as_good(self) -> bool:
        """Whether no run of CMA-ES found a lower optimum."""
        least = min(run.value for run in self.runs)
        return self.optimum.value <= least + REACHED * abs(least)

    @property
    def gradient_history(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rollouts, rollouts with derivatives at their price, and the gradients' best value after them."""
        values = np.concatenate([self.optimum.screened, [e.values[0] for e in self.optimum.history]])
        cost = np.r_[np.ones(len(self.optimum.screened)), np.full(self.optimum.evaluations, self.price)]
        return np.arange(1, len(values) + 1), np.cumsum(cost), np.fmin.accumulate(values)  # past those without a number

    @property
    def verdict(self) -> str:
        """Which found the better optimum, and at what price."""
        if not self.as_good:
            least = min(run.value for run in self.runs)
            return f"CMA-ES found a lower optimum, by {1.0 - least / self.optimum.value:.1%}"
        return f"gradients: as good an optimum in {self.ratio:.1f} times fewer rollouts"

    def __str__(self) -> str:
        o, all_in = self.optimum, self.rollouts_with_derivatives
        starts = len({e.start for e in o.history})
        lines = [
            f"{self.name}: {o.objective}, {len(o.names)} parameters, the same bounds; a rollout is one steady swim",
            f"gradients      {o.value:.8g} in {self.rollouts} rollouts: {len(o.screened)} screened, then "
            f"{o.evaluations} with derivatives from {starts} starts ({o.method})",
            f"               derivatives counted too: {all_in:.0f} rollouts (an evaluation with derivatives takes "
            f"{self.price:.1f} times as long as one without: measured)",
        ]
        for run, count in zip(self.runs, self.strategy_rollouts, strict=True):
            reached = run.reached(o.value) is not None
            words = f"as low as the gradients after {count}" if reached else "never as low as the gradients"
            lines.append(
                f"CMA-ES seed {run.seed:<3}{run.value:.8g} in {len(run.history)} rollouts, {words}: "
                f"{count / self.rollouts:.1f} times as many ({count / all_in:.1f} with derivatives); {run.message}"
            )
        met = "met" if self.as_good and self.ratio >= ASKED else "missed"
        median = float(np.median(self.strategy_rollouts))
        return "\n".join(
            [
                *lines,
                f"ratio of optima, gradients over the best of CMA-ES: {o.value / min(r.value for r in self.runs):.6f}",
                f"ratio of rollouts, median of the seeds: {self.ratio:.1f} ({median / all_in:.1f} with derivatives)",
                f"{self.verdict}; asked for: as good in {ASKED:g} times fewer: {met}",
            ]
        )


def against_cma(
    name: str,
    objective: gaits.Objective,
    gait: Any,
    bounds: dict[str, tuple[float, float]],
    model: Any,
    *,
    budget: int,
    starts: int = 1,
    screen: int = 0,
    seeds: int = 1,
    logs: Path | None = None,
    progress: bool = True,
) -> Comparison:
    """Minimises by SLSQP, then by CMA-ES with its own defaults, from the same gait.

    Args:
        name: of the problem.
        objective: what is made least; no constraints but the bounds.
        gait: the start of both.
        bounds: (low, high) of each parameter.
        model: from a gait to a motion.
        budget: greatest number of rollouts of each run of CMA-ES.
        starts: of the gradients.
        screen: points that are screened for the starts after the first.
        seeds: runs of CMA-ES, with the seeds 1, 2, ...
        logs: directory of the evaluations' logs, from which a killed comparison goes on; none when None.
        progress: show progress bars.
    """
    problem = Problem(objective, Parameters(gait, bounds), model, ())
    place = lambda end: None if logs is None else logs / f"{name}_{end}.jsonl"  # noqa: E731
    optimum = solve(
        problem,
        starts=starts,
        screen=screen,
        batch=False,
        tolerance=TOLERANCE,
        log=place("gradients"),
        progress=progress,
    )
    runs = [
        evolve(problem, seed, budget, abs(optimum.before), place(f"cma_{seed}"), progress)
        for seed in range(1, seeds + 1)
    ]
    return Comparison(name, optimum, runs, price_of_derivatives(problem))


def evolve(
    problem: Problem, seed: int, budget: int, size: float, log: Path | None = None, progress: bool = True
) -> StrategyRun:
    """CMA-ES with its default population, whose members are evaluated in one batch.

    Args:
        problem: without constraints.
        seed: of its random numbers, at least 1.
        budget: greatest number of rollouts.
        size: of the objective.
        log: of its evaluations.
        progress: show a progress bar.
    """
    import cma

    parameters = problem.parameters
    low, high = parameters.box
    options = {"bounds": [low, high], "seed": seed, "maxfevals": budget, "tolfun": TOLERANCE * size, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(parameters.to_vector(parameters.start), 0.25, options)
    how = {"method": "CMA-ES", "seed": seed, "population": strategy.popsize, "tolerance": TOLERANCE * size}
    known = EvaluationLog(log, {**problem.describe(), **how})
    values: list[float] = []
    best, best_x = np.inf, np.asarray(strategy.x0)
    with tqdm.tqdm(total=budget, unit="rollout", desc=f"CMA-ES {seed}", disable=not progress) as bar:
        while not strategy.stop():
            points = [np.asarray(point) for point in strategy.ask()]
            if any(known.find(x) is None for x in points):
                for x, row in zip(points, problem.values(np.stack(points)), strict=True):
                    known.write(x, values=row)
            found = [_number(known.find(x), size) for x in points]
            strategy.tell(points, found)
            for x, value in zip(points, found, strict=True):
                best, best_x = (value, x) if value < best else (best, best_x)
                values.append(best)
            bar.update(len(points))
            bar.set_postfix(best=f"{best:.6g}", refresh=False)
    known.close()
    message = ", ".join(f"{key}: {value:g}" for key, value in (strategy.stop() or {}).items())
    return StrategyRun(seed, float(best), parameters.from_vector(best_x), np.array(values), f"stopped by {message}")


def price_of_derivatives(problem: Problem, repeats: int = 3) -> float:
    """Time of an evaluation with derivatives over that of one without, at the start, compiled before."""
    x = problem.parameters.to_vector(problem.parameters.start)
    rows = np.stack([x] * 8)  # as many as screening and small populations evaluate at once: compiled already
    times = np.full((2, repeats + 1), np.inf)
    for k in range(repeats + 1):
        begin = time.perf_counter()
        problem.derivatives(x[None])
        middle = time.perf_counter()
        problem.values(rows)
        times[:, k] = middle - begin, (time.perf_counter() - middle) / len(rows)
    derivatives, value = times[:, 1:].min(axis=1)
    return float(derivatives / value)


def _number(record: dict[str, Any] | None, size: float) -> float:
    assert record is not None
    value = float(record["values"][0])
    return value if np.isfinite(value) else 1e6 * (1.0 + size)
