"""Swimmers of the atlas besides Kern and Koumoutsakos's: two eels, and a lamprey over Reynolds numbers."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

import cosserat
import gaits

from .kern_koumoutsakos import body
from .swimmer import Figure, Swimmer

EEL = Swimmer(
    name="bpk06-eel",
    title="the 2 m eel of [BPK06], planar gait",
    source="[BPK06]; body reconstructed from its overall sizes and mass",
    body=cosserat.eel,
    gait=gaits.planar,
    period=1.0,
    density=1000.0,
    viscosity=1.0e-6,
    edge=1.95,
    speed=None,
    independent={},
    chosen="the shedding edge at the tail's cap; the paper has no wake and quotes no speed for one",
)


class GrowingWave(eqx.Module):
    """Bending that gives the lateral displacement y(s, t) = a exp(g (s - 1)) sin 2π(s/λ - t), s the arc length.

    Attributes:
        amplitude: a at the tail [m].
        wavelength: λ [m].
        growth: growth rate g of the amplitude along the body [1/m].
    """

    amplitude: Float[Array, ""]
    wavelength: Float[Array, ""]
    growth: Float[Array, ""]

    def __call__(self, X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
        """Strain at an abscissa [m] and a time [s]: K3 = d/ds arcsin(dy/ds)."""
        phase = lambda s: 2.0 * jnp.pi * (s / self.wavelength - t)  # noqa: E731
        wave = lambda s: jnp.exp(self.growth * (s - 1.0)) * jnp.sin(phase(s))  # noqa: E731
        slope = jax.grad(lambda s: self.amplitude * wave(s))
        return jnp.eye(6)[0] + jax.grad(lambda s: jnp.arcsin(slope(s)))(X) * jnp.eye(6)[5]


LAMPREY = Swimmer(
    name="lamprey",
    title="lamprey over Reynolds numbers",
    source="I. Borazjani, F. Sotiropoulos, anguilliform swimming, transitional and inertial regimes, J. Exp. Biol. "
    "212, 2009: abstract for the trend; amplitude 0.089 exp(s - 1) and wave length 0.642 from memory",
    body=body,
    gait=lambda: GrowingWave(*map(jnp.asarray, (0.089, 0.642, 1.0))),
    period=1.0,
    density=1.0,
    viscosity=1.0e-4,
    edge=0.95,
    speed=None,
    independent={},
    chosen="the body of Kern and Koumoutsakos is used for the lamprey; published as a trend: over Re = 300, 4000 "
    "and infinity the Strouhal number of free swimming falls, and approaches 0.45 only as the Reynolds number rises",
)
TYTELL = Swimmer(
    name="tytell-eel",
    title="American eels at 1.4 lengths a second",
    source="E. D. Tytell, G. V. Lauder, The hydrodynamics of eel swimming I, J. Exp. Biol. 207, 2004: speed from its "
    "abstract; tail beat 3.11 Hz, tail amplitude 0.069 L, wave length 0.604 L and growth 2.76 from memory",
    body=body,
    gait=lambda: GrowingWave(*map(jnp.asarray, (0.069, 0.604, 2.76))),
    period=1.0,
    density=1.0,
    viscosity=8.0e-6,  # a 0.2 m eel at 0.28 m/s, for a length and a period of one
    edge=0.95,
    speed=Figure(0.45, "lengths per period", "1.4 lengths a second at 3.11 Hz", from_memory=True),
    independent={},
    chosen="the body of Kern and Koumoutsakos is used for the eel",
    misfit="the eel's fin is as deep as its body up to the tail, that of the body used here is not",
)
LAMPREY_VISCOSITIES = (1.0e-3, 1.0e-4, 1.0e-6)  # [m²/s], for a length and a period of one
