"""Parameter identification from recorded motion: nonlinear least squares with exact derivatives."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from spatial.checks import integer, positive, shown
from spatial.user_warnings import warn

from .forward_mode import values_and_jacobian
from .identified import Identified, build_identified
from .parameters import Parameters
from .problem import OptimisationError


def identify(
    model: Callable[[Any], Any],
    tree: Any,
    parameters: Mapping[str, Sequence[Any]],
    data: Any,
    *,
    noise: Any = None,
    tolerance: float = 1e-10,
    max_evaluations: int = 100,
) -> Identified:
    """Fits chosen coefficients of bodies, fluids, gaits and initial states to recorded motion.

    Minimises Σ ((model - data) / noise)² by a dogleg Gauss-Newton method within bounds (scipy's
    `least_squares`), with the exact Jacobian in forward mode.

    >>> import anguilla, gaits, jax.numpy as jnp
    >>> times = jnp.linspace(0.0, 2.0, 21)
    >>> def coasting(body):  # place of a body that drag slows down
    ...     return jnp.log(1.0 + body["drag"] * body["speed"] * times) / body["drag"]
    >>> seen = coasting({"drag": 0.7, "speed": 1.5})
    >>> found = gaits.identify(coasting, {"drag": 1.0, "speed": 1.0}, {"drag": (0.1, 3), "speed": (0, 3)}, seen)
    >>> found.estimate.round(6)
    array([0.7, 1.5])

    Args:
        model: function from the tree to predicted measurements: an array, or a mapping or tuple of arrays. It is
            differentiated in forward mode: give `adjoint=diffrax.ForwardMode()` to `rollout`.
        tree: starting point: any pytree whose float leaves are the coefficients, such as a fluid, (beam, fluid), or a
            mapping that also contains an unknown initial state.
        parameters: (low, high) or (low, high, scale) for each unknown, named by the end of its path in the tree.
        data: measurements, with the structure of the prediction; NaN for missing ones.
        noise: standard deviation of the measurements, one number or with the structure of the data. None for one
            unknown value, which is allowed if the model predicts a single array. In both cases the intervals follow
            from the residuals; a given noise only sets the weights, and `misfit` compares it with the residuals.
        tolerance: relative change of the coefficients or of the sum of squares at which the iteration ends.
        max_evaluations: maximum number of evaluations of the model.

    Returns:
        The estimate with its covariance and intervals; it prints as a table. A warning names coefficients that the
        data do not determine.

    Raises:
        ValueError: bad bounds, an unknown parameter, data whose structure differs from that of the prediction, or a
            model with derivatives in reverse mode only.
        OptimisationError: the prediction is not finite at the start, or the iteration does not converge.
    """
    problem = IdentificationProblem(model, tree, parameters)
    return problem.solve(data, noise=noise, tolerance=tolerance, max_evaluations=max_evaluations)


class IdentificationProblem:
    """An identification whose model is compiled once and fitted to many records of the same shape.

    Attributes:
        parameters: the unknowns.
    """

    def __init__(self, model: Callable[[Any], Any], tree: Any, parameters: Mapping[str, Sequence[Any]]):
        if not callable(model):
            raise ValueError(f"model = {shown(model)}: must be a function from the tree to predicted measurements")
        self.parameters = Parameters(tree, parameters)
        self._structure: Any = None

        def predicted(x):
            leaves, structure = jax.tree.flatten(model(self.parameters.tree(x)))
            self._structure = structure
            return [jnp.asarray(leaf, float) for leaf in leaves]

        def flat(x):
            return jnp.concatenate([leaf.ravel() for leaf in predicted(x)])

        self._shapes = [leaf.shape for leaf in jax.eval_shape(predicted, jnp.zeros(len(self.parameters.names)))]
        self._both = jax.jit(lambda x: values_and_jacobian(flat, x))

    def solve(
        self, data: Any, *, noise: Any = None, tolerance: float = 1e-10, max_evaluations: int = 100
    ) -> Identified:
        """Fits the unknowns to one record; arguments as in `identify`."""
        from scipy.optimize import least_squares

        tolerance = float(positive("tolerance", tolerance, shape=()))
        max_evaluations = integer("max_evaluations", max_evaluations, 1)
        p = self.parameters
        measured = np.concatenate([part.ravel() for part in self._arrays("data", data)])
        sigma = self._noise(noise)
        seen = np.isfinite(measured)
        if np.isinf(measured).any():
            raise ValueError("data: infinite measurements; write NaN for those that are missing")
        if not seen.any():
            raise ValueError("data: every measurement is missing (NaN)")
        if seen.sum() <= len(p.names):
            raise ValueError(f"data: {seen.sum()} measurements for {len(p.names)} unknowns: must be more")
        last: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

        def both(x):
            key = np.asarray(x).tobytes()
            if key not in last:
                values, jacobian = map(np.asarray, self._both(jnp.asarray(x)))
                last.clear()
                last[key] = (values - measured)[seen] / sigma[seen], jacobian[seen] / sigma[seen, None]
            return last[key]

        start = p.to_vector(p.start)
        r, J = both(start)
        if not (np.isfinite(r).all() and np.isfinite(J).all()):
            raise OptimisationError("the prediction, or its derivative, is not finite at the start")
        low, high = p.box
        inside = np.clip(start, low + 1e-10, high - 1e-10)  # strictly within, as the method requires
        end = least_squares(
            lambda x: both(x)[0],
            inside,
            jac=lambda x: both(x)[1],  # pyright: ignore[reportArgumentType]
            bounds=(low, high),
            method="dogbox",
            tr_solver="exact",
            ftol=tolerance,
            xtol=tolerance,
            gtol=None,  # pyright: ignore[reportArgumentType]
            max_nfev=max_evaluations,
        )
        if end.status == 0:
            raise OptimisationError(
                f"no convergence in {max_evaluations} evaluations of the model: start nearer to the solution, or give "
                "narrower bounds"
            )
        r, J = both(end.x)
        found = build_identified(p, end.x, r, J, noise is not None, int(end.nfev), str(end.message))
        if found.unidentifiable:
            warn("identify: " + found.cannot_tell)
        return found

    def _arrays(self, name, given):
        leaves, structure = jax.tree.flatten(given)
        if structure != self._structure or [np.shape(leaf) for leaf in leaves] != self._shapes:
            given, wanted = _described(structure, [np.shape(leaf) for leaf in leaves]), (self._structure, self._shapes)
            raise ValueError(f"{name}: has {given}: must be as the model predicts, {_described(*wanted)}")
        return [np.asarray(leaf, float) for leaf in leaves]

    def _noise(self, noise):
        count = sum(int(np.prod(shape)) for shape in self._shapes)
        if noise is None:
            if len(self._shapes) > 1:
                raise ValueError(
                    f"noise = None: the model predicts {len(self._shapes)} kinds of measurements: give the standard "
                    "deviation of each"
                )
            return np.ones(count)
        leaves, structure = jax.tree.flatten(noise)
        if structure != self._structure:
            if structure != jax.tree.structure(0):
                raise ValueError(f"noise: has structure {structure}: must be one number, or as the data")
            leaves = [positive("noise", noise, shape=())] * len(self._shapes)
        parts = [np.asarray(positive("noise", leaf)) for leaf in leaves]
        for part, shape in zip(parts, self._shapes, strict=True):
            if part.ndim > 0 and part.shape != shape:
                raise ValueError(f"noise has shape {part.shape}: must be one number, or {shape} as the data")
        return np.concatenate([np.broadcast_to(part, s).ravel() for part, s in zip(parts, self._shapes, strict=True)])


def _described(structure, shapes):
    return f"shape {shapes[0]}" if len(shapes) == 1 else f"structure {structure} of shapes {shapes}"
