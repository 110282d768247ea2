"""An optimisation problem as one compiled function: objective, constraints and derivatives at many points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from spatial.checks import shown
from stepping.program_identity import program_digest, versions

from .forward_mode import values_and_jacobian
from .objectives import Constraint, Objective
from .parameters import Parameters


class OptimisationError(RuntimeError):
    """An optimisation that cannot continue."""


@dataclass(frozen=True)
class Row:
    """One constraint, flattened over the components of its objective.

    Attributes:
        name: name of the bounded quantity.
        unit: its unit.
        rows: positions of its components among those of all constraints.
        low: lower bounds, -inf for none.
        high: upper bounds, inf for none.
        scale: scale of the quantity.
    """

    name: str
    unit: str
    rows: slice
    low: np.ndarray
    high: np.ndarray
    scale: float

    @property
    def bounded(self) -> bool:
        """Whether there is a bound; a watched quantity has none."""
        return bool(np.isfinite(self.low).any() or np.isfinite(self.high).any())


class Problem:
    """Objective and constraints as functions of the vector of `Parameters`.

    Attributes:
        parameters: the free parameters.
        rows: the constraints.
        name: name of the objective.
        unit: unit of the objective.
    """

    def __init__(
        self,
        objective: Objective | Callable[[Any], Any],
        parameters: Parameters,
        model: Callable[[Any], Any] | None,
        constraints: Sequence[Constraint],
    ):
        self.parameters = parameters
        self.name = str(getattr(objective, "name", getattr(objective, "__name__", "objective")))
        self.unit = str(getattr(objective, "unit", ""))

        if not callable(objective):
            raise ValueError(
                f"objective = {shown(objective)}: must be an objective, such as gaits.steady_speed, or a function"
            )
        if not (model is None or callable(model)):
            raise ValueError(f"model = {shown(model)}: must be a function from the gait to a motion, or None")

        def parts(x):
            motion = parameters.tree(x)
            motion = motion if model is None else model(motion)
            return [jnp.asarray(objective(motion)), *(jnp.ravel(bound.objective(motion)) for bound in constraints)]

        def values(x):
            first, *others = parts(x)
            return jnp.concatenate([first[None], *others])

        for constraint in constraints:
            if not isinstance(constraint, Constraint):
                raise ValueError(f"constraints: {constraint!r}: must be made by objective.at_most(...) and the like")
        first, *others = jax.eval_shape(parts, jnp.zeros(len(parameters.names)))
        if first.shape != ():
            raise ValueError(f"the objective ({self.name}) has shape {first.shape}: must be one number")
        self.rows = _rows(constraints, [other.shape[0] for other in others])
        # Forward mode: there are few parameters, and periodic orbits require it.
        both = lambda x: values_and_jacobian(values, x)  # noqa: E731
        self._one, self._batch = jax.jit(both), jax.jit(jax.vmap(both))
        self._values = jax.jit(jax.vmap(values))

    def values(self, x: np.ndarray) -> np.ndarray:
        """Objective and constraints at each row of x, without derivatives."""
        return np.asarray(self._values(jnp.asarray(x)))

    def derivatives(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Objective and constraints at each row of x, and their derivatives."""
        if len(x) == 1:  # a batch of one would only take longer to compile
            values, jacobian = (part[None] for part in self._one(jnp.asarray(x[0])))
        else:
            values, jacobian = self._batch(jnp.asarray(x))
        return np.asarray(values), np.asarray(jacobian)

    def violation(self, values: np.ndarray) -> float:
        """Relative violation of the worst constraint; zero if all are satisfied."""
        worst = 0.0
        for row in self.rows:
            v = values[1:][row.rows]
            worst = max(worst, float(np.max(np.maximum(row.low - v, v - row.high), initial=0.0)) / row.scale)
        return worst if np.isfinite(values).all() else np.inf

    def describe(self) -> dict[str, Any]:
        """Settings that must match for a log to belong to this problem.

        The digest of the program covers model, objective, constraints and every number that is not a parameter.
        """
        p = self.parameters
        return {
            "versions": versions(),
            "objective": self.name,
            "parameters": p.names,
            "low": p.low.tolist(),
            "high": p.high.tolist(),
            "scale": p.scale.tolist(),
            "constraints": [[row.name, row.low.tolist(), row.high.tolist()] for row in self.rows],
            "program": program_digest(self._one.trace(jnp.zeros(len(p.names)))),
        }


def _rows(constraints: Sequence[Constraint], sizes: list[int]) -> list[Row]:
    rows, begin = [], 0
    for constraint, size in zip(constraints, sizes, strict=True):
        low, high = (
            np.broadcast_to(np.full((), fill) if bound is None else np.ravel(np.asarray(bound)), (size,))
            for bound, fill in ((constraint.low, -np.inf), (constraint.high, np.inf))
        )
        finite = [np.abs(bound[np.isfinite(bound)]) for bound in (low, high)]
        scale = max((float(part.max()) for part in finite if part.size), default=0.0) or 1.0
        rows.append(Row(constraint.name, constraint.objective.unit, slice(begin, begin + size), low, high, scale))
        begin += size
    return rows
