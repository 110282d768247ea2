"""Command and readings of a feedback loop as labelled variables of a dataset."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import xarray as xr

from .replay import LoopRecord, Replay
from .steered import Steered

SERVO = (
    ("servo_output", "output of the servo, which the law of motion sees", ""),
    ("servo_rate", "rate of the output of the servo", " s^-1"),
    ("servo_acceleration", "second rate of the output of the servo", " s^-2"),
)


def with_feedback(dataset: xr.Dataset, law: Any, record: LoopRecord | None) -> xr.Dataset:
    """Adds command, servo output and readings (`sensed_<name>`) to the dataset of a run; unchanged for an open loop.

    Args:
        dataset: dataset of the run, with the dimension `time`.
        law: the gait or joint law of the run.
        record: record of its feedback loop.
    """
    if record is None or not isinstance(law, Steered):
        return dataset
    controller = law.controller
    names = controller.channels or tuple(f"u{k}" for k in range(record.command.shape[1]))
    about = {"units": controller.unit, "long_name": f"command of {type(controller).__name__}"}
    variables: dict[str, Any] = {"command": (("time", "channel"), np.asarray(record.command), about)}
    if law.servo is not None:
        for k, (name, what, per) in enumerate(SERVO):
            about = {"units": f"{controller.unit}{per}", "long_name": what}
            variables[name] = (("time", "channel"), np.asarray(record.motion[:, k]), about)
    for sensor in controller.sensors:
        values = np.asarray(record.sensed[sensor.name])
        dims = ("time", *(f"{sensor.name}_{k}" for k in range(values.ndim - 1)))
        about = {"units": sensor.unit, "long_name": f"reading of {type(sensor).__name__}"}
        variables[f"sensed_{sensor.name}"] = (dims, values, about)
    return dataset.assign(variables).assign_coords(channel=list(names))


def replayed(steered: Steered, dataset: xr.Dataset) -> Any:
    """The law of motion of a run as an open-loop law, from its dataset; exact at the recorded times, see `Replay`.

    Args:
        steered: law, controller and servo of the run.
        dataset: dataset of the run.
    """
    if steered.servo is None or steered.law is None:
        return steered.law
    motion = np.stack([dataset[name].values for name, _, _ in SERVO], axis=1)
    return Replay(steered.law, jnp.asarray(dataset["time"].values), jnp.asarray(motion))
