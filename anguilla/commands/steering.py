"""The feedback options of `anguilla swim`: a heading and a depth to hold."""

from __future__ import annotations  # names of modules that are not imported yet

import argparse
import math
from typing import TYPE_CHECKING

from .arguments import between, finite
from .deferred import deferred

if TYPE_CHECKING:
    import xarray as xr

    import gaits
    import gaits.feedback as fb
else:
    gaits, fb = deferred("gaits", "gaits.feedback")

MIDDLE = 1.0  # abscissa of the sensors, half the length of the eel, where it yaws least [m]
SERVO = (0.4, 0.4, 1.0)  # of the offsets and the rolling wave, in beats [-]
MOVED = 1e-6  # change of a reading below which it did not move [rad or m]
DURATION = 60.0  # default: time to turn, dive and settle [s]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds --heading and --depth to a parser."""
    group = parser.add_argument_group("feedback")
    group.add_argument(
        "--heading",
        type=between(-180.0, 180.0),
        metavar="DEG",
        help="turn to this heading and hold it [deg], positive to the left",
    )
    group.add_argument("--depth", type=finite, metavar="M", help="dive to this depth below the start and hold it [m]")


def given(arguments: argparse.Namespace) -> bool:
    """Whether a heading or a depth to hold is given."""
    return arguments.heading is not None or arguments.depth is not None


def check(arguments: argparse.Namespace) -> str | None:
    """Checks combinations of arguments; returns an error message or None."""
    if not given(arguments):
        return None
    option = "--heading" if arguments.heading is not None else "--depth"
    if arguments.gait != "planar":
        return f"argument {option}: steers the planar gait; --gait {arguments.gait} has a path of its own"
    if arguments.fluid == "void":
        return f"argument {option}: needs water; there is none with --fluid void"
    return None


def references(arguments: argparse.Namespace) -> dict[str, float]:
    """Heading [rad] and depth [m] to hold; zero, as at the start, where not given."""
    return {"heading": math.radians(arguments.heading or 0.0), "depth": arguments.depth or 0.0}


def shown_references(dataset: xr.Dataset, arguments: argparse.Namespace) -> dict[str, float]:
    """Those of `references` that were given, or whose reading moved [rad, m]."""
    moved = lambda name: float(abs(dataset[f"sensed_{name}"]).max()) > MOVED  # noqa: E731
    wanted = references(arguments)
    return {name: wanted[name] for name in wanted if getattr(arguments, name) is not None or moved(name)}


def steered(gait: gaits.Strain, arguments: argparse.Namespace) -> gaits.Steered:
    """The gait with a controller of heading and depth."""
    T = arguments.period
    hold = fb.HeadingDepthHold(**references(arguments), at=MIDDLE, attitude=fb.Attitude(low_pass=0.5 * T))
    servo = fb.Servo([beats / T for beats in SERVO])
    return gaits.Steered(fb.Helm(gait, T), hold, servo=servo)


def driven(law: gaits.Strain | gaits.Steered, dataset: xr.Dataset) -> gaits.Strain:
    """The gait as it was executed, without the controller."""
    from gaits.feedback.labels import replayed

    return replayed(law, dataset) if isinstance(law, gaits.Steered) else law


def lines(dataset: xr.Dataset, arguments: argparse.Namespace) -> list[str]:
    """Heading and depth over the last period, for the summary."""
    import numpy as np

    late = dataset.sel(time=slice(float(dataset["time"][-1]) - arguments.period, None))
    found = []
    for name, wanted in shown_references(dataset, arguments).items():
        values = late[f"sensed_{name}"].values
        if name == "heading":
            mean = math.degrees(math.atan2(np.sin(values).mean(), np.cos(values).mean()))
            found.append(f"heading         {mean:.2f} deg, to hold {math.degrees(wanted):.2f} deg (last period)")
        else:
            found.append(f"depth           {values.mean():.3f} m, to hold {wanted:.3f} m (last period)")
    return found
