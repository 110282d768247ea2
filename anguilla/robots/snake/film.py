"""Films of the snake on the ground and on the beach, and stills on the ground."""

from pathlib import Path

import numpy as np
import xarray as xr
from PIL import Image

from anguilla.view.animation import WIDTH, film_stills
from anguilla.view.body import body_mesh
from anguilla.view.camera import Camera
from anguilla.view.scene import (
    Box,
    blank,
    draw_floor,
    draw_line,
    draw_shadow,
    draw_surface,
    draw_text,
    finished,
    fitted,
)

from .beach_pictures import beach_still
from .tree import RADIUS

VIEW = Camera(azimuth=np.deg2rad(-60.0), elevation=np.deg2rad(38.0))
MARGIN = 0.15  # margin of ground around the path [m]
TRACK = "#b48ead"


def snake_still(body: xr.Dataset, instant: int, *, width: int = WIDTH, view: Camera = VIEW) -> Image.Image:
    """One image: the snake on the ground with its shadow, and the track of its tail.

    Args:
        body: sections of the snake, from the `body` of its entry.
        instant: index of the recorded time.
        width: width [pixels].
        view: direction of view.
    """
    place = body["position"].values
    flat = place.reshape(-1, 3)
    floor = float(flat[:, 2].min()) - RADIUS
    low, high = flat.min(axis=0) - MARGIN, flat.max(axis=0) + MARGIN
    box = Box(np.array([low[0], low[1], floor]), np.array([high[0], high[1], floor + 3 * RADIUS]))
    stage = fitted(view, box, width)
    picture = blank(stage)
    draw_floor(picture, stage, box, 0.5)
    on_ground = lambda path: np.concatenate([path[:, :2], np.full((len(path), 1), floor)], axis=1)  # noqa: E731
    draw_line(picture, stage, on_ground(place[: instant + 1, -1]), TRACK, 2.0)
    mesh = body_mesh(body, float(body["time"][instant]))
    draw_shadow(picture, stage, mesh, floor)
    draw_surface(picture, stage, mesh)
    draw_text(picture, f"t = {float(body['time'][instant]):.1f} s", 12.0, 10.0)
    return finished(picture)


def snake_film(
    body: xr.Dataset,
    path: str | Path,
    *,
    fps: float = 20.0,
    width: int = WIDTH,
    camera: str = "fixed",
    progress: bool = True,
) -> Path:
    """Animates a run with a fixed camera that shows the whole track, on a floor or on the beach.

    Args:
        body: sections of the snake.
        path: ends in .gif or .mp4.
        fps: frames per second.
        width: width [pixels].
        camera: ignored; the camera is always fixed.
        progress: show a progress bar.
    """
    still = beach_still if body.attrs.get("terrain") == "beach" else snake_still
    return film_stills(body, lambda k: still(body, k, width=width), path, fps, progress)
