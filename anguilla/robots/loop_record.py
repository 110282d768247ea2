"""Feedback loops beside the main record of a machine: stored under a name, drawn by `anguilla.view.feedback_loop`."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr


def with_loop(
    dataset: xr.Dataset,
    name: str,
    time: np.ndarray,
    sensed: Mapping[str, tuple[np.ndarray, str]],
    command: np.ndarray,
    channels: Sequence[str],
    unit: str,
) -> xr.Dataset:
    """The dataset with a loop of its own times.

    Args:
        dataset: main record of the machine.
        name: of the loop, the prefix of its variables.
        time: of the loop [s].
        sensed: readings and their units, by name.
        command: over time and channel, in `unit`.
        channels: names of the components of the command.
        unit: of the command.
    """
    over, across = f"{name}_time", f"{name}_channel"
    added: dict[str, tuple] = {
        f"{name}_command": ((over, across), np.asarray(command), {"units": unit, "long_name": f"command of {name}"})
    }
    for key, (values, units) in sensed.items():
        added[f"{name}_sensed_{key}"] = (over, np.asarray(values), {"units": units, "long_name": f"reading of {name}"})
    words = {"units": "s", "long_name": f"time of {name}"}
    return dataset.assign(added).assign_coords({over: (over, np.asarray(time), words), across: list(channels)})


def loop_of(dataset: xr.Dataset, name: str) -> xr.Dataset:
    """A loop of `with_loop` as a record of its own."""
    parts = {key: dataset[key] for key in map(str, dataset.data_vars) if key.startswith(f"{name}_")}
    kept = {key: part for key, part in parts.items() if f"{name}_time" in part.dims}
    alone = xr.Dataset(kept).rename({key: key.removeprefix(f"{name}_") for key in kept})
    return alone.rename({f"{name}_time": "time", f"{name}_channel": "channel"})
