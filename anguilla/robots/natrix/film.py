"""Films and stills of NATRIX on the water."""

from pathlib import Path

import numpy as np
import xarray as xr
from PIL import Image

from anguilla.view.animation import WIDTH, film_stills
from anguilla.view.camera import Camera
from anguilla.view.scene import Box, blank, draw_text, finished, fitted
from anguilla.view.water_plane import draw_afloat

from .drawing import natrix_mesh

VIEW = Camera(azimuth=np.deg2rad(-68.0), elevation=np.deg2rad(27.0))
MARGIN = 0.06  # margin around the robot [m]
BEYOND = 2.0  # extent of the water beyond the visible box [m]


def natrix_still(dataset: xr.Dataset, instant: int, *, width: int = WIDTH, view: Camera = VIEW) -> Image.Image:
    """One image: the robot in the water, seen through the surface; a stripe marks the top of the shells.

    Args:
        dataset: a result of `anguilla robot natrix`.
        instant: index of the recorded time.
        width: width [pixels].
        view: direction of view.
    """
    box = _box(dataset)
    stage = fitted(view, box, width, round(0.46 * width))
    picture = blank(stage)
    level = float(dataset.attrs.get("level", 0.0))
    water = Box(box.low - BEYOND, box.high + BEYOND)
    picture = draw_afloat(picture, stage, natrix_mesh(dataset, instant), water, level, 0.1)
    roll = float(np.rad2deg(dataset["head_roll"].values[instant]))
    draw_text(picture, f"t = {float(dataset['time'][instant]):.2f} s    roll of the head {roll:+.0f}°", 12.0, 10.0)
    draw_text(picture, "grid 0.1 m", width - 12.0, 10.0, size=11, anchor="ra")
    return finished(picture)


def natrix_film(
    dataset: xr.Dataset, path: str | Path, *, fps: float = 25.0, width: int = WIDTH, progress: bool = True
) -> Path:
    """Animates a run with a fixed camera, because without a flow model the robot does not advance in still water.

    Args:
        dataset: a result of `anguilla robot natrix`.
        path: ends in .gif or .mp4.
        fps: frames per second.
        width: width [pixels].
        progress: show a progress bar.
    """
    still = lambda k: natrix_still(dataset, k, width=width)  # noqa: E731
    return film_stills(dataset, still, path, fps, progress)


def _box(dataset: xr.Dataset) -> Box:
    place = dataset["position"].values.reshape(-1, 3)
    low, high = place.min(axis=0), place.max(axis=0)
    reach = np.array([MARGIN + 0.09, MARGIN, 0.05])
    return Box(low - reach, high + reach)
