"""Gradient-based optimisation of gaits and bodies: bounded, constrained, multi-start, resumable."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spatial.checks import integer, of_kind, one_of, positive, shown

from .evaluations import Evaluation, Evaluator, refuse_start
from .methods import SCIPY, Remembered, run_optax, run_scipy
from .objectives import Constraint, Objective
from .optimum import Optimum, build_optimum
from .parameters import Parameters, float_leaves, spread
from .problem import OptimisationError, Problem

METHODS = (*SCIPY, "adam")


def optimise(
    objective: Objective | Callable[[Any], Any],
    gait: Any,
    parameters: Mapping[str, Sequence[Any]],
    *,
    model: Callable[[Any], Any] | None = None,
    constraints: Sequence[Constraint] = (),
    method: Any = "slsqp",
    starts: int = 1,
    screen: int = 0,
    race: int = 0,
    seed: int = 0,
    batch: bool = True,
    max_iterations: int = 100,
    tolerance: float = 1e-8,
    feasibility: float = 1e-6,
    infeasible_start: str = "refuse",
    log: str | Path | None = None,
    progress: bool = True,
) -> Optimum:
    """Minimises an objective over chosen parameters of a gait, a body or both.

        model = lambda gait: cosserat.steady_swim(beam, gait, fluid, throw=False)
        gaits.optimise(-gaits.steady_speed, gaits.planar(), {"amplitude": (-2, 2), "wavelength": (0.8, 2)},
                       model=model, constraints=[gaits.section_torque.at_most(2.3)])

    >>> import anguilla, gaits
    >>> def mismatch(gait):
    ...     return (gait(0.0, 0.25) + 1.5) ** 2
    >>> wave = gaits.TravellingWave(amplitude=1.0, wavelength=1.0, period=1.0)
    >>> best = gaits.optimise(mismatch, wave, {"amplitude": (0.5, 3.0)}, progress=False)
    >>> round(float(best.best[0]), 3)
    1.5

    Args:
        objective: quantity to minimise: an `Objective`, or any function, of the model's result.
        gait: initial point: any pytree whose float leaves are the parameters, such as a gait, a beam, (gait, beam).
        parameters: (low, high) or (low, high, scale) for each free parameter, named by the end of its path.
        model: function from the pytree to a motion, shared by objective and constraints; None passes the pytree itself.
            It is differentiated in forward mode: give `adjoint=diffrax.ForwardMode()` to `rollout`. It should return
            NaN if the computation fails.
        constraints: bounds on objectives of the same motion.
        method: "slsqp", "trust-constr", "adam", or any Optax transformation (the last two without constraints).
        starts: number of starts; the first is the given gait, the others cover the box evenly.
        screen: number of points, evenly covering the box, that are evaluated first without derivatives; the other
            starts are the best of them. 0 for none.
        race: number of evaluations of each start after which only the best continues; 0 lets all starts finish.
        seed: random seed of the other starts, or of the screened points.
        batch: evaluate all starts in one batch by vmap; False evaluates them one after another, which is faster
            on one core and compiles less.
        max_iterations: maximum number of iterations of each start.
        tolerance: tolerance of the objective relative to its initial value (slsqp), or of the scaled step.
        feasibility: allowed violation of a constraint, relative to its bound.
        infeasible_start: "refuse" or "accept" a start that violates a constraint.
        log: file to which every evaluation is written; the same call with the log of an interrupted run resumes it.
        progress: show a progress bar.

    Returns:
        The best feasible point of all starts; it prints as a table and has a `plot` method.

    Raises:
        ValueError: bad bounds, an unknown parameter, an infeasible start, the log of another optimisation, a model with
            derivatives in reverse mode only.
        OptimisationError: the objective is not finite at the start, has no lower bound, or no start succeeded.
    """
    if not float_leaves(gait):
        raise ValueError(f"gait = {shown(gait)}: must have numbers to optimise, such as gaits.planar()")
    chosen = Parameters(gait, parameters)
    problem = Problem(objective, chosen, model, constraints)
    return solve(
        problem,
        method=method,
        starts=starts,
        screen=screen,
        race=race,
        seed=seed,
        batch=batch,
        max_iterations=max_iterations,
        tolerance=tolerance,
        feasibility=feasibility,
        infeasible_start=infeasible_start,
        log=log,
        progress=progress,
    )


def solve(
    problem: Problem,
    *,
    method: Any = "slsqp",
    starts: int = 1,
    screen: int = 0,
    race: int = 0,
    seed: int = 0,
    batch: bool = True,
    max_iterations: int = 100,
    tolerance: float = 1e-8,
    feasibility: float = 1e-6,
    infeasible_start: str = "refuse",
    log: str | Path | None = None,
    progress: bool = True,
) -> Optimum:
    """Solves a problem that is already built and possibly compiled; arguments as in `optimise`."""
    if log is not None:
        of_kind("log", log, str | Path, "the name of a file, or None")
    one_of("infeasible_start", infeasible_start, ("refuse", "accept"))
    starts, max_iterations = integer("starts", starts, 1), integer("max_iterations", max_iterations, 1)
    screen, race, seed = (integer(*count, 0) for count in (("screen", screen), ("race", race), ("seed", seed)))
    tolerance = float(positive("tolerance", tolerance, shape=()))
    feasibility = float(positive("feasibility", feasibility, shape=()))
    if 0 < screen < starts - 1 or (screen and starts == 1):
        raise ValueError(f"screen = {screen}: must be 0, or at least starts - 1 with more than one start ({starts})")
    if isinstance(method, str):
        one_of("method", method, METHODS)
    elif not (hasattr(method, "init") and hasattr(method, "update")):
        raise ValueError(f"method = {method!r}: must be one of {', '.join(METHODS)}, or an Optax transformation")
    if method not in SCIPY and any(row.bounded for row in problem.rows):
        raise ValueError(f"method = {_name(method)!r}: does not support constraints; use slsqp or trust-constr")
    chosen = problem.parameters
    points = chosen.to_vector(chosen.start)[None]
    others = spread(*chosen.box, screen or starts - 1, seed) if starts > 1 else points[:0]
    how = {"method": _name(method), "first": points.tolist(), "starts": starts, "tolerance": tolerance}
    how |= {"screen": screen, "race": race, "seed": seed} if starts > 1 else {}
    evaluator = Evaluator(problem, starts, log, how, progress, batch, race)
    if screen:
        values = evaluator.screen(others)
        broken = np.array([problem.violation(row) for row in values])
        # Feasible points first, ordered by objective; then the others, ordered by violation.
        others = others[np.lexsort([values[:, 0], np.where(broken <= feasibility, 0.0, broken)])[: starts - 1]]
    points = np.concatenate([points, others])

    def solve(start: int, ask: Callable[[np.ndarray], Evaluation]) -> tuple[bool, str, int, int]:
        first = ask(points[start])
        refuse_start(problem, first, feasibility, infeasible_start == "accept" or start > 0)
        at = Remembered(problem, ask, first)
        run = run_scipy if method in SCIPY else run_optax
        return *run(_transformation(method), problem, at, points[start], max_iterations, tolerance), at.cut

    ends = evaluator.run(solve)
    if isinstance(ends[0], Exception) and (starts == 1 or isinstance(ends[0], ValueError)):
        raise ends[0]
    if all(isinstance(end, Exception) for end in ends):
        raise OptimisationError(f"no start succeeded; the first failed with: {ends[0]}")
    return build_optimum(problem, evaluator, ends, feasibility, _name(method))


def _name(method: Any) -> str:
    return method if isinstance(method, str) else f"Optax {type(method).__name__}"


def _transformation(method: Any) -> Any:
    if method != "adam":
        return method
    import optax

    return optax.adam(0.03)  # learning rate relative to the unit box
