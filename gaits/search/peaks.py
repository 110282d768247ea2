"""Maximum of a periodic function from evenly spaced samples, including between the samples."""

import functools

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

FINER = 32  # refinement factor of the trigonometric interpolant


def peak_over_period(samples: Float[Array, "times *more"]) -> Float[Array, "*more"]:
    """Maximum over the period, along the first axis, of the trigonometric interpolant, refined by a parabola.

    The result is a continuous function of the samples, of any unit; its derivatives are exact if the maximum is unique.
    """
    fine = jnp.tensordot(_finer(samples.shape[0]), samples, axes=1)
    top = jnp.argmax(fine, axis=0)[None]
    before, here, after = (jnp.take_along_axis(fine, (top + shift) % fine.shape[0], axis=0)[0] for shift in (-1, 0, 1))
    bend = 2.0 * here - before - after
    flat = bend <= 1e-14 * (jnp.abs(before) + jnp.abs(after))
    return here + jnp.where(flat, 0.0, (after - before) ** 2 / (8.0 * jnp.where(flat, 1.0, bend)))


@functools.cache
def _finer(count: int) -> np.ndarray:
    """Matrix that evaluates the trigonometric interpolant of even samples at FINER times as many points."""
    spectrum = np.fft.fft(np.eye(count), axis=0)
    orders = np.fft.fftfreq(count, 1.0 / count)
    weight = np.ones(count)
    if count % 2 == 0:
        # For an even number of samples the Nyquist term is a cosine: half of it belongs to each sign of the frequency.
        orders = np.append(orders, count / 2)
        spectrum = np.concatenate([spectrum, spectrum[count // 2 : count // 2 + 1]])
        weight = np.append(weight, 0.5)
        weight[count // 2] = 0.5
    angle = 2.0 * np.pi * np.arange(FINER * count) / (FINER * count)
    return np.real(np.exp(1j * angle[:, None] * orders[None, :]) @ (weight[:, None] * spectrum)) / count
