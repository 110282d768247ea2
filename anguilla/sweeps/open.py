"""The result of a sweep as a labelled dataset."""

from pathlib import Path
from typing import Any

import xarray as xr
import zarr

from .store import KEY, is_sweep, read_marks, refuse_incomplete, verify_seal


def open_sweep(store: str | Path, *, partial: bool = False) -> xr.Dataset:
    """Opens a sweep lazily: values are read, and their checksums verified, on access.

    >>> import anguilla
    >>> import numpy as np
    >>> grid = {"b": np.linspace(0.01, 0.03, 3)}
    >>> result = anguilla.sweep(lambda b: np.pi * b**2, grid, store="discs.zarr", progress=False)
    >>> anguilla.open_sweep("discs.zarr")["value"].shape
    (3,)

    Args:
        store: directory written by `anguilla.sweep`.
        partial: accept an incomplete sweep; missing points are NaN (0 for integers).

    Raises:
        FileNotFoundError: the directory does not exist.
        ValueError: it is not a sweep, or is incomplete or damaged.
    """
    path = Path(store).expanduser()
    if not path.is_dir():
        raise FileNotFoundError(f"{path}: no such directory; `anguilla.sweep(..., store=...)` writes one")
    if not is_sweep(path):
        raise ValueError(f"{path}: not a sweep of this toolkit")
    verify_seal(path)
    root = zarr.open_group(path, mode="r")
    marks = read_marks(root)
    done, blocks = int(marks.sum()), marks.size
    if done < blocks and not partial:
        raise ValueError(
            f"{path}: {done} of {blocks} blocks are complete; call the same sweep again to resume it, "
            "or open it with partial=True"
        )
    refuse_incomplete(root, path)
    return dataset_of(path)


def dataset_of(store: Any) -> xr.Dataset:
    """The dataset in a Zarr store, loaded lazily."""
    # The units "s" and "m" must not be decoded as dates.
    dataset = xr.open_zarr(store, consolidated=False, chunks=None, decode_times=False, mask_and_scale=False)
    del dataset.attrs[KEY]
    return dataset
