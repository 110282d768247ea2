"""The greatest value of a periodic function known at even times, between the samples too."""

import functools

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

FINER = 32  # times between two samples at which the trigonometric interpolant is looked at


def peak_over_period(samples: Float[Array, "times *more"]) -> Float[Array, "*more"]:
    """Greatest value over the period, along the first axis: of the trigonometric interpolant, its top by a parabola.

    It is continuous in the samples, of any unit, with derivatives that are exact wherever one peak is the greatest.
    """
    fine = jnp.tensordot(_finer(samples.shape[0]), samples, axes=1)
    top = jnp.argmax(fine, axis=0)[None]
    before, here, after = (jnp.take_along_axis(fine, (top + shift) % fine.shape[0], axis=0)[0] for shift in (-1, 0, 1))
    bend = 2.0 * here - before - after
    flat = bend <= 1e-14 * (jnp.abs(before) + jnp.abs(after))
    return here + jnp.where(flat, 0.0, (after - before) ** 2 / (8.0 * jnp.where(flat, 1.0, bend)))


@functools.cache
def _finer(count: int) -> np.ndarray:
    """From even samples of a periodic function to its trigonometric interpolant at FINER times as many."""
    spectrum = np.fft.fft(np.eye(count), axis=0)
    orders = np.fft.fftfreq(count, 1.0 / count)
    weight = np.ones(count)
    if count % 2 == 0:
        # The highest frequency of an even count is a cosine: half of it at each sign.
        orders = np.append(orders, count / 2)
        spectrum = np.concatenate([spectrum, spectrum[count // 2 : count // 2 + 1]])
        weight = np.append(weight, 0.5)
        weight[count // 2] = 0.5
    angle = 2.0 * np.pi * np.arange(FINER * count) / (FINER * count)
    return np.real(np.exp(1j * angle[:, None] * orders[None, :]) @ (weight[:, None] * spectrum)) / count
