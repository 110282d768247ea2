"""Exact rate of the kinetic energy along a recorded swim."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

import cosserat
from cosserat.soft.soft_beam import unchecked_soft_state
from cosserat.state import unchecked_state
from cosserat.strain import Gait
from hydro import AbstractFluid
from spatial import matrix_from_quaternion, quaternion_rate
from stepping import unstored_program

from .record import check_record


def with_energy_rate(
    dataset: xr.Dataset, beam: cosserat.Beam | cosserat.Soft, gait: Gait | None, fluid: AbstractFluid
) -> xr.Dataset:
    """Adds `energy_rate`, d/dt(T + T_a) [W], computed as the derivative of the energy along the motion.

    The energy depends on time (through the shape) and on the head's twist, whose rate is recorded. No finite
    difference between output times is needed, so the residual of the power identity measures the dynamics. The
    energy of a soft beam is T + T_a + U, and depends on its modes too.

    Args:
        dataset: result of `cosserat.simulate`.
        beam: body of that run.
        gait: its strain law.
        fluid: its fluid.
    """
    names = ("head_position", "head_quaternion", "head_twist", "head_twist_rate")
    check_record(dataset, ("time", *names))
    soft = isinstance(beam, cosserat.Soft) and not beam.is_beam
    if soft:
        names = (*names, "modes", "mode_rates", "mode_accelerations")
    rate = _rates(beam, gait, fluid, *(jnp.asarray(dataset[name].values) for name in ("time", *names)))
    what = "kinetic and elastic energy" if soft else "kinetic energy"
    labels = {"units": "W", "long_name": f"rate of the {what} of body and added mass"}
    return dataset.assign(energy_rate=("time", np.asarray(rate), labels))


@unstored_program
def _rates(beam, gait, fluid, time, position, quaternion, twist, twist_rate, *modes):
    def energy(t, position, quaternion, twist, *modes):
        # No run-time check inside: JAX does not cache programs with Python callbacks.
        state = unchecked_state(position, quaternion, twist)
        if modes:
            state = unchecked_soft_state(state, *modes)
        sums = cosserat.energetics(beam, gait, fluid, state, t)
        return sums.kinetic + sums.added + sums.elastic

    def rate(instant):
        t, position, quaternion, twist, twist_rate, *modes = instant
        moves = matrix_from_quaternion(quaternion) @ twist[:3], quaternion_rate(quaternion, twist[3:])
        primals = (t, position, quaternion, twist, *modes[:2])
        return jax.jvp(energy, primals, (jnp.ones_like(t), *moves, twist_rate, *modes[1:]))[1]

    return jax.lax.map(rate, (time, position, quaternion, twist, twist_rate, *modes))
