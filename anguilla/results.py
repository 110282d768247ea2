"""A swim in a file: NetCDF, with its units."""

from pathlib import Path

import xarray as xr

from spatial.checks import shown

TITLE = "anguilla"


def save(dataset: xr.Dataset, path: str | Path) -> Path:
    """Writes a result to a NetCDF-4 file; directories on the way are made.

    Args:
        dataset: what `cosserat.simulate` returned.
        path: the file; an existing one is replaced.

    Returns:
        The path of the file.

    Raises:
        ValueError: the dataset is not one of this toolkit's results.
    """
    path = _path(path)
    _check(dataset, "dataset")
    if path.is_dir():
        raise ValueError(f"path = {path}: is a directory; give the file a name in it, such as {path / 'swim.nc'}")
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        dataset.to_netcdf(partial, engine="h5netcdf", encoding=_packing(dataset))
        partial.replace(path)  # a killed run leaves no half-written result under the right name
    finally:
        partial.unlink(missing_ok=True)
    return path


def load(path: str | Path) -> xr.Dataset:
    """Reads a result into memory; units, attributes and number types are those that were saved.

    Args:
        path: a file that `save` wrote.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not NetCDF-4, or not a result of this toolkit.
    """
    path = _path(path)
    if path.is_dir():
        raise ValueError(f"{path}: is a directory; give one of the .nc files in it")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file; `anguilla swim --out DIR` writes one")
    try:
        # "s" and "m" are units here, never calendars: times stay numbers.
        dataset = xr.load_dataset(path, engine="h5netcdf", decode_times=False)
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{path}: not a readable NetCDF-4 file ({error})") from error
    return _check(dataset, str(path))


def _path(path: str | Path) -> Path:
    if not isinstance(path, str | Path):
        raise ValueError(f"path = {shown(path)}: must be the name of a file")
    return Path(path)


def _packing(dataset: xr.Dataset) -> dict[str, dict[str, object]]:
    """Lossless compression of the arrays: a third smaller, and any NetCDF-4 reader unpacks it."""
    packed = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
    return {str(name): packed for name, values in dataset.items() if values.ndim and values.dtype.kind == "f"}


def _check(dataset: xr.Dataset, name: str) -> xr.Dataset:
    if not isinstance(dataset, xr.Dataset):
        raise ValueError(
            f"{name} is a {type(dataset).__name__}: must be the xarray.Dataset that `simulate` returns (a rollout's "
            "arrays have no labels)"
        )
    title = str(dataset.attrs.get("title", ""))
    if not title.startswith(TITLE) or "time" not in dataset.coords:
        raise ValueError(
            f"{name}: not a result of this toolkit (its title is {title!r}, it must begin with {TITLE!r}, "
            "and it must have a coordinate `time`)"
        )
    return dataset
