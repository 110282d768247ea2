"""Exact power budget along a recorded motion of a tree."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

import multibody
from hydro import AbstractFluid
from multibody.state import unchecked_state
from spatial import angular, linear, matrix_from_quaternion, quaternion_rate
from stepping import unstored_program

from ..view.power_identity import with_losses

RECORDED = (
    "time",
    "head_position",
    "head_quaternion",
    "head_twist",
    "joint_position",
    "joint_velocity",
    "head_twist_rate",
    "joint_acceleration",
)


def with_power_budget(dataset: xr.Dataset, tree: multibody.Tree, fluid: AbstractFluid) -> xr.Dataset:
    """Adds the terms of the power identity to a dataset, named as for the beam.

        actuator_power = energy_rate + dissipation - convective_power

    `energy_rate` is the time derivative of the kinetic energy of bodies and added mass. It is computed from the
    recorded accelerations, not by differences between output times, so the residual measures the error of the dynamics.
    `dissipation` is the power lost to drag and joint friction. `convective_power` is the power of the convective load
    of the added mass, zero if that load conserves energy.

    Args:
        dataset: result of `multibody.simulate`, without gravity, springs or loops.
        tree: the tree of the run.
        fluid: the fluid of the run.
    """
    rate = _rates(tree, multibody.immerse(tree, fluid), [jnp.asarray(dataset[name].values) for name in RECORDED])
    labels = {"units": "W", "long_name": "rate of the kinetic energy of bodies and added mass"}
    return with_losses(dataset).assign(energy_rate=("time", np.asarray(rate), labels))


@unstored_program
def _rates(tree: multibody.Tree, medium: multibody.Immersion, recorded: list[Array]) -> Float[Array, "times"]:
    def energy(t, position, quaternion, twist, q, dq):
        state = unchecked_state(position, quaternion, twist)
        return multibody.kinetic_energy(tree, state, q, dq, fluid=medium.at(t))

    def rate(instant):
        t, position, quaternion, twist, q, dq, twist_rate, ddq = instant
        velocity = matrix_from_quaternion(quaternion) @ linear(twist)
        turning = quaternion_rate(quaternion, angular(twist))
        rates = (jnp.ones(()), velocity, turning, twist_rate, multibody.position_rates(tree, q, dq), ddq)
        return jax.jvp(energy, (t, position, quaternion, twist, q, dq), rates)[1]

    return jax.lax.map(rate, recorded)
