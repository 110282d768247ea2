"""Image of a body in water, drawn by the painter's algorithm with Pillow: fast, without a display."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import matplotlib
import numpy as np
from jaxtyping import Float
from PIL import Image, ImageDraw, ImageFont

from .body import eyes
from .camera import Camera
from .surface import EYE, Mesh, Sections, lit, rgb

WATER, FLOOR, GRID, SHADOW = "#DCE9EF", "#EDF4F6", "#C3D3DB", "#C9D8DE"
TEXT, TRACE, TRACE_SHADOW = "#22303A", "#D55E00", "#D9B79C"
SIDE, TOP, BOTTOM = 52, 32, 36  # margins for text [pixels]
MARGIN = 12  # of a scale bar [pixels]
SMOOTH = 2  # supersampling factor for smooth edges


@dataclass(frozen=True)
class Viewport:
    """The part of the projected world that an image shows.

    Attributes:
        camera: direction of view.
        centre: coordinates right and up of the centre of the image [m].
        scale: pixels per metre in the finished picture.
        width: width of the finished picture [pixels].
        height: height of the finished picture [pixels].
    """

    camera: Camera
    centre: tuple[float, float]
    scale: float
    width: int
    height: int

    def pixels(self, points: Float[np.ndarray, "*n 3"]) -> Float[np.ndarray, "*n 2"]:
        """Position of points of the world on the supersampled image [pixels from the upper left corner]."""
        view = self.camera.project(points)
        right = (view[..., 0] - self.centre[0]) * self.scale + self.width / 2
        down = (self.centre[1] - view[..., 1]) * self.scale + self.height / 2
        return SMOOTH * np.stack([right, down], axis=-1)

    def moved_to(self, point: Float[np.ndarray, "3"]) -> "Viewport":
        """The same view, centred on a point of the world."""
        right, up, _ = self.camera.project(point)
        return replace(self, centre=(float(right), float(up)))


@dataclass(frozen=True)
class Box:
    """An axis-aligned box.

    Attributes:
        low: smallest x, y, z [m].
        high: largest x, y, z [m].
    """

    low: Float[np.ndarray, "3"]
    high: Float[np.ndarray, "3"]

    @property
    def corners(self) -> Float[np.ndarray, "8 3"]:
        """The eight corners [m]."""
        ends = np.stack([self.low, self.high])
        choose = np.indices((2, 2, 2)).reshape(3, 8).T
        return np.stack([ends[choose[:, k], k] for k in range(3)], axis=-1)


def fitted(camera: Camera, box: Box, width: int, height: int | None = None) -> Viewport:
    """The viewport that shows a whole box, with margins for text.

    Args:
        camera: direction of view.
        box: the box to show.
        width: width of the picture [pixels].
        height: its height [pixels]; chosen to fit the box when None, between 0.4 and 0.65 of the width.
    """
    view = camera.project(box.corners)[:, :2]
    low, high = view.min(axis=0), view.max(axis=0)
    extent = np.maximum(high - low, 1e-9)
    scale = max(width - 2 * SIDE, 0.5 * width) / extent[0]
    needed = np.clip(scale * extent[1] + TOP + BOTTOM, 0.4 * width, 0.65 * width)
    tall = 2 * round(0.5 * float(needed)) if height is None else height
    scale = float(min(scale, max(tall - TOP - BOTTOM, 0.5 * tall) / extent[1]))
    centre = 0.5 * (low + high) + np.array([0.0, 0.5 * (TOP - BOTTOM) / scale])
    return Viewport(camera, (float(centre[0]), float(centre[1])), scale, width, tall)


def blank(view: Viewport) -> Image.Image:
    """An empty image in the colour of water."""
    return Image.new("RGB", (SMOOTH * view.width, SMOOTH * view.height), WATER)


def draw_floor(picture: Image.Image, view: Viewport, box: Box, step: float) -> None:
    """Draws a horizontal grid at the bottom of a box, with lengths in metres along its two near edges."""
    paint = ImageDraw.Draw(picture)
    (x0, y0, z), (x1, y1, _) = box.low, box.high
    rectangle = np.array([[x0, y0, z], [x1, y0, z], [x1, y1, z], [x0, y1, z]])
    paint.polygon(_flat(view.pixels(rectangle)), fill=FLOOR)
    xs, ys = _multiples(x0, x1, step), _multiples(y0, y1, step)
    for x in xs:
        paint.line(_flat(view.pixels(np.array([[x, y0, z], [x, y1, z]]))), fill=GRID, width=SMOOTH)
    for y in ys:
        paint.line(_flat(view.pixels(np.array([[x0, y, z], [x1, y, z]]))), fill=GRID, width=SMOOTH)
    near_y = y0 if view.camera.towards()[1] < 0 else y1
    near_x = x0 if view.camera.towards()[0] < 0 else x1
    right = 1.0 if near_x == x1 else -1.0
    for x in xs:
        _write(paint, view, (x, near_y, z), f"{x:g}", 0, 11)
    for y in ys[np.abs(ys - near_y) > 0.2 * step]:
        _write(paint, view, (near_x, y, z), f"{y:g}", 16 * right, 5)
    _write(paint, view, (0.5 * (x0 + x1), near_y, z), "x [m]", 0, 26)
    _write(paint, view, (near_x, y0 + y1 - near_y, z), "y [m]", 26 * right, -12)


def draw_line(
    picture: Image.Image, view: Viewport, points: Float[np.ndarray, "points 3"], colour: str, width: float
) -> None:
    """Draws a line through points of the world; width in pixels of the finished image."""
    if len(points) > 1:
        ImageDraw.Draw(picture).line(
            _flat(view.pixels(points)), fill=colour, width=round(SMOOTH * width), joint="curve"
        )


def draw_shadow(picture: Image.Image, view: Viewport, mesh: Mesh, floor: float) -> None:
    """Draws the shadow of a surface, cast vertically onto the floor [height in m]."""
    corners = mesh.corners[mesh.normals[:, 2] > 0].copy()
    corners[..., 2] = floor
    paint = ImageDraw.Draw(picture)
    for corner in view.pixels(corners).reshape(-1, 8).tolist():
        paint.polygon(corner, fill=SHADOW)


def draw_surface(picture: Image.Image, view: Viewport, mesh: Mesh, heads: tuple[Sections, ...] = ()) -> None:
    """Draws a lit surface, far faces first, and eyes on the heads of the given bodies."""
    towards = view.camera.towards()
    seen = mesh.normals @ towards > -0.05
    corners = mesh.corners[seen]
    depth = corners.mean(axis=1) @ towards
    fills = np.round(255 * lit(mesh, view.camera.light())[seen]).astype(int)
    patches = [
        (near, flat, tuple(fill))
        for near, flat, fill in zip(
            depth.tolist(), view.pixels(corners).reshape(-1, 8).tolist(), fills.tolist(), strict=True
        )
    ]
    for sections in heads:
        patches += _eye_patches(view, sections)
    paint = ImageDraw.Draw(picture)
    for _, outline, fill in sorted(patches, key=lambda patch: patch[0]):
        paint.polygon(outline, fill=fill)


def draw_text(picture: Image.Image, text: str, x: float, y: float, size: int = 13, anchor: str = "la") -> None:
    """Writes text at a position in pixels of the finished image."""
    ImageDraw.Draw(picture).text((SMOOTH * x, SMOOTH * y), text, fill=TEXT, font=_font(SMOOTH * size), anchor=anchor)


def draw_scale(picture: Image.Image, view: Viewport, length: float) -> None:
    """Draws a bar of a given length [m] in the lower left corner, with its length above it."""
    paint = ImageDraw.Draw(picture)
    left, right, down = MARGIN, MARGIN + length * view.scale, view.height - MARGIN
    ends = [(left, down - 4), (left, down), (right, down), (right, down - 4)]
    paint.line([(SMOOTH * x, SMOOTH * y) for x, y in ends], fill=TEXT, width=round(1.5 * SMOOTH))
    draw_text(picture, f"{length:g} m", 0.5 * (left + right), down - 6, 10, "md")


def finished(picture: Image.Image) -> Image.Image:
    """Returns the image at its final size."""
    return picture.reduce(SMOOTH)


def _eye_patches(view, sections):
    """White of the eye and pupil, as discs on the skin that face the camera."""
    towards = view.camera.towards()
    radius = 0.2 * sections.b.max()
    patches = []
    for point, normal in eyes(sections):
        if normal @ towards < 0.05:
            continue
        across = np.cross(normal, towards + 1e-3)
        across /= np.linalg.norm(across)
        angle = np.linspace(0.0, 2 * np.pi, 16, endpoint=False)
        disc = np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(normal, across)
        near = float(point @ towards) + 0.5 * radius
        for size, colour, lift in ((1.3, "#F7F3DA", 0.0), (0.85, EYE, 1e-6)):
            outline = view.pixels(point + size * radius * disc + 0.02 * radius * normal)
            patches.append((near + lift, _flat(outline), tuple(np.round(255 * rgb(colour)).astype(int).tolist())))
    return patches


def _write(paint, view, point, text, right, down):
    """Writes text next to a point of the world, at an offset in pixels of the finished image."""
    x, y = view.pixels(np.array(point))
    paint.text((x + SMOOTH * right, y + SMOOTH * down), text, fill=TEXT, font=_font(SMOOTH * 10), anchor="mm")


def _multiples(low, high, step):
    return step * np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) + 0.0  # + 0.0 avoids -0


def _flat(points):
    return points.ravel().tolist()


@lru_cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), size)
