"""Gradient-based optimisation against an evolution strategy: same objective, same bounds, rollouts counted."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tqdm

import gaits
from gaits.search.evaluation_log import EvaluationLog
from gaits.search.optimisation import solve
from gaits.search.parameters import Parameters
from gaits.search.problem import Problem

REACHED = 1e-4  # relative distance at which an optimum counts as reached
TOLERANCE = 1e-6  # relative to the start: stopping tolerance of both, well below that distance
ASKED = 10.0  # required ratio of the rollouts of CMA-ES to those of the gradients


@dataclass(frozen=True)
class Run:
    """One search with one seed.

    Attributes:
        seed: random seed.
        history: best value after each evaluation.
        derivatives: whether each evaluation included derivatives.
        best: best parameters.
        message: reason for stopping.
    """

    seed: int
    history: np.ndarray
    derivatives: np.ndarray
    best: np.ndarray
    message: str

    @property
    def value(self) -> float:
        """The best value."""
        return float(self.history[-1])

    def reached(self, value: float) -> int | None:
        """Number of evaluations until a value was reached; None if it never was."""
        hits = np.flatnonzero(self.history <= value + REACHED * abs(value))
        return int(hits[0]) + 1 if len(hits) else None

    def rollouts(self, price: float) -> np.ndarray:
        """Rollouts spent up to each evaluation; one with derivatives counts as `price` rollouts."""
        return np.cumsum(np.where(self.derivatives, price, 1.0))


@dataclass(frozen=True)
class Comparison:
    """Two optimisers on one problem, with several seeds each.

    Attributes:
        name: name of the problem.
        objective: its name.
        unit: its unit.
        names: names of the parameters.
        before: value at the common start.
        gradients: gradient-based searches.
        strategy: runs of CMA-ES.
        price: cost of an evaluation with derivatives, in rollouts: a measured ratio of processor times.
    """

    name: str
    objective: str
    unit: str
    names: list[str]
    before: float
    gradients: list[Run]
    strategy: list[Run]
    price: float

    @property
    def least(self) -> float:
        """The best value found by any run."""
        return min(run.value for run in (*self.gradients, *self.strategy))

    def successes(self, runs: list[Run]) -> int:
        """Number of runs that reached the best known value."""
        return sum(run.reached(self.least) is not None for run in runs)

    def expected(self, runs: list[Run], price: float = 1.0, whole: bool = False) -> float:
        """Expected rollouts to reach the best known value: those of all runs divided by the number of successes.

        Args:
            runs: runs of one optimiser.
            price: cost of an evaluation with derivatives.
            whole: count each run to its end; otherwise a successful run counts until it reaches the value.
        """
        ends = [None if whole else run.reached(self.least) for run in runs]
        spent = [run.rollouts(price)[-1 if end is None else end - 1] for run, end in zip(runs, ends, strict=True)]
        found = self.successes(runs)
        return float(sum(spent)) / found if found else float("inf")

    def ratio(self, price: float = 1.0, whole: bool = False) -> float:
        """Rollouts of CMA-ES divided by those of the gradients; arguments as for `expected`."""
        return self.expected(self.strategy, 1.0, whole) / self.expected(self.gradients, price, whole)

    @property
    def as_good(self) -> bool:
        """Whether gradient searches succeed at least as often as CMA-ES, in proportion."""
        shares = [self.successes(runs) / len(runs) for runs in (self.gradients, self.strategy)]
        return shares[0] > 0 and shares[0] >= shares[1]

    @property
    def verdict(self) -> str:
        """Which optimiser reaches the best optimum, and at what cost."""
        if not self.successes(self.gradients):
            best = min(run.value for run in self.gradients)
            return f"CMA-ES found a lower optimum, by {1.0 - self.least / best:.1%}"
        if not self.successes(self.strategy):
            best = min(run.value for run in self.strategy)
            return f"gradients found a lower optimum, by {1.0 - self.least / best:.1%}"
        return f"gradients: the best optimum in {self.ratio():.1f} times fewer rollouts"

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.objective}, {len(self.names)} parameters, the same bounds and start; "
            "a rollout is one steady swim",
            f"{'':12}{'seed':>5}{'best value':>13}{'rollouts':>10}{'to reach it':>13}   how it ended",
        ]
        for words, runs in (("gradients", self.gradients), ("CMA-ES", self.strategy)):
            for run in runs:
                reached = run.reached(self.least)
                count = f"{len(run.history)}"
                lines.append(
                    f"{words:12}{run.seed:5}{run.value:13.8f}{count:>10}{reached or 'never':>13}   {run.message}"
                )
        p, ok = self.price, self.successes
        met = "met" if self.as_good and self.ratio() >= ASKED else "missed"
        return "\n".join(
            [
                *lines,
                f"best value {self.least:.8f}, reached to {REACHED:g} by {ok(self.gradients)} of {len(self.gradients)} "
                f"searches by gradients, {ok(self.strategy)} of {len(self.strategy)} of CMA-ES",
                "rollouts that reaching it takes (those of all runs over the number that reached it):",
                f"  function evaluations       gradients {self.expected(self.gradients):6.0f}   "
                f"CMA-ES {self.expected(self.strategy):6.0f}   ratio {self.ratio():5.1f}   "
                f"(every run to its own end: {self.ratio(whole=True):.1f})",
                f"  derivatives counted too    gradients {self.expected(self.gradients, p):6.0f}   "
                f"CMA-ES {self.expected(self.strategy):6.0f}   ratio {self.ratio(p):5.1f}   "
                f"(every run to its own end: {self.ratio(p, True):.1f})",
                f"  an evaluation with derivatives takes {p:.2f} times the processor time of one without: measured",
                f"{self.verdict}; asked for: as good in {ASKED:g} times fewer function evaluations: {met}",
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
    seeds: int = 1,
    starts: int = 1,
    screen: int = 0,
    race: int = 0,
    logs: Path | None = None,
    progress: bool = True,
) -> Comparison:
    """Minimises by SLSQP and by CMA-ES with its default settings, both from the same gait.

    Args:
        name: name of the problem.
        objective: quantity to minimise, subject to bounds only.
        gait: common start.
        bounds: (low, high) of each parameter.
        model: function from a gait to a motion.
        budget: maximum number of rollouts of each run of CMA-ES.
        seeds: number of searches of each kind, with the seeds 1, 2, ...
        starts: number of starts of each gradient search, the first being the gait.
        screen: number of points screened for the other starts.
        race: number of evaluations after which only the best start continues.
        logs: directory of the evaluation logs, from which an interrupted comparison resumes; None for no logs.
        progress: show progress bars.
    """
    problem = Problem(objective, Parameters(gait, bounds), model, ())
    place = lambda end: None if logs is None else logs / f"{name}_{end}.jsonl"  # noqa: E731
    options = {"starts": starts, "screen": screen, "race": race, "batch": False, "tolerance": TOLERANCE}
    optima = [
        solve(problem, seed=seed, log=place(f"gradients_{seed}"), progress=progress, **options)
        for seed in range(1, (seeds if starts > 1 else 1) + 1)  # a single start has no randomness
    ]
    size = abs(optima[0].before)
    strategy = [evolve(problem, seed, budget, size, place(f"cma_{seed}"), progress) for seed in range(1, seeds + 1)]
    return Comparison(
        name=name,
        objective=problem.name,
        unit=problem.unit,
        names=problem.parameters.names,
        before=optima[0].before,
        gradients=[search_of(optimum, seed) for seed, optimum in enumerate(optima, 1)],
        strategy=strategy,
        price=price_of_derivatives(problem),
    )


def search_of(optimum: gaits.Optimum, seed: int) -> Run:
    """A gradient-based search as a `Run`: screened points, then evaluations with derivatives."""
    values = np.concatenate([optimum.screened, [e.values[0] for e in optimum.history]])
    derivatives = np.arange(len(values)) >= len(optimum.screened)
    starts = len({e.start for e in optimum.history})
    message = f"{len(optimum.screened)} screened, {optimum.evaluations} with derivatives, {starts} starts"
    if optimum.overtaken:
        message += f" of which {optimum.overtaken} were overtaken"
    best = np.fmin.accumulate(values)  # ignores evaluations without a finite value
    return Run(seed, best, derivatives, optimum.best, f"{message} ({optimum.method})")


def evolve(
    problem: Problem, seed: int, budget: int, size: float, log: Path | None = None, progress: bool = True
) -> Run:
    """CMA-ES with its default population, evaluated in batches.

    Args:
        problem: a problem without constraints.
        seed: random seed, at least 1.
        budget: maximum number of rollouts.
        size: scale of the objective.
        log: log of its evaluations.
        progress: show a progress bar.
    """
    import cma

    parameters = problem.parameters
    low, high = parameters.box
    options = {"bounds": [low, high], "seed": seed, "maxfevals": budget, "tolfun": TOLERANCE * size, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(parameters.to_vector(parameters.start), 0.25, options)
    how = {"method": "CMA-ES", "seed": seed, "population": strategy.popsize, "tolerance": TOLERANCE}
    known = EvaluationLog(log, lambda: {**problem.describe(), **how})
    known.verify_first(lambda x, _: problem.values(np.stack([x] * strategy.popsize))[0])
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
    none = np.zeros(len(values), dtype=bool)
    return Run(seed, np.array(values), none, parameters.from_vector(best_x), f"stopped by {message}")


def price_of_derivatives(problem: Problem, repeats: int = 3) -> float:
    """Processor time of an evaluation with derivatives relative to one without, at the start, after compilation."""
    x = problem.parameters.to_vector(problem.parameters.start)
    rows = np.stack([x] * 8)  # batch size of screening and small populations: already compiled
    times = np.full((2, repeats + 1), np.inf)
    for k in range(repeats + 1):
        begin = time.process_time()
        problem.derivatives(x[None])
        middle = time.process_time()
        problem.values(rows)
        times[:, k] = middle - begin, (time.process_time() - middle) / len(rows)
    derivatives, value = times[:, 1:].min(axis=1)
    return float(derivatives / value)


def _number(record: dict[str, Any] | None, size: float) -> float:
    assert record is not None
    value = float(record["values"][0])
    return value if np.isfinite(value) else 1e6 * (1.0 + size)
