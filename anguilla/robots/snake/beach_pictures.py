"""Figure and stills of the snake on the beach and in the water."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from PIL import Image, ImageDraw

from anguilla.view.animation import WIDTH
from anguilla.view.body import body_mesh
from anguilla.view.camera import Camera
from anguilla.view.scene import Box, blank, draw_line, draw_text, finished, fitted
from anguilla.view.style import BLUE, ORANGE, VERMILLION, figure_of, frame_label, label, new_figure, styled
from anguilla.view.water_plane import draw_afloat

from .beach import SLOPE, wet_length

VIEW = Camera(azimuth=np.deg2rad(-50.0), elevation=np.deg2rad(24.0))
MARGIN = 0.3  # margin of sand and water around the path [m]
SAND, SHADE = "#E8D9B5", "#D5C295"


def shore(body: xr.Dataset, every: float) -> Figure:
    """Side view of the body at evenly spaced times; below, the mean speed of the body and the length under water.

    Args:
        body: sections of the snake, from the `body` of its entry.
        every: time between two bodies [s].
    """
    place, time, level = body["position"].values, body["time"].values, float(body.attrs["level"])
    with styled():
        figure = new_figure(9.0, 5.4)
        side, below = figure.subplots(2, 1, height_ratios=(3, 2))
        x = np.array([place[..., 0].min() - MARGIN, place[..., 0].max() + MARGIN])
        side.fill_between(x, SLOPE * x, SLOPE * x[0] - 0.05, color=SAND, linewidth=0)
        side.plot([x[0], level / SLOPE], [level, level], color=BLUE, linewidth=1.0, label="water")
        marks = np.searchsorted(time, np.arange(time[0], time[-1] + 1e-9, every))
        for n, k in enumerate(np.clip(marks, 0, len(time) - 1)):
            shade = 0.25 + 0.75 * n / max(len(marks) - 1, 1)
            side.plot(place[k, :, 0], place[k, :, 2], color=VERMILLION, alpha=shade, linewidth=1.4)
        side.set_xlim(*x)
        side.set_ylim(SLOPE * x[0] - 0.05, place[..., 2].max() + 0.1)
        side.set_xlabel(label("x", "m"))
        side.set_ylabel(label("z", "m"))
        frame_label(side, f"From the side (heights exaggerated), a body every {every:g} s; it is headed to the left")
        speed = np.linalg.norm(np.gradient(place.mean(axis=1), time, axis=0), axis=1)
        below.plot(time, speed, color=VERMILLION, label="speed of the middle")
        below.set_ylabel(label("speed", "m/s"))
        below.set_ylim(bottom=0.0)
        share = below.twinx()
        share.plot(time, wet_length(body), color=BLUE, label="length under water")
        share.set_ylabel(label("length", "m"))
        share.grid(False)
        below.set_xlabel(label("time", "s"))
        below.margins(x=0.0)
        lines = [*below.get_lines(), *share.get_lines()]
        below.legend(lines, [str(line.get_label()) for line in lines], fontsize=8, loc="center right")
        frame_label(below, "Speed, and the length whose centre line is under water")
        return figure_of(side)


def beach_still(body: xr.Dataset, instant: int, *, width: int = WIDTH, view: Camera = VIEW) -> Image.Image:
    """One image: the sand and the snake, with the submerged part seen through the water.

    Args:
        body: sections of the snake, from the `body` of its entry.
        instant: index of the recorded time.
        width: width [pixels].
        view: direction of view.
    """
    place, level = body["position"].values, float(body.attrs["level"])
    flat = place.reshape(-1, 3)
    (x0, y0, _), (x1, y1, _) = flat.min(axis=0) - MARGIN, flat.max(axis=0) + MARGIN
    box = Box(np.array([x0, y0, min(SLOPE * x0, level)]), np.array([x1, y1, SLOPE * x1]))
    stage = fitted(view, box, width)
    picture = blank(stage)
    paint = ImageDraw.Draw(picture)
    sand = np.array([[x0, y0, SLOPE * x0], [x1, y0, SLOPE * x1], [x1, y1, SLOPE * x1], [x0, y1, SLOPE * x0]])
    paint.polygon(stage.pixels(sand).ravel().tolist(), fill=SAND)
    for x in np.arange(np.ceil(2 * x0) / 2, x1, 0.5):
        draw_line(picture, stage, np.array([[x, y0, SLOPE * x], [x, y1, SLOPE * x]]), SHADE, 1.0)
    track = place[: instant + 1, -1]
    on_sand = np.concatenate([track[:, :2], SLOPE * track[:, :1]], axis=1)
    draw_line(picture, stage, on_sand[track[:, 2] < SLOPE * track[:, 0] + 0.1], ORANGE, 2.0)
    water = Box(np.array([x0, y0, 0.0]), np.array([level / SLOPE, y1, 0.0]))
    mesh = body_mesh(body, float(body["time"][instant]))
    picture = draw_afloat(picture, stage, mesh, water, level, 0.5)
    draw_text(picture, f"t = {float(body['time'][instant]):.1f} s", 12.0, 10.0)
    draw_text(picture, "lines 0.5 m apart", width - 12.0, 10.0, size=11, anchor="ra")
    return finished(picture)
