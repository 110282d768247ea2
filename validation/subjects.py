"""Bodies, gaits and runs shared by several checks, built once because compilation dominates their cost."""

import functools

import diffrax
import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

import cosserat
import gaits
import hydro
from cosserat.state import unchecked_state

TIMES = np.linspace(0.0, 10.0, 101)  # of the four published swims [s]
RTOL, ATOL = 1e-9, 1e-11  # of these swims: a tenth of the 1e-6 claimed by their references, with a wide margin


@functools.cache
def eel() -> cosserat.Beam:
    """The body of [BPK06, IX.A]."""
    return cosserat.eel()


@functools.cache
def nested() -> cosserat.Nested:
    """The reference space path."""
    return cosserat.Nested()


@functools.cache
def tight_nested() -> cosserat.Nested:
    """The reference space path at round-off tolerance."""
    return cosserat.Nested(controller=diffrax.PIDController(rtol=1e-13, atol=1e-13))


def straight(X: Float[Array, ""], t: Float[Array, ""]) -> Float[Array, "6"]:
    """Zero deformation."""
    return jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])


@functools.cache
def published_gait(name: str) -> gaits.Strain:
    """A gait of [BPK06, IX.B-D]; all four are one law with three offsets, so that one program serves them."""
    dive, offset2, offset3 = {
        "planar": (0.0, 0.0, 0.0),
        "turn": (0.0, 0.0, 0.5),
        "dive": (0.5, 0.0, 0.0),
        "spiral": (0.0, 0.5, 0.5),
    }[name]
    start, wave = gaits.Start(0.0, 1.0), gaits.TravellingWave((1.0, -0.75, 1.0), 1.0, 1.0)
    pitch = gaits.Ramps((2.0, 3.0, 4.0, 5.0, 6.0, 7.0), (0.0, 1.0, 0.0, 0.0, -1.0, 0.0))
    return gaits.universal(pitch * dive + start * offset2, start * (wave + offset3))


@functools.cache
def six_strains() -> gaits.Strain:
    """A spatial gait with torsion, stretch and shear, starting from rest."""
    start, wave = gaits.Start(0.0, 1.0), gaits.TravellingWave
    return gaits.timoshenko_reissner(
        1.0 + start * wave(0.1, 1.5, 0.8, 0.3),
        start * wave(0.05, 1.1, 1.2, 0.7),
        start * wave(0.04, 0.9, 1.3, 1.0),
        start * wave((0.1, 0.3), 1.3, 1.1, 0.2),
        start * wave((-0.1, 0.5), 1.7, 0.9, 0.5),
        start * wave((0.6, 0.8), 1.0, 1.0, 0.1),
    )


def tight_run(gait: gaits.Strain, fluid: hydro.AbstractFluid, state: cosserat.HeadState) -> cosserat.Trajectory:
    """Ten seconds of the eel at the tightest tolerances that round-off allows; steps end at the output times."""
    return cosserat.rollout(
        eel(),
        gait,
        fluid,
        10.0,
        state=state,
        samples=11,
        rtol=1e-12,
        atol=1e-13,
        solver=diffrax.Dopri8(),
        land=True,
    )


@functools.cache
def swim(name: str) -> cosserat.Trajectory:
    """Ten seconds of a published gait in water, from rest."""
    return cosserat.rollout(
        eel(),
        published_gait(name),
        hydro.Morison(),
        10.0,
        times=TIMES,
        rtol=RTOL,
        atol=ATOL,
        solver=diffrax.Dopri8(),
    )


@eqx.filter_jit
def sums_along(
    beam: cosserat.Beam, gait: gaits.Strain, fluid: hydro.AbstractFluid, run: cosserat.Trajectory
) -> cosserat.Energetics:
    """Momentum, energies and powers at every output time of a run."""
    one = lambda p, q, eta, t: cosserat.energetics(beam, gait, fluid, unchecked_state(p, q, eta), t)  # noqa: E731
    return eqx.filter_vmap(one)(run.position, run.quaternion, run.twist, run.time)


def relative(value: object, reference: object) -> float:
    """Maximum difference relative to the maximum magnitude of the reference."""
    expected = np.asarray(reference, float)
    return float(np.abs(np.asarray(value, float) - expected).max() / np.abs(expected).max())
