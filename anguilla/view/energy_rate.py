"""Exact rate of the kinetic energy along a recorded swim."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

import cosserat
from cosserat.state import unchecked_state
from cosserat.strain import Gait
from hydro import AbstractFluid

from .record import check_record


def with_energy_rate(dataset: xr.Dataset, beam: cosserat.Beam, gait: Gait, fluid: AbstractFluid) -> xr.Dataset:
    """Adds `energy_rate`, d/dt(T + T_a) [W], computed as the derivative of the energy along the motion.

    The energy depends on time (through the shape) and on the head's twist, whose rate is recorded. No finite
    difference between output times is needed, so the residual of the power identity measures the dynamics.

    Args:
        dataset: result of `cosserat.simulate`.
        beam: body of that run.
        gait: its strain law.
        fluid: its fluid.
    """
    check_record(dataset, ("time", "head_twist", "head_twist_rate"))
    rate = _rates(
        beam,
        gait,
        fluid,
        jnp.asarray(dataset["time"].values),
        jnp.asarray(dataset["head_twist"].values),
        jnp.asarray(dataset["head_twist_rate"].values),
    )
    labels = {"units": "W", "long_name": "rate of the kinetic energy of body and added mass"}
    return dataset.assign(energy_rate=("time", np.asarray(rate), labels))


@eqx.filter_jit
def _rates(
    beam: cosserat.Beam,
    gait: Gait,
    fluid: AbstractFluid,
    time: Float[Array, "times"],
    twist: Float[Array, "times 6"],
    twist_rate: Float[Array, "times 6"],
) -> Float[Array, "times"]:
    def energy(t, twist):
        # No run-time check inside: JAX does not cache programs with Python callbacks.
        state = unchecked_state(jnp.zeros(3), jnp.array([1.0, 0.0, 0.0, 0.0]), twist)
        sums = cosserat.energetics(beam, gait, fluid, state, t)
        return sums.kinetic + sums.added

    def rate(instant):
        t, twist, twist_rate = instant
        return jax.jvp(energy, (t, twist), (jnp.ones_like(t), twist_rate))[1]

    return jax.lax.map(rate, (time, twist, twist_rate))
