"""Basis functions in time of a fitted law: a Fourier series, or B-splines of degree five."""

from math import factorial

import jax.numpy as jnp
import numpy as np

from .laws import PeriodicBending, SplineBending

MOST_UNKNOWNS = 2000
KNOTS_PER_BEAT = 8
DEGREE = 5


class FourierBasis:
    """Functions 1, cos ωτ, sin ωτ, cos 2ωτ, ..., with τ relative to the middle of the record.

    Attributes:
        period: 2π/ω [s].
        values: values of the functions at the frames.
        period_derivative: derivatives of the values with respect to the period [1/s]; None if the period is given.
        mass: means of products of the functions over a period.
        roughness: means of products of their third derivatives over a period, with respect to the phase ωτ.
    """

    def __init__(self, times: np.ndarray, period: float, harmonics: int, refine: bool):
        self.times, self.period, self.harmonics, self.refine = times, float(period), harmonics, refine
        self.origin = 0.5 * (times[0] + times[-1])
        order = np.arange(1, harmonics + 1)
        phase = 2.0 * np.pi * order * (times - self.origin)[:, None] / self.period
        pair = lambda a, b: np.stack([a, b], axis=2).reshape(len(times), -1)  # noqa: E731
        self.values = np.concatenate([np.ones((len(times), 1)), pair(np.cos(phase), np.sin(phase))], axis=1)
        rate = -phase / self.period
        slope = np.concatenate([np.zeros((len(times), 1)), pair(-rate * np.sin(phase), rate * np.cos(phase))], axis=1)
        self.period_derivative = slope if refine else None
        self.mass = np.diag(np.concatenate([[1.0], np.full(2 * harmonics, 0.5)]))
        self.roughness = np.diag(np.concatenate([[0.0], 0.5 * np.repeat(order, 2) ** 6.0]))

    def with_period(self, period: float) -> "FourierBasis":
        """The same basis with another period [s]."""
        return FourierBasis(self.times, period, self.harmonics, self.refine)

    def law(self, coefficients: np.ndarray, length: float) -> PeriodicBending:
        """The law with these coefficients."""
        return PeriodicBending(*(jnp.asarray(x, float) for x in (coefficients, self.period, length, self.origin)))


class SplineBasis:
    """B-splines of degree five on evenly spaced knots over the record; attributes as in `FourierBasis`."""

    period_derivative = None

    def __init__(self, times: np.ndarray, beat: float, modes: int):
        from scipy.interpolate import BSpline

        span = times[-1] - times[0]
        spacing = max(beat / KNOTS_PER_BEAT, 2.0 * float(np.median(np.diff(times))))
        cells = max(4, int(np.ceil(span / spacing)))
        if (cells + DEGREE) * modes > MOST_UNKNOWNS:
            raise ValueError(
                f"table: {span:g} s need {cells} knots in time and {modes} modes, more than {MOST_UNKNOWNS} unknowns: "
                "fit shorter pieces, or give fewer modes"
            )
        if np.max(np.diff(times)) > 2.0 * span / cells:
            k = int(np.argmax(np.diff(times)))
            raise ValueError(
                f"table: no frames between {times[k]:g} and {times[k + 1]:g} s: a gap this long cannot be fitted"
            )
        inner = np.linspace(times[0], times[-1], cells + 1)
        self.knots = np.concatenate([np.full(DEGREE, times[0]), inner, np.full(DEGREE, times[-1])])
        self.values = BSpline.design_matrix(times, self.knots, DEGREE).toarray()
        z, w = np.polynomial.legendre.leggauss(DEGREE + 1)
        at = (inner[:-1, None] + 0.5 * np.diff(inner)[:, None] * (1.0 + z)).ravel()
        weight = np.tile(w, cells)[:, None] / (2.0 * cells)
        spline = BSpline(self.knots, np.eye(cells + DEGREE), DEGREE)
        self.mass, self.roughness = (
            (weight * part).T @ part for part in (spline(at), (KNOTS_PER_BEAT * span / cells) ** 3 * spline(at, 3))
        )
        self._inner = inner

    def law(self, coefficients: np.ndarray, length: float) -> SplineBending:
        """The law with these coefficients."""
        from scipy.interpolate import BSpline

        spline = BSpline(self.knots, coefficients.T, DEGREE)
        powers = range(DEGREE, -1, -1)
        pieces = np.stack([spline(self._inner[:-1], nu=p) / factorial(p) for p in powers])
        return SplineBending(jnp.asarray(self._inner), jnp.asarray(pieces), jnp.asarray(length, float))


def dominant_period(times: np.ndarray, series: np.ndarray) -> float:
    """Period of the strongest oscillation common to several series [s].

    Args:
        times: times of the samples [s].
        series: samples, one column for each series, any unit.
    """
    even = np.linspace(times[0], times[-1], len(times))
    sampled = np.stack([np.interp(even, times, column) for column in series.T], axis=1)
    sampled = (sampled - sampled.mean(0)) * np.hanning(len(even))[:, None]
    power = (np.abs(np.fft.rfft(sampled, 16 * len(even), axis=0)) ** 2).sum(1)
    frequency = np.fft.rfftfreq(16 * len(even), even[1] - even[0])
    return float(1.0 / frequency[1 + np.argmax(power[1:])])
