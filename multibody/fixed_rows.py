"""Selection of the rows of an array by a fixed table, with slices where possible because gathers are slow."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

PIECES = 6  # maximum number of slices to join; beyond that a gather compiles faster


def rows_of(array: Float[Array, "..."], rows: np.ndarray, axis: int = 0) -> Float[Array, "..."]:
    """Rows of an array in the order of a table; an index of -1 gives a row of zeros.

    The transpose of a slice is a padding, so that derivatives and sums over branches need no scatter.

    Args:
        array: the array, in any unit.
        rows: indices of the rows; known at compile time.
        axis: axis of the rows, 0 or -1.
    """
    step = np.diff(rows)
    if len(rows) > 1 and rows[0] >= 0 and step[0] > 1 and np.all(step == step[0]):
        picked = slice(int(rows[0]), int(rows[-1]) + 1, int(step[0]))
        return array[picked] if axis == 0 else array[..., picked]
    firsts, counts = _runs(rows)
    if len(firsts) > PIECES:
        if np.any(rows < 0):
            array = jnp.concatenate([array, _zeros(array, 1, axis)], axis=axis)
            rows = np.where(rows < 0, array.shape[axis] - 1, rows)
        return jnp.take(array, rows, axis=axis, mode="clip")
    pieces = [
        _zeros(array, count, axis) if first < 0 else _slice(array, first, count, axis)
        for first, count in zip(firsts, counts, strict=True)
    ]
    if not pieces:
        return _zeros(array, 0, axis)
    return pieces[0] if len(pieces) == 1 else jnp.concatenate(pieces, axis=axis)


def _runs(rows):
    """First row and length of each run of consecutive (or absent) rows."""
    rows = np.asarray(rows)
    together = (np.diff(rows) == 1) & (rows[:-1] >= 0) | (rows[:-1] < 0) & (rows[1:] < 0)
    begin = np.flatnonzero(np.concatenate([[True], ~together])) if len(rows) else np.zeros(0, int)
    return rows[begin].tolist(), np.diff(np.concatenate([begin, [len(rows)]])).tolist()


def _slice(array, first, count, axis):
    if first == 0 and count == array.shape[axis]:
        return array
    return array[first : first + count] if axis == 0 else array[..., first : first + count]


def _zeros(array, count, axis):
    shape = (count, *array.shape[1:]) if axis == 0 else (*array.shape[:-1], count)
    return jnp.zeros(shape, array.dtype)
