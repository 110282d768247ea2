"""Fits a smooth bending law to tracked points by penalised least squares on the points themselves.

Curvature is a second derivative of the points, so differentiating a curve through noisy points would amplify the noise.
Here the midline is the integral of the unknown curvature,

    K(X, t) = Σ_ij c_ij P_i(X) w_j(t),   θ = θ0(t) + ∫ K dX,   r = r0(t) + ∫ (cos θ, sin θ) dX,

and the coefficients c, with the position and heading (r0, θ0) of each frame, minimise

    Σ |r - points|² + λ_X ∫∫ (L³ ∂³K/∂X³)² + λ_t ∫∫ (T³ ∂³K/∂t³)²

by Gauss-Newton. Position and heading are projected out frame by frame [GP03]. The weights λ minimise the
generalised cross-validation score, with degrees of freedom weighted by 1.4 [KG04].
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import legendre as series

from spatial import Numbers, positive
from spatial.checks import integer, shown
from spatial.user_warnings import warn

from ..strain import Strain, planar_bending
from .frames import Frames
from .laws import PeriodicBending, SplineBending
from .time_bases import FourierBasis, SplineBasis, dominant_period
from .tracked_points import TrackedPoints, read_points

FREEDOM = 1.4  # weight of the degrees of freedom in cross-validation; values above one smooth more
ITERATIONS = 30
SETTLED = 1e-9  # relative change of the coefficients at which the iteration ends
CHOICES = 2  # iterations in which the weights of the penalties are chosen; they are fixed afterwards
NOT_PERIODIC = 1.5  # a motion is not periodic if its residual exceeds that of frames fitted one by one by this factor


@dataclass(frozen=True)
class MidlineFit:
    """A gait fitted to tracked points; it prints its residual.

    Attributes:
        gait: strain law, planar bending about t3.
        law: its bending K3(X, t), which can be combined with other laws, such as `gaits.Start(0, 1) * fit.law`.
        period: period of the motion [s]; None if it is not periodic.
        residual: root mean square difference between points and midline, per axis [m].
        noise: standard deviation of the points per axis, from the residual and the remaining degrees of freedom [m].
        freedom: effective number of coefficients of the law.
        times: times of the frames [s].
        nose: position of X = 0 in each frame, in the world [m].
        heading: angle of the midline's tangent at X = 0 (towards the tail) from the world's x axis [rad].
        X: abscissae of the points [m].
        differences: points minus midline in the world [m]; NaN where a point was not seen.
        length: length of the body [m].
    """

    gait: Strain
    law: PeriodicBending | SplineBending
    period: float | None
    residual: float
    noise: float
    freedom: float
    times: np.ndarray
    nose: np.ndarray
    heading: np.ndarray
    X: np.ndarray
    differences: np.ndarray
    length: float

    def __str__(self) -> str:
        unseen = np.isnan(self.differences).any(-1).mean()
        repeats = "does not repeat" if self.period is None else f"period {self.period:.5g} s"
        return (
            f"MidlineFit({len(self.times)} frames of {len(self.X)} points, {unseen:.0%} not seen; {repeats}; "
            f"{self.freedom:.0f} effective coefficients; residual {self.residual:.3g} m "
            f"({self.residual / self.length:.2g} lengths))"
        )


def from_midline(
    table: Any,
    *,
    length: Numbers | None = None,
    period: Numbers | None = None,
    periodic: bool = True,
    modes: int | None = None,
    harmonics: int = 3,
    y_down: bool = False,
) -> MidlineFit:
    """Fits a gait to tracked points of a body that moves in a plane.

    >>> import numpy as np, anguilla, gaits
    >>> X, times = np.linspace(0, 1, 21), np.arange(60) / 60
    >>> heading = 0.4 * np.sin(2 * np.pi * (X - 2 * times[:, None]))  # two beats in a second
    >>> steps = np.stack([np.cos(heading), np.sin(heading)], axis=-1)[:, :-1] / 20
    >>> points = np.concatenate([np.zeros((60, 1, 2)), np.cumsum(steps, axis=1)], axis=1)
    >>> fit = gaits.from_midline((times, X, points), harmonics=1)
    >>> round(fit.period, 3)
    0.5

    The frame of the points is right-handed with z up: seen from above, y is to the left of x. A mirrored table cannot
    be detected: its law has the opposite sign and swims as fast. Image coordinates, whose y axis points down, need
    `y_down=True`. Points numbered from the tail are detected if the body travels at least half its length.

    Args:
        table: a CSV file with columns time, X (or the number `point`), x, y and optionally z, one row per point and
            frame; a NetCDF file or xarray dataset with `position` over time, X and axis, as `simulate` writes it; or
            arrays (times, points) or (times, X, points), points of shape (times, points, 2 or 3). Times are in s and
            lengths in m, unless the first line of a CSV file says ms, cm or mm, as in `x [cm]`; points are ordered from
            the nose to the tail, with NaN for a point that was not seen. Without X, abscissae are computed from the
            distances between points.
        length: length of the body [m]; when None, the largest X.
        period: period of the motion [s]; when None, it is estimated from the points.
        periodic: whether the motion repeats. Otherwise the law is a spline in time, NaN outside the table.
        modes: number of polynomials along the body; when None, chosen by the number of points. The penalty limits the
            effective number.
        harmonics: number of harmonics of a periodic motion.
        y_down: whether y points down, as in images.

    Returns:
        The fit; its `gait` can be used as any other gait.

    Raises:
        ValueError: gaps, unordered times or abscissae, too few points, units inconsistent with the length, exchanged
            axes, points numbered from the tail, or motion out of the plane.
    """
    data = read_points(table, length, y_down)
    modes = min(18, max(4, data.X.size // 2 + 2)) if modes is None else modes
    modes, harmonics = integer("modes", modes, 2), integer("harmonics", harmonics, 1)
    if period is not None and not periodic:
        raise ValueError(f"period = {shown(period)}: a motion that does not repeat (periodic=False) has none")
    frames = Frames(data, modes)
    single = frames.first_guess()
    if periodic:
        given = None if period is None else float(positive("period", period, "s", ()))
        start = dominant_period(data.times, single) if given is None else given
        if given is None and not 1.5 * start <= np.ptp(data.times):
            raise ValueError(
                f"table: {np.ptp(data.times):g} s do not hold one and a half beats: give `period`, or periodic=False"
            )
        basis = FourierBasis(data.times, start, harmonics, refine=given is None)
    else:
        basis = SplineBasis(data.times, dominant_period(data.times, single), modes)
    solution = _fit(frames, basis, single)
    return _result(data, frames, solution, periodic)


@dataclass
class _Solution:
    coefficients: np.ndarray
    basis: FourierBasis | SplineBasis
    weights: np.ndarray  # log10 of λ_X and λ_t
    freedom: float


def _fit(frames: Frames, basis, single: np.ndarray) -> _Solution:
    """Gauss-Newton iteration; the weights of the penalties are chosen anew in each of the first iterations."""
    C = np.linalg.lstsq(basis.values, single, rcond=1e-10)[0].T
    along = _roughness(frames.modes)
    weights, freedom = np.array([-6.0, -6.0]), 0.0
    for iteration in range(ITERATIONS):
        w, dw = basis.values, basis.period_derivative
        q = w @ C.T
        r, J = frames.residuals(q)
        G = np.einsum("kri,krj->kij", J, J)
        g = np.einsum("kri,kr->ki", J, r)
        size = C.size
        extra = 0 if dw is None else 1
        N = np.zeros((size + extra, size + extra))
        # Each frame contributes (w wᵀ) ⊗ (JᵀJ); the sum over frames is one matrix product.
        pairs = np.einsum("ka,kb->kab", w, w).reshape(len(w), -1)
        blocks = (G.reshape(len(w), -1).T @ pairs).reshape(frames.modes, frames.modes, w.shape[1], w.shape[1])
        N[:size, :size] = blocks.transpose(0, 2, 1, 3).reshape(size, size)
        b = np.zeros(size + extra)
        b[:size] = -(g.T @ w).ravel()
        if dw is not None:
            dq = dw @ C.T
            Gdq = np.einsum("kij,kj->ki", G, dq)
            N[:size, size] = N[size, :size] = (Gdq.T @ w).ravel()
            N[size, size], b[size] = np.sum(Gdq * dq), -np.sum(g * dq)
        problem = _Linearised(N, b, float(np.sum(r**2)), frames.freedom, C.ravel(), along, basis)
        if iteration < CHOICES:
            weights = problem.best_weights(weights)
        change, freedom = problem.solve(weights)
        C = C + change[:size].reshape(C.shape)
        if dw is not None:
            basis = basis.with_period(basis.period + change[size])
        if np.max(np.abs(change[:size])) <= SETTLED * np.max(np.abs(C)) and iteration >= CHOICES:
            return _Solution(C, basis, weights, freedom)
    raise RuntimeError(
        "from_midline: the fit did not converge. Likely causes: a wrong period, points out of order, or too few points "
        "for the bends of the body"
    )


@dataclass
class _Linearised:
    """The penalised least-squares problem about one set of coefficients."""

    N: np.ndarray
    b: np.ndarray
    misfit: float
    count: int
    c: np.ndarray
    along: tuple[np.ndarray, np.ndarray]
    basis: FourierBasis | SplineBasis

    def penalty(self, weights: np.ndarray) -> np.ndarray:
        (mass_X, rough_X), (mass_t, rough_t) = self.along, (self.basis.mass, self.basis.roughness)
        # Scaled by the mean diagonal of the normal matrix, so that the weights are at most of order one.
        size = np.trace(self.N[: self.c.size, : self.c.size]) / self.c.size
        P = 10.0 ** weights[0] * np.kron(rough_X, mass_t) + 10.0 ** weights[1] * np.kron(mass_X, rough_t)
        return size * P

    def solve(self, weights: np.ndarray) -> tuple[np.ndarray, float]:
        """Change of the unknowns, and the effective number of coefficients."""
        from scipy.linalg import cho_factor, cho_solve

        n, P, A, b = self.c.size, self.penalty(weights), self.N.copy(), self.b.copy()
        A[:n, :n] += P
        b[:n] -= P @ self.c
        scale = 1.0 / np.sqrt(np.diag(A))
        A = A * scale[:, None] * scale[None, :]
        A[np.diag_indices_from(A)] += 1e-13
        factor = cho_factor(A)
        change = scale * cho_solve(factor, scale * b)
        freedom = np.trace(cho_solve(factor, self.N * scale[:, None] * scale[None, :]))
        return change, float(freedom)

    def score(self, weights: np.ndarray) -> float:
        """Logarithm of the generalised cross-validation score."""
        change, freedom = self.solve(weights)
        left = self.misfit - 2.0 * self.b @ change + change @ self.N @ change
        return np.log(max(left, 1e-300)) - 2.0 * np.log(max(self.count - FREEDOM * freedom, 1e-3))

    def best_weights(self, start: np.ndarray) -> np.ndarray:
        from scipy.optimize import minimize

        simplex = np.clip(start, -13.0, -1.0) + np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5]])
        search = lambda x: self.score(np.clip(x, -14.0, 2.0))  # noqa: E731
        options = {"initial_simplex": simplex, "xatol": 0.2, "fatol": 1e-3, "maxfev": 40}
        return np.clip(minimize(search, start, method="Nelder-Mead", options=options).x, -14.0, 2.0)


def _roughness(modes: int) -> tuple[np.ndarray, np.ndarray]:
    """∫ P_i P_j and ∫ P_i''' P_j''' over a body of unit length."""
    z, weight = series.leggauss(modes + 2)
    P = series.legval(z, np.eye(modes)).T
    D = 8.0 * series.legval(z, series.legder(np.eye(modes), 3)).T if modes > 3 else np.zeros_like(P)
    w = 0.5 * weight[:, None]
    return (w * P).T @ P, (w * D).T @ D


def _result(data: TrackedPoints, frames: Frames, solution: _Solution, periodic: bool) -> MidlineFit:
    q = solution.basis.values @ solution.coefficients.T
    r, _ = frames.residuals(q)
    total, freedom = float(np.sum(r**2)), solution.freedom
    noise = np.sqrt(total / max(frames.freedom - freedom, 1.0))
    if periodic:
        _warn_if_not_periodic(frames, q, r, noise)
    law = solution.basis.law(solution.coefficients, data.length)
    nose, heading, differences = frames.poses(q)
    return MidlineFit(
        gait=planar_bending(law),
        law=law,
        period=float(law.period) if isinstance(law, PeriodicBending) else None,
        residual=float(np.sqrt(total / (2 * data.seen.sum()))),
        noise=float(noise),
        freedom=freedom,
        times=data.times,
        nose=nose,
        heading=heading,
        X=data.X,
        differences=differences,
        length=data.length,
    )


def _warn_if_not_periodic(frames: Frames, q: np.ndarray, r: np.ndarray, noise: float) -> None:
    """Compares the residual with that of frames that are fitted one by one, with few modes."""
    _, J = frames.residuals(q)
    few = min(frames.modes, max(4, frames.data.X.size // 3))
    left, spare = 0.0, 0
    for row, slope, seen in zip(r, J, frames.data.seen, strict=True):
        if 2 * seen.sum() - 3 > 2 * few:
            step = np.linalg.lstsq(slope[:, :few], -row, rcond=1e-8)[0]
            left += float(np.sum((row + slope[:, :few] @ step) ** 2))
            spare += 2 * int(seen.sum()) - 3 - few
    if spare and noise > NOT_PERIODIC * np.sqrt(left / spare) and noise > 1e-5 * frames.data.length:
        warn(
            f"from_midline: the motion does not repeat with this period and these harmonics: the residual is "
            f"{noise:.3g} m, that of frames fitted one by one {np.sqrt(left / spare):.3g} m. Use "
            "periodic=False, or more harmonics.",
        )
