"""Result of an identification: estimate, covariance, intervals, and unidentifiable directions."""

import html
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from .parameters import Parameters

LEVEL = 0.95
SINGULAR = 1e-10  # singular values below this fraction of the largest count as zero
NAMED = 0.1  # a coefficient is reported if its share of an unidentifiable direction exceeds this value


@dataclass(frozen=True)
class Unidentifiable:
    """A combination of coefficients that the data do not determine.

    Attributes:
        weights: share of each coefficient, in units of the width of its bounds (its scale if it has none); unit norm.
        names: coefficients with a significant share.
    """

    weights: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True)
class Identified:
    """The result of `gaits.identify`; it prints as a table.

    The intervals assume independent measurement errors and a model that is exact except for its coefficients.

    Attributes:
        tree: the given tree with the estimate.
        names: names of the unknowns.
        start: their values at the start, in their own units.
        estimate: their values at the end.
        low: lower bounds.
        high: upper bounds.
        covariance: Gauss-Newton covariance s² (JᵀJ)⁻¹ of the estimate. An unidentifiable direction has the variance of
            a uniform distribution over its bounds.
        standard_error: square roots of the diagonal of the covariance; infinite for unidentifiable coefficients.
        interval: 95 % confidence interval of each coefficient, shape (unknowns, 2).
        unidentifiable: combinations of coefficients that the data do not determine.
        singular_values: singular values of the weighted Jacobian, with each unknown in units of the width of its
            bounds (its scale if it has none).
        misfit: s, root of the sum of squared residuals over noise per degree of freedom; with a given noise, it is near
            one if model and noise fit the data.
        noise_given: whether the noise was given; otherwise `misfit` is its estimate, in the unit of the data.
        residuals: weighted residuals of the measurements that are not missing.
        measurements: number of measurements that are not missing.
        evaluations: number of evaluations of the model.
        message: message of the solver.
    """

    tree: Any
    names: list[str]
    start: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    covariance: np.ndarray
    standard_error: np.ndarray
    interval: np.ndarray
    unidentifiable: tuple[Unidentifiable, ...]
    singular_values: np.ndarray
    misfit: float
    noise_given: bool
    residuals: np.ndarray
    measurements: int
    evaluations: int
    message: str

    @property
    def correlation(self) -> np.ndarray:
        """Correlation matrix of the estimated coefficients [-]."""
        size = np.sqrt(np.diag(self.covariance))
        size = np.where(size > 0, size, 1.0)
        return self.covariance / size[:, None] / size[None, :]

    @property
    def cannot_tell(self) -> str:
        """Text that describes the unidentifiable combinations; empty if there are none."""
        parts = []
        for direction in self.unidentifiable:
            if len(direction.names) == 1:
                parts.append(f"the data cannot tell {direction.names[0]}")
            else:
                terms = " ".join(
                    f"{weight:+.2g} {name}"
                    for name, weight in zip(self.names, direction.weights, strict=True)
                    if name in direction.names
                )
                names = ", ".join(direction.names)
                parts.append(f"the data cannot tell {names} apart: they leave {terms} free (in widths of the bounds)")
        return "; ".join(parts)

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [f"{'coefficient':{width}}  {'start':>12}    {'estimate':>12}   95 % interval"]
        rows = zip(self.names, self.start, self.estimate, self.standard_error, self.interval, strict=True)
        for k, (name, start, value, error, (a, b)) in enumerate(rows):
            room = min(value - self.low[k], self.high[k] - value)
            touch = " <- at its bound" if room <= 1e-6 * (self.high[k] - self.low[k]) else ""
            interval = f"[{a:.6g}, {b:.6g}]" if np.isfinite(error) else "not identifiable from the data"
            lines.append(f"{name:{width}}  {start:12.6g} -> {value:12.6g}   {interval}{touch}")
        kind = "times the given noise" if self.noise_given else "(estimated noise)"
        lines += [
            "",
            f"{self.measurements} measurements, {self.evaluations} evaluations; residual {self.misfit:.4g} {kind}",
        ]
        if self.unidentifiable:
            lines.append(self.cannot_tell)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return f"<pre>{html.escape(str(self))}</pre>"


def build_identified(
    p: Parameters, x: np.ndarray, r: np.ndarray, J: np.ndarray, noise_given: bool, evaluations: int, message: str
) -> Identified:
    """Builds the result from residuals and Jacobian at the solution, with parameters in scaled units."""
    from scipy.stats import t as student

    width = p.high - p.low
    unit = np.where(np.isfinite(width), width, p.scale)
    _, singular, Vt = np.linalg.svd(J * (unit / p.scale), full_matrices=False)
    regular = singular > SINGULAR * max(singular[0], np.finfo(float).tiny)
    spare = max(r.size - int(regular.sum()), 1)
    s = float(np.sqrt(np.sum(r**2) / spare))
    reach = float(student.ppf(0.5 + 0.5 * LEVEL, spare))
    size = np.where(regular, s / np.where(regular, singular, 1.0), np.inf)
    identifiable = reach * size <= 1.0  # an interval wider than the bounds carries no information
    variance = np.where(identifiable, np.where(identifiable, size, 0.0) ** 2, 1.0 / 12.0)
    covariance = (Vt.T * variance) @ Vt
    free = [v for v, known in zip(Vt, identifiable, strict=True) if not known]
    unidentifiable = tuple(
        Unidentifiable(v, tuple(n for n, w in zip(p.names, v, strict=True) if abs(w) > NAMED * np.abs(v).max()))
        for v in free
    )
    share = np.sqrt(np.sum(np.square(free), axis=0)) if free else np.zeros(len(p.names))
    covariance = covariance * unit[:, None] * unit[None, :]
    error = np.where(share > NAMED, np.inf, np.sqrt(np.diag(covariance)))
    estimate = p.from_vector(x)
    return Identified(
        tree=p.tree(jnp.asarray(x)),
        names=p.names,
        start=p.start,
        estimate=estimate,
        low=p.low,
        high=p.high,
        covariance=covariance,
        standard_error=error,
        interval=np.stack([estimate - reach * error, estimate + reach * error], axis=1),
        unidentifiable=unidentifiable,
        singular_values=singular,
        misfit=s,
        noise_given=noise_given,
        residuals=r,
        measurements=int(r.size),
        evaluations=evaluations,
        message=message,
    )
