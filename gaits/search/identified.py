"""Result of an identification: estimate, covariance, intervals, and directions that the data cannot tell."""

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from .parameters import Parameters

LEVEL = 0.95
SINGULAR = 1e-10  # singular values below this share of the largest count as zero
NAMED = 0.1  # share of an undetermined direction from which a coefficient is named


@dataclass(frozen=True)
class Unidentifiable:
    """A combination of coefficients that the data cannot tell.

    Attributes:
        weights: share of each coefficient, in units of the width of its bounds; of unit norm.
        names: coefficients with a considerable share.
    """

    weights: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True)
class Identified:
    """The result of `gaits.identify`; it prints as a table.

    Intervals hold for independent errors of the measurements and a model that is right up to its coefficients.

    Attributes:
        tree: the given tree with the estimate.
        names: of the unknowns.
        start: their values at the start, in their own units.
        estimate: their values at the end.
        low: lower bounds.
        high: upper bounds.
        covariance: s² (JᵀJ)⁻¹ of the estimate, Gauss-Newton. A direction that the data cannot tell has the variance of
            an even spread over its bounds.
        standard_error: square roots of its diagonal; infinite for coefficients that the data cannot tell.
        interval: 95 % interval of each coefficient, (unknowns, 2).
        unidentifiable: combinations that the data cannot tell.
        singular_values: of the weighted Jacobian, each unknown in units of the width of its bounds (or of its scale).
        misfit: s, root mean square of residuals over noise, per degree of freedom; with a noise that is given, near one
            when model and noise fit the data.
        noise_given: whether the noise was given; otherwise `misfit` is its estimate, in the unit of the data.
        residuals: weighted, of the measurements that are there.
        measurements: their number.
        evaluations: number of evaluations of the model.
        message: of the method.
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
        """Correlation of the errors of the coefficients [-]."""
        size = np.sqrt(np.diag(self.covariance))
        size = np.where(size > 0, size, 1.0)
        return self.covariance / size[:, None] / size[None, :]

    @property
    def cannot_tell(self) -> str:
        """What the data cannot tell, in words; empty when they tell everything."""
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


def build_identified(
    p: Parameters, x: np.ndarray, r: np.ndarray, J: np.ndarray, noise_given: bool, evaluations: int, message: str
) -> Identified:
    """The result from residuals and Jacobian at the solution, in the units of the vector of parameters."""
    from scipy.stats import t as student

    _, singular, Vt = np.linalg.svd(J, full_matrices=False)
    regular = singular > SINGULAR * max(singular[0], np.finfo(float).tiny)
    spare = max(r.size - int(regular.sum()), 1)
    s = float(np.sqrt(np.sum(r**2) / spare))
    reach = float(student.ppf(0.5 + 0.5 * LEVEL, spare))
    size = np.where(regular, s / np.where(regular, singular, 1.0), np.inf)
    identifiable = reach * size <= 1.0  # an interval wider than the bounds says nothing
    variance = np.where(identifiable, np.where(identifiable, size, 0.0) ** 2, 1.0 / 12.0)
    covariance = (Vt.T * variance) @ Vt
    free = [v for v, known in zip(Vt, identifiable, strict=True) if not known]
    unidentifiable = tuple(
        Unidentifiable(v, tuple(n for n, w in zip(p.names, v, strict=True) if abs(w) > NAMED * np.abs(v).max()))
        for v in free
    )
    share = np.sqrt(np.sum(np.square(free), axis=0)) if free else np.zeros(len(p.names))
    covariance = covariance * p.scale[:, None] * p.scale[None, :]
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
