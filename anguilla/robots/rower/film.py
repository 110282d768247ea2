"""Films and stills of the rowing boat; the camera follows the boat."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import xarray as xr
from PIL import Image

from anguilla.view.animation import WIDTH, film_stills
from anguilla.view.camera import Camera
from anguilla.view.scene import Box, blank, draw_line, draw_text, finished, fitted
from anguilla.view.water_plane import draw_afloat

from .drawing import SIDES, blade_point, rower_mesh

VIEW = Camera(azimuth=np.deg2rad(-70.0), elevation=np.deg2rad(17.0))
FRAME = Box(np.array([-3.9, -0.9, -0.1]), np.array([3.9, 0.9, 0.9]))  # visible box around the boat [m]
BEYOND = 9.0  # extent of the water beyond the visible box [m]
PUDDLE, FADES = 0.32, 6.0  # radius of a puddle [m], time until it disappears [s]


def rower_still(dataset: xr.Dataset, instant: int, *, width: int = WIDTH, view: Camera = VIEW) -> Image.Image:
    """One image: boat, rower and oars on the water, with the puddles of earlier strokes.

    Args:
        dataset: a result of `anguilla robot rower`.
        instant: index of the recorded time.
        width: width [pixels].
        view: direction of view.
    """
    time = float(dataset["time"][instant])
    mean = float(dataset["position"].values[0, 0, 0]) + float(dataset.attrs["speed"]) * (
        time - float(dataset["time"][0])
    )
    centre = np.array([mean, 0.0, 0.0])
    stage = fitted(view, FRAME, width, round(0.44 * width))
    right, up, _ = view.project(centre)
    stage = replace(stage, centre=(stage.centre[0] + float(right), stage.centre[1] + float(up)))
    water = Box(FRAME.low + centre - BEYOND, FRAME.high + centre + BEYOND)
    picture = draw_afloat(blank(stage), stage, rower_mesh(dataset, instant), water, 0.0, 1.0)
    for middle, age in _puddles(dataset, instant):
        angle = np.linspace(0.0, 2.0 * np.pi, 40)
        size = PUDDLE * (0.5 + 0.12 * age)
        ring = middle + size * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
        draw_line(picture, stage, ring, "#E4F0F5", max(2.0 * (1.0 - age / FADES), 0.6))
    speed = float(dataset["head_twist"].values[instant, 0])
    draw_text(
        picture,
        f"t = {time:.2f} s    boat speed {speed:.2f} m/s    mean {float(dataset.attrs['speed']):.2f} m/s",
        12.0,
        10.0,
    )
    draw_text(picture, "grid 1 m", width - 12.0, 10.0, size=11, anchor="ra")
    return finished(picture)


def rower_film(
    dataset: xr.Dataset, path: str | Path, *, fps: float = 25.0, width: int = WIDTH, progress: bool = True
) -> Path:
    """Animates the recorded strokes.

    Args:
        dataset: a result of `anguilla robot rower`.
        path: ends in .gif or .mp4.
        fps: frames per second.
        width: width [pixels].
        progress: show a progress bar.
    """
    still = lambda k: rower_still(dataset, k, width=width)  # noqa: E731
    return film_stills(dataset, still, path, fps, progress, closed=True)


def _puddles(dataset: xr.Dataset, instant: int):
    """Positions where the blades left the water, and time since then; strokes are one stroke length apart."""
    time, period = dataset["time"].values, float(dataset.attrs["period"])
    way = float(dataset.attrs["speed"]) * period
    wet = dataset["blade_force"].values[:, 0] > 0
    ends = np.flatnonzero(wet[:-1] & ~wet[1:])
    if len(ends) == 0:
        return
    for back in range(-int(np.ceil(time[-1] / period)) - 1, 4):
        when = time[ends[0]] - back * period
        age = float(time[instant] - when)
        if 0.0 <= age < FADES:
            for _, body in SIDES:
                middle = blade_point(dataset, int(ends[0]), body) - np.array([back * way, 0.0, 0.0])
                yield np.array([middle[0], middle[1], 0.0]), age
