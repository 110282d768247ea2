"""Frames of tracked points, and their differences from a midline of given curvature in its best-fitting pose."""

import numpy as np
from numpy.polynomial import legendre as series

from .tracked_points import TrackedPoints

ORDER = 5  # number of Gauss nodes between neighbouring points


class Frames:
    """All frames of a table, with the integrals of Legendre polynomials that their midlines need.

    Attributes:
        data: the points.
        modes: number of polynomials.
        freedom: number of coordinates seen, minus three for position and heading of each frame.
    """

    def __init__(self, data: TrackedPoints, modes: int):
        self.data, self.modes = data, modes
        self._weight = np.repeat(data.seen.astype(float), 2, axis=1)  # (frames, 2 points)
        self._points = np.where(data.seen[..., None], data.points, 0.0)
        self.freedom = int(2 * data.seen.sum() - 3 * data.seen.any(1).sum())
        z, w = series.leggauss(ORDER)
        half = 0.5 * np.diff(data.X)
        at = data.X[:-1, None] + half[:, None] * (1.0 + z)
        self._turn = _integrals(at.ravel(), data, modes)  # integrals from the first point to each node
        self._w = (half[:, None] * w).reshape(-1)

    def first_guess(self) -> np.ndarray:
        """Initial coefficients of each frame, from the directions between its points."""
        X, L = self.data.X, self.data.length
        middle = 0.5 * (X[1:] + X[:-1])
        A = np.concatenate([np.ones((middle.size, 1)), _integrals(middle, self.data, self.modes)], axis=1)
        # Weak regularisation: coefficients that few points cannot determine stay small.
        ridge = np.diag(np.concatenate([[0.0], 1e-3 * L * (1.0 + np.arange(self.modes)) ** 2]))
        out = np.zeros((len(self.data.times), self.modes))
        for k, (row, seen) in enumerate(zip(self.data.points, self.data.seen, strict=True)):
            if seen.any():
                filled = np.stack([np.interp(X, X[seen], row[seen, axis]) for axis in range(2)], axis=1)
                step = np.diff(filled, axis=0)
                angle = np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
                both = np.concatenate([A, ridge]), np.concatenate([angle, np.zeros(self.modes + 1)])
                out[k] = np.linalg.lstsq(*both, rcond=None)[0][1:]
        used = self.data.seen.any(1)
        for k in range(self.modes):  # frames without points are interpolated in time
            out[~used, k] = np.interp(self.data.times[~used], self.data.times[used], out[used, k])
        return out

    def residuals(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Midline minus points, shape (frames, 2 points), and its Jacobian in q; position and heading projected out.

        Args:
            q: coefficients of each frame [1/m].
        """
        shape, slopes = self._midline(q)
        _, _, turn, difference = self._fitted_pose(shape)
        frames, points = shape.shape[:2]
        r = self._weight * difference.reshape(frames, -1)
        J = self._weight[..., None] * np.einsum("kab,kpbm->kpam", turn, slopes).reshape(frames, 2 * points, -1)
        swing = np.einsum("kab,kpb->kpa", turn, np.stack([-shape[..., 1], shape[..., 0]], axis=-1))
        unit = np.broadcast_to(np.eye(2), (frames, points, 2, 2))
        A = np.concatenate([unit, swing[..., None]], axis=-1).reshape(frames, 2 * points, 3) * self._weight[..., None]
        Q, _ = np.linalg.qr(A)
        return r - np.einsum("kri,ksi,ks->kr", Q, Q, r), J - Q @ (Q.transpose(0, 2, 1) @ J)

    def poses(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position of the nose [m], heading there [rad], and points minus midline [m] of each frame."""
        shape, _ = self._midline(q)
        start, angle, turn, difference = self._fitted_pose(shape)
        ahead = np.zeros((len(q), 2))
        z, w = series.leggauss(ORDER)
        first = self.data.X[0]
        if first > 0.0:  # from the nose to the first point
            at = 0.5 * first * (1.0 + z)
            bend = q @ _integrals(at, self.data, self.modes).T
            ahead = -0.5 * first * np.stack([np.cos(bend) @ w, np.sin(bend) @ w], axis=-1)
        nose = start + np.einsum("kab,kb->ka", turn, ahead)
        heading = np.unwrap(angle + q @ _integrals(np.zeros(1), self.data, self.modes)[0])
        return nose, heading, np.where(self.data.seen[..., None], -difference, np.nan)

    def _midline(self, q):
        """Midline points in the frame of the first point, with its tangent along x, and their derivatives in q."""
        angle = q @ self._turn.T
        c, s = self._w * np.cos(angle), self._w * np.sin(angle)
        shape = np.stack([_cumulative(c), _cumulative(s)], axis=-1)
        slopes = np.stack([_cumulative(-s[..., None] * self._turn), _cumulative(c[..., None] * self._turn)], axis=2)
        return shape, slopes

    def _fitted_pose(self, shape):
        """Best-fitting position of the first point, heading, rotation and remaining differences of each frame."""
        weight = self.data.seen.astype(float)[..., None]
        total = np.maximum(weight.sum(1), 1.0)
        middle, target = (weight * shape).sum(1) / total, (weight * self._points).sum(1) / total
        a, b = weight * (shape - middle[:, None]), self._points - target[:, None]
        angle = np.arctan2((a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]).sum(1), (a * b).sum((1, 2)))
        c, s = np.cos(angle), np.sin(angle)
        turn = np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=1)
        start = target - np.einsum("kab,kb->ka", turn, middle)
        return start, angle, turn, start[:, None] + np.einsum("kab,kpb->kpa", turn, shape) - self._points


def _integrals(X: np.ndarray, data: TrackedPoints, modes: int) -> np.ndarray:
    """∫ P_i dX from the first point to X."""
    primitive = series.legint(np.eye(modes))
    value = lambda x: series.legval(2.0 * x / data.length - 1.0, primitive)  # noqa: E731
    return 0.5 * data.length * (value(X) - value(data.X[:1])).T


def _cumulative(values: np.ndarray) -> np.ndarray:
    """Cumulative sums over the Gauss nodes, from the first point to each point."""
    cells = values.reshape(values.shape[0], -1, ORDER, *values.shape[2:]).sum(2)
    return np.concatenate([np.zeros_like(cells[:, :1]), np.cumsum(cells, axis=1)], axis=1)
