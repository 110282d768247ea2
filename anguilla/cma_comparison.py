"""Gradients against an evolution strategy: the same objective, the same bounds, rollouts counted."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import tqdm

import gaits
from gaits.parameters import Parameters
from gaits.problem import Problem

REACHED = 1e-4  # relative distance at which the strategy has reached the other's optimum


@dataclass(frozen=True)
class Comparison:
    """Two ways to one optimum.

    Attributes:
        optimum: what the gradients found.
        value: the best that CMA-ES found.
        best: its parameters.
        history: its best value after each rollout.
        reached: rollouts until it came as low as the gradients' optimum, to 1e-4; None when it never did.
        seconds: wall time of the gradients and of the strategy, compilation included [s].
        message: why the strategy stopped.
    """

    optimum: gaits.Optimum
    value: float
    best: np.ndarray
    history: np.ndarray
    reached: int | None
    seconds: tuple[float, float]
    message: str

    @property
    def ratio(self) -> float:
        """Rollouts of the strategy, until it reached the other's optimum or gave up, over those of the gradients."""
        return (self.reached or len(self.history)) / self.optimum.evaluations

    @property
    def verdict(self) -> str:
        """Which found the better optimum, and at what price."""
        if self.value < self.optimum.value - REACHED * abs(self.optimum.value):
            return f"CMA-ES found a lower optimum, by {1.0 - self.value / self.optimum.value:.1%}"
        return f"Gradients: as good an optimum in {self.ratio:.0f} times fewer rollouts"

    def __str__(self) -> str:
        o, n = self.optimum, len(self.optimum.names)
        if self.reached is None:
            reached = f"never within {REACHED:g} of the gradients' optimum in {len(self.history)} rollouts"
        else:
            reached = f"within {REACHED:g} of the gradients' optimum after {self.reached} rollouts"
        return "\n".join(
            [
                f"{o.objective}, {n} parameters, the same bounds; a rollout is one steady swim",
                f"gradients ({o.method})  {o.value:.8g} in {o.evaluations} rollouts, {self.seconds[0]:.0f} s",
                f"CMA-ES              {self.value:.8g} in {len(self.history)} rollouts, {self.seconds[1]:.0f} s",
                f"                    {reached}",
                f"ratio of rollouts   {self.ratio:.1f} ({self.ratio / (1 + n):.1f} with derivatives counted too)",
                f"ratio of optima     {o.value / self.value:.8f} (below 1: the gradients' is lower)",
                f"CMA-ES stopped      {self.message}",
                self.verdict,
            ]
        )


def against_cma(
    objective: gaits.Objective,
    gait: Any,
    bounds: dict[str, tuple[float, float]],
    model: Any,
    *,
    budget: int,
    population: int = 12,
    seed: int = 1,
    log: Any = None,
    progress: bool = True,
) -> Comparison:
    """Minimises by SLSQP, then by CMA-ES from the same start, whose populations are evaluated in batches.

    Args:
        objective: what is made least; no constraints but the bounds.
        gait: the start of both.
        bounds: (low, high) of each parameter.
        model: from a gait to a motion.
        budget: greatest number of rollouts of CMA-ES.
        population: of CMA-ES.
        seed: of CMA-ES.
        log: of the gradients' evaluations.
        progress: show progress bars.
    """
    import cma

    begin = time.perf_counter()
    optimum = gaits.optimise(objective, gait, bounds, model=model, tolerance=1e-10, log=log, progress=progress)
    middle = time.perf_counter()
    parameters = Parameters(gait, bounds)
    problem = Problem(objective, parameters, model, ())
    low, high = parameters.box
    options = {"bounds": [low, high], "seed": seed, "popsize": population, "maxfevals": budget, "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(parameters.to_vector(parameters.values(gait)), 0.25, options)
    values: list[float] = []
    best, best_x = np.inf, strategy.x0
    with tqdm.tqdm(total=budget, unit="rollout", desc="CMA-ES", disable=not progress) as bar:
        while not strategy.stop():
            points = np.array(strategy.ask())
            found = problem.values(points)[:, 0]
            found = np.where(np.isfinite(found), found, 1e6 * (1.0 + abs(optimum.before)))
            strategy.tell(list(points), list(found))
            for point, value in zip(points, found, strict=True):
                best, best_x = (value, point) if value < best else (best, best_x)
                values.append(float(best))
            bar.update(len(points))
            bar.set_postfix(best=f"{best:.6g}", refresh=False)
    history = np.array(values)
    hits = np.flatnonzero(history <= optimum.value + REACHED * abs(optimum.value))
    return Comparison(
        optimum=optimum,
        value=float(best),
        best=parameters.from_vector(best_x),
        history=history,
        reached=int(hits[0]) + 1 if len(hits) else None,
        seconds=(middle - begin, time.perf_counter() - middle),
        message=", ".join(f"{key}: {value}" for key, value in (strategy.stop() or {}).items()),
    )
