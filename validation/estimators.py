"""Checks of the error estimators and warnings, against cases with known errors."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from gaits.impulse_balance import impulse_balance
from spatial.traced_warnings import without_log

from .report import Measurement, check, require
from .subjects import eel, nested

GROUP = "agreement"


@check(
    group=GROUP,
    title="estimated error of n on one panel over the true one, five waves on the body",
    unit="1",
    source="the adaptive path, which shares no grid with the estimate",
    meaning="the estimate of the error along X is blind, or cries wolf: nothing it lets pass can be trusted",
)
def grid_error_estimate() -> Measurement:
    """The estimate from two grids, with its safety factor, compared with the loops of an adaptive solver along X."""
    gait, fluid = gaits.planar(wavelength=0.4), hydro.Morison()
    state = cosserat.HeadState(twist=[-0.3, 0.1, 0.0, 0.0, 0.0, 0.2])
    path = cosserat.Panels(panels=1, loads=1, tolerance=1.0)  # no refinement and no warning
    estimate = cosserat.space_error(eel(), gait, fluid, state, jnp.asarray(2.3), path)
    assert estimate is not None
    stations = np.linspace(0.0, 2.0, 161)
    found, exact = (
        np.asarray(cosserat.internal_wrench(eel(), gait, fluid, state, 2.3, way, stations).force_w)
        for way in (path, nested())
    )
    true = np.linalg.norm(found - exact, axis=1).max() / np.linalg.norm(exact, axis=1).max()
    require(true > 1e-4, "one panel resolves five waves: there is no error to see")
    return float(estimate.force) / true, 1.5, 1.0


@check(
    group=GROUP,
    title="jump of the strain rate of |sin 2πt|, which its second derivative does not contain",
    unit="of the greatest rate",
    source="closed form: the rate jumps from -2π to 2π",
    meaning="gaits that are not smooth in time, and lose momentum, pass without a warning",
)
def kink_of_a_gait() -> Measurement:
    """The kink is located by successively smaller intervals over two seconds."""
    gait = gaits.planar_bending(lambda X, t: jnp.abs(jnp.sin(2.0 * jnp.pi * t + 0.3)))
    found, _ = impulse_balance(gait, jnp.asarray(2.0), jnp.asarray(0.0), jnp.asarray(2.0))
    return float(found.jump), 2.0, 1e-6


@check(
    group=GROUP,
    title="compiled evaluations with the expected outcome: no warning, warning, error",
    unit="of 3",
    source="one wave on the body; five waves on one panel; a coil within one panel",
    meaning="inside jax.jit, where no second grid is looked at, lost digits pass without a word",
)
def limits_of_a_compiled_program() -> Measurement:
    """The same program for the three gaits."""

    @jax.jit
    def evaluate(wavelength, coil):
        wave = gaits.planar(wavelength=wavelength)
        gait = lambda X, t: wave(X, t) + coil * jnp.stack([0.0, 0.0, 0.0, 0.0, jnp.cos(2.0 * X), jnp.sin(3.0 * X)])  # noqa: E731
        path = cosserat.Panels(panels=1, loads=1)
        return cosserat.head_acceleration(eel(), gait, hydro.Morison(), cosserat.HeadState(), 2.3, path)

    found = []
    for wavelength, coil in ((2.0, 0.0), (0.4, 0.0), (2.0, 12.0)):
        with warnings.catch_warnings(record=True) as said, without_log():
            warnings.simplefilter("always")
            try:
                jax.block_until_ready(evaluate(wavelength, coil))
                jax.effects_barrier()
            except (RuntimeError, ValueError, eqx.EquinoxRuntimeError) as error:
                found.append("refused" if "coils the body" in str(error) else str(error))
                continue
        words = [str(w.message) for w in said if "does not resolve the motion" in str(w.message)]
        found.append("warned" if words else "silent")
    return sum(a == b for a, b in zip(found, ("silent", "warned", "refused"), strict=True)), 3.0, 0.0
