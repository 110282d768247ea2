"""What the actuators give is what the water takes and the body keeps: the identity, from a record."""

import numpy as np
import xarray as xr
from jaxtyping import Float

from .record import check_record

POWERS = ("time", "actuator_power", "dissipation", "convective_power")


def energy_rate(dataset: xr.Dataset) -> tuple[Float[np.ndarray, "time"], bool]:
    """d/dt(T + T_a) [W], and whether it is exact.

    Exact when the dataset holds `energy_rate` (see `anguilla.with_energy_rate`); else the derivative of a quintic
    spline through the recorded energies, as good as the output times are dense.
    """
    from scipy.interpolate import make_interp_spline

    if "energy_rate" in dataset:
        return dataset["energy_rate"].values, True
    energy = (dataset["kinetic_energy"] + dataset["added_energy"]).values
    degree = min(5, (len(energy) - 1) // 2 * 2 + 1, len(energy) - 1)
    spline = make_interp_spline(dataset["time"].values, energy, k=max(degree if degree % 2 else degree - 1, 1))
    return np.asarray(spline.derivative()(dataset["time"].values)), False


def identity_residual(dataset: xr.Dataset) -> Float[np.ndarray, "time"]:
    """What the power identity leaves [W]: actuators - d/dt(T + T_a) - dissipation + convective power."""
    check_record(dataset, POWERS)
    powers = dataset["actuator_power"] - dataset["dissipation"] + dataset["convective_power"]
    return powers.values - energy_rate(dataset)[0]
