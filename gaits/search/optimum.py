"""Result of an optimisation: the gait, values before and after, and the history."""

import base64
import html
import io
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from .evaluations import Evaluation, Evaluator, Overtaken
from .objectives import aim_of
from .problem import OptimisationError, Problem

ACTIVE = 1e-4  # relative distance to a bound below which it counts as active


@dataclass(frozen=True)
class Limit:
    """A constraint, with its values before and after the optimisation.

    Attributes:
        name: name of the bounded quantity.
        unit: its unit.
        low: lower bounds.
        high: upper bounds.
        before: values at the start.
        after: values at the end.
        scale: scale of the quantity.
    """

    name: str
    unit: str
    low: np.ndarray
    high: np.ndarray
    before: np.ndarray
    after: np.ndarray
    scale: float

    @property
    def room(self) -> np.ndarray:
        """Relative distance to the nearest bound; negative if violated."""
        return np.minimum(self.after - self.low, self.high - self.after) / self.scale

    @property
    def active(self) -> bool:
        """Whether a bound is active."""
        return bool((self.room <= ACTIVE).any())


@dataclass(frozen=True)
class Optimum:
    """The result of `gaits.optimise`; it prints as a table.

    Attributes:
        gait: the initial pytree with the best parameters.
        objective: name of the objective; that of a quantity to maximise begins with a minus sign.
        unit: its unit.
        before: its value at the start.
        value: its value at the end.
        names: names of the parameters.
        start: their values at the start.
        best: their values at the end.
        low: their lower bounds.
        high: their upper bounds.
        scale: change of each parameter for a change of one in the vectors of `history`.
        limits: the constraints.
        violation: relative violation of the worst constraint; at most `feasibility`.
        success: whether the optimiser of the best start reports convergence.
        message: its message.
        method: name of the method.
        iterations: iterations of the best start.
        evaluations: number of evaluations of objective and derivatives, over all starts.
        screened: objectives of the points screened for starts, without derivatives.
        replayed: number of evaluations taken from the log of an earlier run.
        cut: number of evaluations without a finite value.
        overtaken: number of starts abandoned because another was better.
        failed: error messages of the starts that failed.
        history: all evaluations in order.
    """

    gait: Any
    objective: str
    unit: str
    before: float
    value: float
    names: list[str]
    start: np.ndarray
    best: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray
    limits: list[Limit]
    violation: float
    success: bool
    message: str
    method: str
    iterations: int
    evaluations: int
    screened: np.ndarray
    replayed: int
    cut: int
    overtaken: int
    failed: list[str]
    history: list[Evaluation]

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit not in ("", "1") else ""
        sign, quantity, aim = aim_of(self.objective)
        head = f"{quantity}, {aim}"
        width = max(len(name) for name in (*self.names, head, *(limit.name for limit in self.limits)))
        lines = [
            f"{head:{width}}  {sign * self.before:12.6g} -> {sign * self.value:12.6g}{unit}",
            "",
            f"{'parameter':{width}}  {'start':>12}    {'best':>12}   bounds",
        ]
        for name, start, best, low, high in zip(self.names, self.start, self.best, self.low, self.high, strict=True):
            touch = " <- at its bound" if min(best - low, high - best) <= ACTIVE * (high - low) else ""
            lines.append(f"{name:{width}}  {start:12.6g} -> {best:12.6g}   [{low:g}, {high:g}]{touch}")
        if self.limits:
            lines += ["", f"{'constraint':{width}}  {'start':>12}    {'best':>12}   bound"]
        for limit in self.limits:
            k = int(np.argmin(limit.room))
            touch = " <- active" if limit.active else ""
            lines.append(
                f"{limit.name:{width}}  {limit.before[k]:12.6g} -> {limit.after[k]:12.6g}   "
                f"[{limit.low[k]:g}, {limit.high[k]:g}] {limit.unit}{touch}"
            )
        ended = "converged" if self.success else "stopped"
        counts = f"{self.iterations} iterations, {self.evaluations} evaluations"
        if len(self.screened):
            counts += f" after {len(self.screened)} screened for starts"
        sources = f"{self.replayed} from the log, {self.cut} not finite"
        lines += ["", f"{self.method}: {ended} ({self.message}), {counts} ({sources})"]
        if self.overtaken:
            lines.append(f"{self.overtaken} starts were abandoned because another was better")
        lines += [f"a start failed: {reason}" for reason in self.failed]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The table with a small figure of the history, for notebooks."""
        picture = io.BytesIO()
        self.plot().savefig(picture, format="png", dpi=60)
        image = base64.b64encode(picture.getvalue()).decode()
        return f'<pre>{html.escape(str(self))}</pre><img src="data:image/png;base64,{image}">'

    def plot(self, figure: Any = None) -> Any:
        """Plots objective, feasibility and parameters against evaluations.

        Args:
            figure: a matplotlib figure to draw in; a new one when None.
        """
        from .optimum_figure import draw

        return draw(self, figure)


def build_optimum(problem: Problem, evaluator: Evaluator, ends: list[Any], feasibility: float, method: str) -> Optimum:
    """Builds the result from the best feasible evaluation of all starts."""
    history = evaluator.history
    feasible = [e for e in history if e.violation <= feasibility and np.isfinite(e.values[0])]
    if not feasible:
        least = min(e.violation for e in history)
        raise OptimisationError(f"no evaluation satisfied the constraints; least relative violation {least:.2g}")
    best = min(feasible, key=lambda e: e.values[0])
    first = next(e for e in history if e.start == 0)
    end = ends[best.start]
    words = "overtaken by another start" if isinstance(end, Overtaken) else str(end)
    success, message, iterations, _ = (False, words, 0, 0) if isinstance(end, Exception) else end
    p = problem.parameters
    before, after = first.values[1:], best.values[1:]
    return Optimum(
        gait=p.tree(jnp.asarray(best.x)),
        objective=problem.name,
        unit=problem.unit,
        before=float(first.values[0]),
        value=float(best.values[0]),
        names=p.names,
        start=p.start,
        best=p.from_vector(best.x),
        low=p.low,
        high=p.high,
        scale=p.scale,
        limits=[
            Limit(row.name, row.unit, row.low, row.high, before[row.rows], after[row.rows], row.scale)
            for row in problem.rows
        ],
        violation=best.violation,
        success=success,
        message=message,
        method=method,
        iterations=iterations,
        evaluations=len(history),
        screened=evaluator.screened,
        replayed=evaluator.replayed,
        cut=sum(end[3] for end in ends if not isinstance(end, Exception)),
        overtaken=sum(isinstance(end, Overtaken) for end in ends),
        failed=[str(end) for end in ends if isinstance(end, Exception) and not isinstance(end, Overtaken)],
        history=history,
    )
