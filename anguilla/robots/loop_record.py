"""Records of feedback loops stored in the dataset of a machine under a name, for `anguilla.view.feedback_loop`."""

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
    """Adds the record of a feedback loop, with its own time axis, to a dataset.

    Args:
        dataset: main record of the machine.
        name: name of the loop, used as the prefix of its variables.
        time: times of the loop [s].
        sensed: sensor readings and their units, by name.
        command: command over time and channel, in `unit`.
        channels: names of the components of the command.
        unit: unit of the command.
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
    """Extracts a loop stored by `with_loop` as a separate dataset."""
    parts = {key: dataset[key] for key in map(str, dataset.data_vars) if key.startswith(f"{name}_")}
    kept = {key: part for key, part in parts.items() if f"{name}_time" in part.dims}
    alone = xr.Dataset(kept).rename({key: key.removeprefix(f"{name}_") for key in kept})
    return alone.rename({f"{name}_time": "time", f"{name}_channel": "channel"})
