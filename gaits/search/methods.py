"""Optimisers: SciPy for constrained problems, Optax for unconstrained ones."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .evaluations import CUT, UNBOUNDED, Evaluation
from .problem import OptimisationError, Problem

SCIPY = ("slsqp", "trust-constr")


class Remembered:
    """Caches the last evaluation; replaces non-finite values by a large finite one, so that a line search backtracks.

    Attributes:
        cut: number of evaluations without a finite value.
        size: magnitude of the objective at the start, or 1 if that is zero.
    """

    def __init__(self, problem: Problem, ask: Callable[[np.ndarray], Evaluation], first: Evaluation):
        self._problem = problem
        self._ask = ask
        self._good = self._last = first
        self._first = float(first.values[0])
        self.size = abs(self._first) if abs(self._first) > 1e-12 else 1.0
        self.cut = 0
        self._in_a_row = 0

    def __call__(self, x: np.ndarray) -> Evaluation:
        """Values and derivatives at x."""
        if np.array_equal(x, self._last.x):
            return self._last
        found = self._ask(x)
        if np.isfinite(found.values).all() and np.isfinite(found.jacobian).all():
            self._in_a_row = 0
            if found.values[0] < -UNBOUNDED * (1.0 + abs(self._first)):
                raise OptimisationError(
                    f"the objective ({self._problem.name}) has no lower bound: it reached {found.values[0]:g} "
                    f"from {self._first:g}; give bounds or a constraint"
                )
            self._good = self._last = found
            return found
        self.cut += 1
        self._in_a_row += 1
        if self._in_a_row > CUT:
            raise OptimisationError(f"the objective ({self._problem.name}) gave no number {CUT} times in a row")
        wall = self._good.values.copy()
        wall[0] += 10.0 * (1.0 + abs(wall[0]))
        self._last = Evaluation(found.start, found.x, wall, self._good.jacobian, np.inf)
        return self._last


def run_scipy(
    method: str, problem: Problem, at: Remembered, x0: np.ndarray, max_iterations: int, tolerance: float
) -> tuple[bool, str, int]:
    """Runs SLSQP or trust-constr; returns success, message and number of iterations."""
    from scipy.optimize import BFGS, Bounds, NonlinearConstraint, minimize

    low, high = problem.parameters.box
    box: Any = Bounds  # its type annotations accept single numbers only
    scale = np.concatenate([np.full(row.rows.stop - row.rows.start, row.scale) for row in problem.rows] or [[]])
    lower = np.concatenate([row.low for row in problem.rows] or [[]])
    upper = np.concatenate([row.high for row in problem.rows] or [[]])
    values = lambda x: at(x).values[1:] / scale  # noqa: E731
    slopes = lambda x: at(x).jacobian[1:] / scale[:, None]  # noqa: E731
    # The default first step and tolerances of the solvers suit objectives of order one.
    size = at.size
    common = {
        "fun": lambda x: float(at(x).values[0]) / size,
        "jac": lambda x: at(x).jacobian[0] / size,
        "x0": x0,
        "bounds": box(low, high, keep_feasible=True),
    }
    if method == "trust-constr":
        more: Any = {"jac": slopes, "hess": BFGS()}
        limits = [NonlinearConstraint(values, lower / scale, upper / scale, **more)] if len(scale) else []
        options = {"maxiter": max_iterations, "gtol": tolerance, "xtol": tolerance}
        result = minimize(method="trust-constr", hess=BFGS(), constraints=limits, options=options, **common)
        return bool(result.status in (1, 2)), str(result.message), int(result.nit)
    equal = lower == upper
    limits: list[Any] = []
    for rows, kind, sign, bound in (
        (equal, "eq", 1.0, lower),
        (~equal & np.isfinite(lower), "ineq", 1.0, lower),
        (~equal & np.isfinite(upper), "ineq", -1.0, upper),
    ):
        if rows.any():
            limits.append(
                {
                    "type": kind,
                    "fun": lambda x, r=rows, s=sign, b=bound: s * (values(x)[r] - (b / scale)[r]),
                    "jac": lambda x, r=rows, s=sign: s * slopes(x)[r],
                }
            )
    options = {"maxiter": max_iterations, "ftol": tolerance}
    result = minimize(method="SLSQP", constraints=limits, options=options, **common)
    return bool(result.success), str(result.message), int(result.nit)


def run_optax(
    method: Any, problem: Problem, at: Remembered, x0: np.ndarray, max_iterations: int, tolerance: float
) -> tuple[bool, str, int]:
    """Runs an Optax transformation, projected onto the box; returns success, message and number of iterations."""
    import optax

    low, high = problem.parameters.box
    x, state = np.asarray(x0), method.init(x0)
    for k in range(max_iterations):
        updates, state = method.update(at(x).jacobian[0], state, x)
        new = np.clip(np.asarray(optax.apply_updates(x, updates)), low, high)
        if np.max(np.abs(new - x)) <= tolerance:
            return True, "the steps are below the tolerance", k + 1
        x = new
    at(x)
    return False, "max_iterations reached", max_iterations
