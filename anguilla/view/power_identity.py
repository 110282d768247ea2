"""The power identity, evaluated from a recorded run."""

import numpy as np
import xarray as xr
from jaxtyping import Float

from hydro import CONVECTIVE

from .links import is_tree
from .record import check_record

POWERS = ("time", "actuator_power", "dissipation", "convective_power")


def with_losses(dataset: xr.Dataset) -> xr.Dataset:
    """A record of either engine with `dissipation` and `convective_power`.

    Those of a tree follow from the powers of its fluid terms, `power_...`, and from its `joint_dissipation`.
    """
    if not (isinstance(dataset, xr.Dataset) and is_tree(dataset)) or "dissipation" in dataset:
        check_record(dataset, POWERS)
        return dataset
    check_record(dataset, ("time", "actuator_power", "joint_dissipation"), made_by="multibody.simulate")
    none = np.zeros(dataset.sizes["time"])
    powers = {str(name)[6:]: dataset[name].values for name in dataset.data_vars if str(name).startswith("power_")}
    taken = dataset["joint_dissipation"].values - sum((p for name, p in powers.items() if name not in CONVECTIVE), none)
    given = sum((p for name, p in powers.items() if name in CONVECTIVE), none)
    words = "power lost to drag and joint friction", "power of the convective part of the added mass"
    losses, convective = (
        ("time", values, {"units": "W", "long_name": text}) for values, text in zip((taken, given), words, strict=True)
    )
    return dataset.assign(dissipation=losses, convective_power=convective)


def energy_rate(dataset: xr.Dataset) -> tuple[Float[np.ndarray, "time"], bool]:
    """d/dt(T + T_a + U) [W], U the elastic and gravitational energy, and whether it is exact.

    Exact if the dataset contains `energy_rate` (see `anguilla.with_energy_rate`); otherwise the derivative of a quintic
    spline through the recorded energies, whose accuracy depends on the output interval.
    """
    from scipy.interpolate import make_interp_spline

    if "energy_rate" in dataset:
        return dataset["energy_rate"].values, True
    kinds = ("kinetic_energy", "added_energy", "potential_energy", "elastic_energy")
    energy = sum((dataset[kind].values for kind in kinds if kind in dataset), np.zeros(dataset.sizes["time"]))
    degree = min(5, (len(energy) - 1) // 2 * 2 + 1, len(energy) - 1)
    spline = make_interp_spline(dataset["time"].values, energy, k=max(degree if degree % 2 else degree - 1, 1))
    return np.asarray(spline.derivative()(dataset["time"].values)), False


def identity_residual(dataset: xr.Dataset) -> Float[np.ndarray, "time"]:
    """Residual of the power identity [W]: actuators - d/dt(T + T_a + U) - dissipation + convective power.

    For a soft beam the identity also contains the power of muscles and loads and the damping of its free strains. For a
    tree the dissipation is that of drag and joint friction; the wake power of a chain in `hydro.Lighthill` is not
    recorded.
    """
    dataset = with_losses(dataset)
    powers = dataset["actuator_power"] - dataset["dissipation"] + dataset["convective_power"]
    for name, sign in (("muscle_power", 1.0), ("load_power", 1.0), ("viscous_loss", -1.0), ("wake_power", -1.0)):
        powers = powers + sign * dataset.get(name, 0.0)
    return powers.values - energy_rate(dataset)[0]


def residual_text(residual: float, peak: float) -> str:
    """The largest residual in words, relative to the peak power unless that is zero.

    Args:
        residual: largest residual of the power identity [W].
        peak: largest power of the actuators, by size [W].
    """
    share = f", {residual / peak:.0e} of the peak power" if peak > 0.0 else ""
    return f"residual <= {residual:.1e} W{share}"
