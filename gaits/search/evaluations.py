"""Evaluations of a problem: batched over several starts, logged, and never repeated.

An optimiser is a deterministic function of the values it receives. An interrupted run is simply started again: the
log supplies the values of the points it contains, bit for bit, until the optimiser requests a new one.
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tqdm

from .evaluation_log import EvaluationLog
from .objectives import aim_of
from .problem import OptimisationError, Problem

CUT = 20  # consecutive evaluations without a finite value after which a start is abandoned
UNBOUNDED = 1e12  # multiple of the initial value below which the objective counts as unbounded
SCREENED = 8  # points per batch when screening


@dataclass(frozen=True)
class Evaluation:
    """One evaluation.

    Attributes:
        start: index of the start that requested it.
        x: parameter vector.
        values: objective, followed by the constraints.
        jacobian: their derivatives.
        violation: relative violation of the worst constraint.
    """

    start: int
    x: np.ndarray
    values: np.ndarray
    jacobian: np.ndarray
    violation: float


class Overtaken(Exception):
    """Raised in a start that is abandoned because another one is better."""


class Evaluator:
    """Serves the optimisers of several starts together: each round is one batch.

    Attributes:
        history: all evaluations with derivatives so far, in order.
        replayed: number of evaluations taken from the log of an earlier run.
        screened: objectives of the screened points, in order.
    """

    def __init__(
        self,
        problem: Problem,
        starts: int,
        log: str | Path | None,
        how: dict[str, Any],
        progress: bool,
        batch: bool = True,
        race: int = 0,
    ):
        self._problem = problem
        self._starts = starts
        self._batch = batch
        self._race = race
        self.history: list[Evaluation] = []
        self.replayed = 0
        self.screened = np.zeros(0)
        self._log = EvaluationLog(log, lambda: {**problem.describe(), **how})
        self._log.verify_first(self._again)
        self._bar = tqdm.tqdm(unit="evaluation", desc="optimise", disable=not progress)
        self._ready = threading.Condition()
        self._asked: dict[int, np.ndarray] = {}
        self._answers: dict[int, Any] = {}
        self._alive: set[int] = set()

    def run(self, solve: Callable[[int, Callable], Any]) -> list[Any]:
        """Runs `solve(start, ask)` for every start; returns the result of each, or the exception it raised."""
        results: list[Any] = [None] * self._starts
        self._alive = set(range(self._starts))

        def work(start):
            try:
                results[start] = solve(start, lambda x: self._ask(start, x))
            except Exception as error:  # returned to the caller, which knows how many starts are left
                results[start] = error
            finally:
                with self._ready:
                    self._alive.discard(start)
                    self._ready.notify_all()

        threads = [threading.Thread(target=work, args=(start,), daemon=True) for start in range(self._starts)]
        for thread in threads:
            thread.start()
        try:
            self._serve()
        finally:
            self._bar.close()
            self._log.close()
        for thread in threads:
            thread.join()
        return results

    def _again(self, x: np.ndarray, kind: str) -> np.ndarray:
        """Objective and constraints at a point of the log, by the same compiled program as for a new point."""
        if kind == "screened":
            return self._problem.values(np.stack([x] * SCREENED))[0]
        return self._problem.derivatives(np.stack([x] * (self._starts if self._batch else 1)))[0][0]

    def screen(self, points: np.ndarray) -> np.ndarray:
        """Objective and constraints at the given points, without derivatives, in batches of constant size."""
        new = [x for x in points if self._log.find(x, "screened") is None]
        for begin in range(0, len(new), SCREENED):
            rows = new[begin : begin + SCREENED]
            values = self._problem.values(np.stack(rows + rows[:1] * (SCREENED - len(rows))))
            for x, found in zip(rows, values, strict=False):
                self._log.write(x, "screened", values=found)
        known = [self._log.find(x, "screened") for x in points]
        values = np.stack([record["values"] for record in known if record is not None])
        self.screened = values[:, 0]
        return values

    def _ask(self, start: int, x: np.ndarray) -> Evaluation:
        with self._ready:
            self._asked[start] = np.array(x, dtype=float)
            self._ready.notify_all()
            self._ready.wait_for(lambda: start in self._answers)
            answer = self._answers.pop(start)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _serve(self) -> None:
        """Waits until every active start has made a request, then evaluates all requests; repeats until done."""
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._alive <= set(self._asked))
                if not self._alive:
                    return
                asked, self._asked = self._asked, {}
            lost = self._overtaken(set(asked))
            answers: dict[int, Any] = {start: Overtaken() for start in lost}
            asked = {start: x for start, x in asked.items() if start not in lost}
            try:
                answers |= dict(self._answer(asked))
            except Exception as error:
                answers |= {start: error for start in asked}
            with self._ready:
                self._answers |= answers
                self._ready.notify_all()

    def _overtaken(self, starts: set[int]) -> set[int]:
        """All but the best start, once each has used its evaluations for the race."""
        own = {start: [e for e in self.history if e.start == start] for start in sorted(starts)}
        if not self._race or any(len(evaluations) < self._race for evaluations in own.values()):
            return set()
        merit = lambda e: (e.violation if e.violation > 1e-6 else 0.0, e.values[0])  # noqa: E731
        return starts - {min(own, key=lambda start: min(map(merit, own[start])))}

    def _answer(self, asked: dict[int, np.ndarray]):
        new = [start for start, x in asked.items() if self._log.find(x) is None]
        for start, values, jacobian in self._evaluate(asked, new):
            self._log.write(asked[start], start=start, values=values, jacobian=jacobian)
        self.replayed += len(asked) - len(new)
        for start, x in sorted(asked.items()):
            found = self._log.find(x)
            assert found is not None
            evaluation = Evaluation(
                start, x, found["values"], found["jacobian"], self._problem.violation(found["values"])
            )
            self.history.append(evaluation)
            self._bar.update()
            yield start, evaluation
        best = min((e.values[0] for e in self.history if e.violation <= 1e-6), default=math.nan)
        self._bar.set_postfix(best=f"{aim_of(self._problem.name)[0] * best:.6g}", refresh=False)

    def _evaluate(self, asked: dict[int, np.ndarray], new: list[int]):
        """Values and derivatives for the starts that request a new point, in one batch or one after another."""
        if not self._batch:
            for start in sorted(new):
                values, jacobian = self._problem.derivatives(asked[start][None])
                yield start, values[0], jacobian[0]
        elif new:
            rows = np.stack([asked.get(start, asked[new[0]]) for start in range(self._starts)])
            values, jacobian = self._problem.derivatives(rows)
            yield from ((start, values[start], jacobian[start]) for start in sorted(new))


def refuse_start(problem: Problem, evaluation: Evaluation, feasibility: float, accept: bool) -> None:
    """Raises if the values at a start are not finite, or if it violates a constraint and `accept` is False."""
    at = ", ".join(
        f"{name} = {value:g}"
        for name, value in zip(problem.parameters.names, problem.parameters.from_vector(evaluation.x), strict=True)
    )
    if not np.isfinite(evaluation.values[0]):
        raise OptimisationError(f"the objective ({problem.name}) is {evaluation.values[0]} at the start: {at}")
    for row in problem.rows:
        values = evaluation.values[1:][row.rows]
        if not np.isfinite(values).all():
            raise OptimisationError(f"the constraint ({row.name}) is not finite at the start: {at}")
    if not np.isfinite(evaluation.jacobian).all():
        raise OptimisationError(f"the derivatives of the objective ({problem.name}) are not finite at the start: {at}")
    if accept or evaluation.violation <= feasibility:
        return
    for row in problem.rows:
        values = evaluation.values[1:][row.rows]
        over = np.maximum(row.low - values, values - row.high)
        worst = int(np.argmax(over))
        if over[worst] > feasibility * row.scale:
            unit = f" {row.unit}" if row.unit not in ("", "1") else ""
            raise ValueError(
                f"infeasible start: {row.name} = {values[worst]:g}{unit}: must lie between {row.low[worst]:g} "
                f"and {row.high[worst]:g} (infeasible_start='accept' allows it)"
            )
