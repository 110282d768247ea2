"""The exact power budget along a recorded motion of a tree."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

import multibody
from hydro import AbstractFluid
from multibody.state import unchecked_state

from ..view.power_identity import with_losses


def with_power_budget(dataset: xr.Dataset, tree: multibody.Tree, fluid: AbstractFluid) -> xr.Dataset:
    """Adds the terms of the power identity to a dataset, named as for the beam.

        actuator_power = energy_rate + dissipation - convective_power

    `energy_rate` is the derivative of the kinetic energy of bodies and added mass along the motion, computed from the
    recorded accelerations; no difference between output times is taken, so the residual measures the dynamics.
    `dissipation` is the power lost to drag and joint friction; `convective_power` the power of the convective part of
    the added mass (zero if it conserves energy).

    Args:
        dataset: result of `multibody.simulate`, without gravity, springs or loops.
        tree: the tree of that run.
        fluid: its fluid.
    """
    names = ("head_twist", "head_twist_rate", "joint_position", "joint_velocity", "joint_acceleration")
    rate = _rates(tree, multibody.immerse(tree, fluid), *(jnp.asarray(dataset[name].values) for name in names))
    labels = {"units": "W", "long_name": "rate of the kinetic energy of bodies and added mass"}
    return with_losses(dataset).assign(energy_rate=("time", np.asarray(rate), labels))


@eqx.filter_jit
def _rates(
    tree: multibody.Tree,
    medium: multibody.Immersion,
    twist: Float[Array, "times 6"],
    twist_rate: Float[Array, "times 6"],
    q: Float[Array, "times positions"],
    dq: Float[Array, "times freedoms"],
    ddq: Float[Array, "times freedoms"],
) -> Float[Array, "times"]:
    def energy(twist, q, dq):
        state = unchecked_state(jnp.zeros(3), jnp.array([1.0, 0.0, 0.0, 0.0]), twist)
        return multibody.kinetic_energy(tree, state, q, dq, fluid=medium)

    def rate(instant):
        twist, twist_rate, q, dq, ddq = instant
        moving = multibody.position_rates(tree, q, dq)
        return jax.jvp(energy, (twist, q, dq), (twist_rate, moving, ddq))[1]

    return jax.lax.map(rate, (twist, twist_rate, q, dq, ddq))
