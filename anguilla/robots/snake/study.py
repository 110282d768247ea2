"""Speed of the snake as a function of wave amplitude and friction anisotropy."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from scipy.special import j0

import cosserat
from spatial import Numbers

from .tree import FORWARD, LAG, LINK, PERIOD, beam, gait, terrain

AMPLITUDES = np.deg2rad([10.0, 20.0, 30.0, 40.0, 50.0])  # amplitudes of the joints [rad]
RATIOS = np.array([2.0, 5.0, 10.0, 20.0, 50.0])  # sideways over forward friction coefficient


def mean_speed(snake: cosserat.Beam, amplitude: Numbers, ratio: Numbers, lag: Numbers = LAG) -> Float[Array, ""]:
    """Mean speed of the beam over the third period from rest [m/s]; jit-, vmap- and grad-safe.

    Args:
        snake: the body, from `beam`.
        amplitude: α of the joints [rad].
        ratio: sideways over forward friction coefficient [-].
        lag: phase lag δ between joints [rad].
    """
    run = cosserat.rollout(
        snake,
        gait(amplitude, lag),
        terrain(FORWARD, FORWARD * jnp.asarray(ratio), width=2e-2),
        3 * PERIOD,
        times=jnp.array([0.0, 2 * PERIOD, 3 * PERIOD]),
        path=cosserat.Panels(order=24),
        rtol=1e-4,
        atol=1e-6,
    )
    step = run.position[2] - run.position[1]
    return jnp.sqrt(jnp.sum(step * step)) / PERIOD


def speed_map() -> xr.Dataset:
    """Speeds on a grid of amplitudes and ratios, and the speed on ideal wheels, λ J0(α_heading)/T."""
    snake = beam()
    many = jax.jit(jax.vmap(lambda a, r: mean_speed(snake, a, r)))
    grid = np.meshgrid(AMPLITUDES, RATIOS, indexing="ij")
    speeds = np.asarray(many(*(jnp.asarray(axis.ravel()) for axis in grid))).reshape(grid[0].shape)
    wavelength = 2 * np.pi * LINK / LAG
    heading = AMPLITUDES / LAG  # a curvature wave of amplitude K has the heading amplitude K λ/2π
    ideal = wavelength * j0(heading) / PERIOD
    return xr.Dataset(
        {
            "speed": (("joint_amplitude", "friction_ratio"), speeds, {"units": "m/s", "long_name": "mean speed"}),
            "ideal_speed": ("joint_amplitude", ideal, {"units": "m/s", "long_name": "speed on ideal wheels"}),
        },
        coords={
            "joint_amplitude": ("joint_amplitude", AMPLITUDES, {"units": "rad"}),
            "friction_ratio": ("friction_ratio", RATIOS, {"units": "1"}),
        },
    )
