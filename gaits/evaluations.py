"""Evaluations of a problem: in batches over several starts, every one written to a log, none done twice.

An optimiser is a deterministic function of the values it is given. A run that was killed is started again: its log
answers for the points that are in it, bit for bit, until the optimiser asks for a new one.
"""

import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tqdm

from .problem import OptimisationError, Problem

CUT = 20  # evaluations in a row without a number after which a start is given up
UNBOUNDED = 1e12  # times the value at the start


@dataclass(frozen=True)
class Evaluation:
    """One evaluation.

    Attributes:
        start: which start asked for it.
        x: the vector.
        values: objective, then constraints.
        jacobian: their derivatives.
        violation: of the worst constraint, relative.
    """

    start: int
    x: np.ndarray
    values: np.ndarray
    jacobian: np.ndarray
    violation: float


class Evaluator:
    """Answers the optimisers of several starts together: each round is one batch.

    Attributes:
        history: all evaluations so far, in order.
        replayed: how many of them came from the log of an earlier run.
    """

    def __init__(self, problem: Problem, starts: int, log: str | Path | None, how: dict[str, Any], progress: bool):
        self._problem = problem
        self._starts = starts
        self.history: list[Evaluation] = []
        self.replayed = 0
        self._log, self._known = _open_log(log, {**problem.describe(), **how})
        self._bar = tqdm.tqdm(unit="evaluation", desc="optimise", disable=not progress)
        self._ready = threading.Condition()
        self._asked: dict[int, np.ndarray] = {}
        self._answers: dict[int, Any] = {}
        self._alive: set[int] = set()

    def run(self, solve: Callable[[int, Callable], Any]) -> list[Any]:
        """Runs `solve(start, ask)` for every start; returns what each returned, or the exception it raised."""
        results: list[Any] = [None] * self._starts
        self._alive = set(range(self._starts))

        def work(start):
            try:
                results[start] = solve(start, lambda x: self._ask(start, x))
            except Exception as error:  # handed to the caller, who knows how many starts are left
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
            if self._log is not None:
                self._log.close()
        for thread in threads:
            thread.join()
        return results

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
        """Waits until every start that still runs has asked, answers them all, and so on."""
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._alive <= set(self._asked))
                if not self._alive:
                    return
                asked, self._asked = self._asked, {}
            try:
                answers: dict[int, Any] = dict(self._answer(asked))
            except Exception as error:
                answers = {start: error for start in asked}
            with self._ready:
                self._answers |= answers
                self._ready.notify_all()

    def _answer(self, asked: dict[int, np.ndarray]):
        new = [start for start, x in asked.items() if x.tobytes() not in self._known]
        if new:
            batch = np.stack([asked.get(start, asked[new[0]]) for start in range(self._starts)])
            values, jacobian = self._problem.derivatives(batch)
        for start, x in sorted(asked.items()):
            if start in new:
                self._known[x.tobytes()] = (values[start], jacobian[start])
                self._write({"start": start, "x": x, "values": values[start], "jacobian": jacobian[start]})
            else:
                self.replayed += 1
            found = self._known[x.tobytes()]
            evaluation = Evaluation(start, x, *found, self._problem.violation(found[0]))
            self.history.append(evaluation)
            self._bar.update()
            yield start, evaluation
        best = min((e.values[0] for e in self.history if e.violation <= 1e-6), default=math.nan)
        self._bar.set_postfix(best=f"{best:.6g}", refresh=False)

    def _write(self, record: dict[str, Any]) -> None:
        if self._log is not None:
            record = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in record.items()}
            self._log.write(json.dumps({**record, "time": time.time()}) + "\n")
            self._log.flush()


def refuse_start(problem: Problem, evaluation: Evaluation, feasibility: float, accept: bool) -> None:
    """Refuses a start without a number, or one that breaks a constraint."""
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
            raise ValueError(
                f"infeasible start: {row.name} = {values[worst]:g} {row.unit}: must lie between {row.low[worst]:g} "
                f"and {row.high[worst]:g} (infeasible_start='accept' starts from it all the same)"
            )


def _open_log(path: str | Path | None, description: dict[str, Any]):
    """The log, open for more, and what is in it already."""
    if path is None:
        return None, {}
    path = Path(path).expanduser()
    known: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    description = json.loads(json.dumps({"anguilla": "optimisation log", **description}))
    if path.exists():
        lines = path.read_text().splitlines()
        _refuse_foreign_log(path, lines, description)
        whole = path.read_text().rfind("\n") + 1
        with path.open("r+") as file:
            file.truncate(whole)  # a kill may have cut the last line
        for line in lines[1:]:
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            x = np.array(record["x"], dtype=float)
            known[x.tobytes()] = (np.array(record["values"], float), np.array(record["jacobian"], float))
        return path.open("a"), known
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("x")
    file.write(json.dumps(description) + "\n")
    file.flush()
    return file, known


def _refuse_foreign_log(path: Path, lines: list[str], description: dict[str, Any]) -> None:
    try:
        found = json.loads(lines[0])
        assert found["anguilla"] == description["anguilla"]
    except (json.JSONDecodeError, IndexError, KeyError, TypeError, AssertionError):
        raise ValueError(f"log {path}: is not the log of an optimisation; nothing was changed") from None
    for key, value in description.items():
        if found.get(key) != value:
            raise ValueError(
                f"log {path}: was written by another optimisation ({key} was {found.get(key)}, now {value}); "
                "nothing was changed: give another log"
            )
