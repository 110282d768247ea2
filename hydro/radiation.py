"""Radiation: added mass of a floating body, and a state-space model of the memory of its radiated waves."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Complex, Float

from spatial import Numbers, finite
from spatial.printing import Printed


class Radiation(Printed):
    """Added mass at infinite frequency and a state-space model of the fluid memory. [KR13, eqs. (50)-(51)]

        F = -A∞ dV/dt - C x,   dx/dt = A x + B V,   K(t) = C exp(A t) B

    B∞ of [KR13, eq. (50)] is zero in potential flow.

    Attributes:
        added_mass: A∞ about the body's origin, in its axes [kg, kg·m, kg·m²].
        drift: A, state matrix, stable [1/s].
        feed: B, input matrix from the twist in the frame of the hull to the states, which have any unit.
        read: C, output matrix from the states to the load in the frame of the hull; C B in [kg/s², kg·m/s², kg·m²/s²].
    """

    added_mass: Float[Array, "6 6"]
    drift: Float[Array, "n n"]
    feed: Float[Array, "n 6"]
    read: Float[Array, "6 n"]

    def __init__(self, added_mass: Numbers, drift: Numbers, feed: Numbers, read: Numbers):
        self.added_mass = finite("Radiation.added_mass", added_mass, (6, 6))
        self.feed = finite("Radiation.feed", feed, (None, 6))
        n = self.feed.shape[0]
        self.drift = finite("Radiation.drift", drift, (n, n))
        self.read = finite("Radiation.read", read, (6, n))
        if n and not isinstance(self.drift, Tracer):
            worst = np.linalg.eigvals(np.asarray(self.drift)).real.max()
            if worst >= 0:
                raise ValueError(f"Radiation.drift: a pole has real part {worst:.3g}: must be negative [1/s]")

    @property
    def order(self) -> int:
        """Number of radiation states."""
        return self.feed.shape[0]

    def only(self, modes: Sequence[int]) -> "Radiation":
        """Restricts the model to some modes of motion; states driven only by the other modes are removed."""
        fed = np.any(np.asarray(self.feed)[:, list(modes)] != 0, axis=1)
        kept = np.flatnonzero(fed)
        return Radiation(self.added_mass, self.drift[np.ix_(kept, kept)], self.feed[kept], self.read[:, kept])

    def rest(self) -> Float[Array, "n"]:
        """States for water at rest."""
        return jnp.zeros(self.order)

    def rate(self, memory: Float[Array, "n"], twist: Float[Array, "6"]) -> Float[Array, "n"]:
        """dx/dt for the twist of the body, in its frame [m/s, rad/s]."""
        return self.drift @ memory + self.feed @ twist

    def wrench(self, memory: Float[Array, "n"]) -> Float[Array, "6"]:
        """Memory load on the body, in its frame, without -A∞ dV/dt [N, N·m]."""
        return -self.read @ memory

    def response(self, frequency: Float[Array, "w"]) -> Complex[Array, "w 6 6"]:
        """K(iω) = B(ω) + iω (A(ω) - A∞) [kg/s, kg·m/s, kg·m²/s]."""

        def at(omega):
            matrix = 1j * omega * jnp.eye(self.order) - self.drift
            return self.read @ jnp.linalg.solve(matrix, self.feed.astype(complex))

        return jax.lax.map(at, frequency)

    def kernel(self, time: Float[Array, "t"]) -> Float[Array, "t 6 6"]:
        """K(t) = C exp(A t) B, the retardation function of the states [kg/s², kg·m/s², kg·m²/s²]."""
        return jax.lax.map(lambda t: self.read @ jax.scipy.linalg.expm(self.drift * t) @ self.feed, time)


def convolution(kernel: Float[Array, "t 6 6"], twist: Float[Array, "t 6"], step: Numbers) -> Float[Array, "t 6"]:
    """-∫ K(t - τ) V(τ) dτ from the first sample, by the trapezoidal rule. [KR13, eq. (50)]

    Reference for the state-space model, which approximates it at a fraction of the cost.

    Args:
        kernel: K on a uniform time grid from zero, in the frame of the hull [kg/s², kg·m/s², kg·m²/s²].
        twist: V at the same times, in the frame of the hull [m/s, rad/s].
        step: time step of the grid [s].
    """
    count = kernel.shape[0]
    spectra = jnp.fft.rfft(kernel, 2 * count, axis=0), jnp.fft.rfft(twist, 2 * count, axis=0)
    sums = jnp.fft.irfft(jnp.einsum("wij,wj->wi", *spectra), 2 * count, axis=0)[:count]
    ends = 0.5 * (jnp.einsum("ij,tj->ti", kernel[0], twist) + jnp.einsum("tij,j->ti", kernel, twist[0]))
    return -(sums - ends).at[0].set(0.0) * finite("step", step, ())
