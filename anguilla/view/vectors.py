"""Vectors of a dataset in another frame, and sums along the body."""

import numpy as np
import xarray as xr
from jaxtyping import Float

from .links import is_tree
from .surface import rotation_matrices


def force_in_section(dataset: xr.Dataset) -> Float[np.ndarray, "time X 3"]:
    """Internal force Rᵀn in the section frame [N]: along t1 (positive in compression), t2 and t3 (shear)."""
    rotation = rotation_matrices(dataset["orientation"].values)
    return np.einsum("txji,txj->txi", rotation, dataset["internal_force"].values)


def fluid_terms(dataset: xr.Dataset) -> list[str]:
    """Names of the fluid loads in a dataset: those per metre of body, then those on the nose."""
    per_metre = sorted(str(name) for name in dataset.data_vars if str(name).startswith("fluid_"))
    nose = sorted(str(name) for name in dataset.data_vars if str(name).startswith("nose_"))
    return per_metre + nose


def fluid_force(dataset: xr.Dataset, name: str) -> Float[np.ndarray, "time 3"]:
    """Force of one fluid term on the whole body, in the world [N]; on all bodies of a tree."""
    force = dataset[name].values[..., :3]
    if is_tree(dataset):
        return np.einsum("tbij,tbj->ti", dataset["rotation"].values, force)
    if name.startswith("nose_"):
        rotation = rotation_matrices(dataset["head_quaternion"].values)
        return np.einsum("tij,tj->ti", rotation, force)
    rotation = rotation_matrices(dataset["orientation"].values)
    per_metre = np.einsum("txij,txj->txi", rotation, force)
    return np.trapezoid(per_metre, dataset["X"].values, axis=1)
