"""Results in NetCDF files, with units and a checksum."""

import hashlib
import importlib
import io
import json
from pathlib import Path
from typing import Any

import xarray as xr

from spatial.checks import shown
from spatial.user_warnings import warn
from stepping.program_identity import versions
from stepping.provenance import ATTRIBUTE, rebuild

from .whole_files import write_whole

TITLE = "anguilla"
CALLS = ("cosserat.simulate", "multibody.simulate")  # functions that `rerun` can repeat
SIGNATURE = b"\x89HDF\r\n\x1a\n"  # first bytes of every NetCDF-4 file
SEAL = b"\nanguilla sha256 "  # appended after the NetCDF content, which readers ignore
SEAL_SIZE = len(SEAL) + 64 + 1


def save(dataset: xr.Dataset, path: str | Path) -> Path:
    """Writes a result to a NetCDF-4 file; missing directories are created.

    The file ends with a checksum of its content, which `load` verifies. It is built in memory and then written
    whole, so that a full disk or an interrupted run never leaves a partial result under the final name.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.save(swim, "swim.nc").name
    'swim.nc'

    Args:
        dataset: result of `cosserat.simulate` or `multibody.simulate`.
        path: output file; an existing one is replaced.

    Returns:
        The path of the file.

    Raises:
        ValueError: the dataset is not a result of this toolkit.
        OSError: the file cannot be written; the previous one is untouched.
    """
    path = _path(path)
    _check(dataset, "dataset")
    if path.is_dir():
        raise ValueError(f"path = {path}: is a directory; name a file in it, such as {path / 'swim.nc'}")
    buffer = io.BytesIO()
    dataset.to_netcdf(buffer, engine="h5netcdf", encoding=_packing(dataset))
    content = buffer.getvalue()
    return write_whole(path, content + _seal(content))


def load(path: str | Path, *, verify: bool = True) -> xr.Dataset:
    """Reads a result into memory, with the units, attributes and number types that were saved.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.load(anguilla.save(swim, "swim.nc")).identical(swim)
    True

    Args:
        path: a file written by `save`.
        verify: reject a file whose content differs from what `save` wrote. False reads a file without a checksum, from
            an older version or changed by another program.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: the file is not NetCDF-4, not a result of this toolkit, or damaged.
    """
    path = _path(path)
    if path.is_dir():
        raise ValueError(f"{path}: is a directory; give one of the .nc files in it")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file; `anguilla swim --out DIR` writes one")
    content = path.read_bytes()
    if not content.startswith(SIGNATURE):
        raise ValueError(f"{path}: not a readable NetCDF-4 file (it does not begin like one)")
    if verify:
        _verify(path, content)
    try:
        # The units "s" and "m" must not be decoded as dates.
        dataset = xr.load_dataset(io.BytesIO(content), engine="h5netcdf", decode_times=False)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ValueError(f"{path}: not a readable NetCDF-4 file ({error})") from error
    dataset.encoding["source"] = str(path)
    return _check(dataset, str(path))


def rerun(result: xr.Dataset | str | Path, *, progress: bool = True, **changes: Any) -> xr.Dataset:
    """Repeats the run of a stored result with the same body, gait, fluid, initial state, solver and tolerances.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Void(), t1=0.1, samples=2, progress=False)
    >>> again = anguilla.rerun(swim, progress=False)
    >>> bool((again.head_twist == swim.head_twist).all())
    True

    Args:
        result: what `simulate` returned, or the file it was saved to.
        progress: show progress.
        changes: arguments to replace, such as `t1=20.0`; required for arguments that cannot be rebuilt from a file,
            such as a gait that is a user-defined function.

    Returns:
        The result of the run; bitwise identical with the same versions on the same machine.

    Raises:
        ValueError: the result has no record of its run, or an argument cannot be rebuilt from it.
    """
    dataset = result if isinstance(result, xr.Dataset) else load(result)
    try:
        record = json.loads(dataset.attrs[ATTRIBUTE])
        call, arguments = record["call"], record["arguments"]
    except (KeyError, TypeError, ValueError) as error:
        hint = "; its attribute `recipe` is for the command line" if "recipe" in dataset.attrs else ""
        raise ValueError(f"result: has no `{ATTRIBUTE}` of a simulation{hint}") from error
    if call not in CALLS:
        raise ValueError(f"result: was made by {call!r}, which is none of {', '.join(CALLS)}")
    unknown = sorted(set(changes) - set(arguments))
    if unknown:
        raise ValueError(f"{unknown[0]}: no argument of {call}; it has {', '.join(arguments)}")
    values = {name: rebuild(value, name) for name, value in arguments.items() if name not in changes} | changes
    before, now = record["versions"], versions()
    other = [f"{name} {before.get(name)} -> {now[name]}" for name in now if before.get(name) != now[name]]
    if other:
        warn(f"other versions than those that made the result: {', '.join(other)}")
    module, _, function = call.partition(".")
    return getattr(importlib.import_module(module), function)(**values, progress=progress)


def _seal(content: bytes) -> bytes:
    return SEAL + hashlib.sha256(content).hexdigest().encode() + b"\n"


def _verify(path: Path, content: bytes) -> None:
    """Rejects damaged files before any library parses them: HDF5 may crash on malformed input."""
    body, seal = content[:-SEAL_SIZE], content[-SEAL_SIZE:]
    if seal == _seal(body):
        return
    if seal.startswith(SEAL):
        raise ValueError(f"{path}: damaged: its content does not match its checksum")
    raise ValueError(
        f"{path}: has no checksum at its end: it was cut, changed, or written by another program or an older "
        "version; load(path, verify=False) reads it anyway"
    )


def _path(path: str | Path) -> Path:
    if not isinstance(path, str | Path):
        raise ValueError(f"path = {shown(path)}: must be the name of a file")
    return Path(path).expanduser()


def _packing(dataset: xr.Dataset) -> dict[str, dict[str, object]]:
    """Encoding with lossless compression: a third smaller, and readable by any NetCDF-4 library."""
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
