"""Films and stills of the moth: one stroke in slow motion."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float
from PIL import Image
from tqdm import tqdm

from anguilla.view.animation import WIDTH, film_path, write_film
from anguilla.view.camera import Camera
from anguilla.view.scene import (
    TRACE,
    WATER,
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
from anguilla.view.surface import faded

from .drawing import SIDES, moth_mesh, wing_surface

VIEW = Camera(azimuth=np.deg2rad(58.0), elevation=np.deg2rad(20.0))
PICTURES = 50  # frames per stroke


def moth_still(
    dataset: xr.Dataset, instant: int, *, width: int = WIDTH, view: Camera = VIEW, before: Sequence[int] = ()
) -> Image.Image:
    """One image: the moth, its shadow, the paths of the wing tips.

    Args:
        dataset: a result of `anguilla robot moth`.
        instant: index of the recorded time.
        width: width [pixels].
        view: direction of view.
        before: indices of earlier instants, drawn paler.
    """
    box = _box(dataset)
    stage = fitted(view, box, width, round(0.74 * width))
    picture = blank(stage)
    draw_floor(picture, stage, box, 0.05)
    for earlier in before:
        draw_surface(picture, stage, faded(moth_mesh(dataset, earlier), WATER, 0.6))
    mesh = moth_mesh(dataset, instant)
    draw_shadow(picture, stage, mesh, float(box.low[2]))
    begin = max(instant - round(0.25 * _samples(dataset)), 0)
    paths = [
        np.array([wing_surface(dataset, k, side, 29, 2)[-1, 0] for k in range(begin, instant + 1, 2)]) for side in SIDES
    ]
    # A path is hidden by the moth where it passes behind the thorax.
    thorax = float(view.project(dataset["position"].values[instant, 0])[2])
    for in_front in (False, True):
        for path in paths:
            for piece in _pieces(path, (view.project(path)[:, 2] > thorax) == in_front):
                draw_line(picture, stage, piece, TRACE, 1.2)
        if not in_front:
            draw_surface(picture, stage, mesh)
    milliseconds = 1e3 * float(dataset["time"][instant])
    draw_text(picture, f"t = {milliseconds:.1f} ms", 12.0, 10.0)
    return finished(picture)


def moth_film(dataset: xr.Dataset, path: Path, *, fps: float = 25.0, width: int = WIDTH, progress: bool = True) -> Path:
    """Animates the recorded strokes, fifty frames per stroke.

    Args:
        dataset: a result of `anguilla robot moth`.
        path: ends in .gif or .mp4.
        fps: frames per second of film.
        width: width [pixels].
        progress: show a progress bar.
    """
    path = film_path(path)
    step = max(round(_samples(dataset) / PICTURES), 1)
    instants = range(0, dataset.sizes["time"] - 1, step)  # the last instant of a stroke is the first of the next
    bar = tqdm(instants, desc="animation", unit="frame", disable=not progress)
    return write_film([moth_still(dataset, k, width=width) for k in bar], path, fps)


def _pieces(path: Float[np.ndarray, "points 3"], kept: Bool[np.ndarray, "points"]) -> list[np.ndarray]:
    """Visible stretches of a path, each extended by one step so that no gap remains [m]."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], kept, [False]]).astype(int)))
    return [path[begin : end + 1] for begin, end in zip(ends[::2], ends[1::2], strict=True)]


def _samples(dataset: xr.Dataset) -> float:
    """Number of recorded instants of a stroke."""
    return float(dataset.attrs["period"]) / float(dataset["time"][1] - dataset["time"][0])


def _box(dataset: xr.Dataset) -> Box:
    span, place = float(dataset.attrs["span"]), dataset["position"].values[:, 0]
    low, high = place.min(axis=0), place.max(axis=0)
    reach = np.array([1.0, 0.75, 0.0]) * span
    body = float(dataset.attrs["thorax"][2])
    return Box(low - reach - np.array([0.0, 0.0, 1.35 * body]), high + reach + np.array([0.0, 0.0, 1.4 * body]))
