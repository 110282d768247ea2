"""A feedback loop in time: references, readings and commands."""

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from .record import check_record
from .style import BLUE, COMPONENTS, GREY, ORANGE, VERMILLION, figure_of, frame_label, label, new_figure, styled

CHANNELS = (*COMPONENTS, ORANGE)
ZERO = 1e-9  # of the largest command: a channel that stays smaller is zero
ABOVE = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "borderaxespad": 0.0}  # clear of the curves


def feedback_loop(
    dataset: xr.Dataset, references: Mapping[str, float | np.ndarray] | None = None, *, period: float | None = None
) -> Figure:
    """Readings of the sensors with their references, and the command with the servo's output, against time.

    Channels of the command that stay zero are left out.

    >>> import anguilla.view, numpy as np, xarray as xr
    >>> t = np.linspace(0.0, 10.0, 101)
    >>> run = xr.Dataset(
    ...     {"sensed_depth": ("time", 1 - np.exp(-t), {"units": "m"}),
    ...      "command": (("time", "channel"), np.exp(-t)[:, None], {"units": "1/m"})},
    ...     coords={"time": t, "channel": ["offset_K2"]})
    >>> len(anguilla.view.feedback_loop(run, {"depth": 1.0}).axes)
    2

    Args:
        dataset: a result of `simulate` with a `gaits.Steered` law.
        references: references by name of the sensor, constant or one number for each time, in the unit of the reading.
            One row is drawn for each; for every scalar reading when None.
        period: period of the gait [s]; if given, and shorter than the record, the mean over one period is also drawn.
    """
    check_record(dataset, ("time", "command"))
    scalar = [
        str(name)[7:] for name in dataset.data_vars if str(name).startswith("sensed_") and dataset[name].ndim == 1
    ]
    wanted = dict.fromkeys(scalar) if references is None else dict(references)
    for name in wanted:
        if name not in scalar:
            raise ValueError(f"references[{name!r}]: the scalar readings of this run are {sorted(scalar)}")
    time = dataset["time"].values
    with styled():
        rows = len(wanted) + 1
        figure = new_figure(7.5, 1.2 + 1.7 * rows)
        axes = np.atleast_1d(figure.subplots(rows, 1, sharex=True))
        for ax, (name, reference) in zip(axes, wanted.items(), strict=False):
            reading = dataset[f"sensed_{name}"]
            unit = reading.attrs.get("units", "1")
            values, scale, shown = reading.values, 1.0, unit
            if unit == "rad":
                values, scale, shown = np.unwrap(values), 180.0 / np.pi, "deg"
            mean = None if period is None or time[-1] - time[0] < period else mean_over(time, values, period)
            ax.plot(time, scale * values, color=BLUE, linewidth=0.6 if mean else 1.3, alpha=0.6 if mean else 1.0)
            if mean is not None:
                ax.plot(mean[0], scale * mean[1], color=BLUE, linewidth=1.6, label="mean of a period")
            ax.lines[0].set_label("measured")
            if reference is not None:
                line = np.broadcast_to(np.asarray(reference, float), time.shape)
                ax.plot(time, scale * line, color=VERMILLION, linestyle="--", linewidth=1.2, label="reference")
            ax.set_ylabel(label(name.replace("_", " "), shown))
            ax.legend(ncols=3, **ABOVE)
        _commands(axes[-1], dataset)
        axes[-1].set_xlabel(label("time", "s"))
        axes[-1].margins(x=0.0)
        frame_label(axes[0], "Feedback loop")
        return figure_of(axes[0])


def mean_over(time: np.ndarray, values: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and mean of a reading over the period [s] around each of them, by the trapezoidal rule."""
    if time[-1] - time[0] < period:
        raise ValueError(f"period = {period:g} s: the record lasts {time[-1] - time[0]:g} s only")
    area = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(time) * (values[1:] + values[:-1]))])
    middle = time[(time >= time[0] + 0.5 * period) & (time <= time[-1] - 0.5 * period)]
    upto = lambda t: np.interp(t, time, area)  # noqa: E731
    return middle, (upto(middle + 0.5 * period) - upto(middle - 0.5 * period)) / period


def _moving(command, output):
    """Indices of the channels that do not stay zero, as far as a picture shows; all of them if none moves."""
    size = np.abs(command.values).max(axis=0)
    if output is not None:
        size = np.maximum(size, np.abs(output.values).max(axis=0))
    return np.flatnonzero(size > ZERO * size.max(initial=0.0)) if size.any() else np.arange(len(size))


def _commands(ax, dataset):
    names = [str(name) for name in dataset["channel"].values] if "channel" in dataset.coords else None
    command, output = dataset["command"], dataset.get("servo_output")
    moving = _moving(command, output)
    for k in moving:
        colour, dashes = CHANNELS[k % len(CHANNELS)], "--" if k >= len(CHANNELS) else "-"
        name = f"u{k}" if names is None else names[k].replace("_", " ")
        thin = {"linewidth": 0.7, "alpha": 0.6} if output is not None else {"linewidth": 1.2}
        ax.plot(dataset["time"], command[:, k], color=colour, linestyle=dashes, **thin)
        if output is not None:
            ax.plot(dataset["time"], output[:, k], color=colour, linestyle=dashes, linewidth=1.4, label=name)
        else:
            ax.lines[-1].set_label(name)
    ax.axhline(0.0, color=GREY, linewidth=0.5)
    ax.set_ylabel(label("command", command.attrs.get("units", "1")))
    if output is not None:
        ax.set_title("thin: command, thick: servo", loc="left", fontsize="small", fontweight="normal")
    ax.legend(ncols=min(len(moving), 4), **ABOVE)
