"""Bodies that pierce a water surface: submerged parts are seen through the water, dry parts are drawn on top."""

import numpy as np
from jaxtyping import Float
from PIL import Image, ImageDraw

from .scene import SMOOTH, Box, Viewport
from .surface import Mesh, lit

SURFACE, LINES, FOAM = (70, 140, 175, 112), (255, 255, 255, 90), (255, 255, 255, 235)


def draw_afloat(picture: Image.Image, view: Viewport, mesh: Mesh, box: Box, level: float, step: float) -> Image.Image:
    """Draws a floating surface: its wet faces, the water over them, its dry faces.

    Args:
        picture: image to draw on.
        view: the part of the world it shows.
        mesh: the surface of the bodies.
        box: horizontal extent of the water that is drawn [m].
        level: height of the water [m].
        step: spacing of the grid lines on the water [m].

    Returns:
        The image with the water on it.
    """
    towards = view.camera.towards()
    seen = mesh.normals @ towards > -0.05
    corners, fills = mesh.corners[seen], np.round(255 * lit(mesh, view.camera.light())[seen]).astype(int)
    order = np.argsort(corners.mean(axis=1) @ towards)
    height = corners[..., 2] - level
    paint = ImageDraw.Draw(picture)
    for k in order[(height[order] < 0).any(axis=1)]:
        paint.polygon(_flat(view, corners[k]), fill=tuple(fills[k]))
    picture = Image.alpha_composite(picture.convert("RGBA"), _water(view, picture.size, box, level, step)).convert(
        "RGB"
    )
    paint = ImageDraw.Draw(picture)
    for k in order[(height[order] > 0).any(axis=1)]:
        above, line = _dry_part(corners[k], height[k])
        paint.polygon(_flat(view, above), fill=tuple(fills[k]))
        if line is not None:
            paint.line(_flat(view, line), fill=FOAM[:3], width=SMOOTH)
    return picture


def _water(view: Viewport, size: tuple[int, int], box: Box, level: float, step: float) -> Image.Image:
    """The translucent surface with its grid."""
    sheet = Image.new("RGBA", size, (0, 0, 0, 0))
    paint = ImageDraw.Draw(sheet)
    (x0, y0, _), (x1, y1, _) = box.low, box.high
    paint.polygon(
        _flat(view, np.array([[x0, y0, level], [x1, y0, level], [x1, y1, level], [x0, y1, level]])), fill=SURFACE
    )
    inside = lambda low, high: step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)  # noqa: E731
    for x in inside(x0, x1):
        paint.line(_flat(view, np.array([[x, y0, level], [x, y1, level]])), fill=LINES, width=SMOOTH)
    for y in inside(y0, y1):
        paint.line(_flat(view, np.array([[x0, y, level], [x1, y, level]])), fill=LINES, width=SMOOTH)
    return sheet


def _dry_part(
    corners: Float[np.ndarray, "n 3"], height: Float[np.ndarray, "n"]
) -> tuple[Float[np.ndarray, "m 3"], Float[np.ndarray, "2 3"] | None]:
    """The part of a face above the water, and the line where it crosses the surface."""
    if (height >= 0).all():
        return corners, None
    kept, cut = [], []
    for i in range(len(corners)):
        j = (i + 1) % len(corners)
        if height[i] >= 0:
            kept.append(corners[i])
        if (height[i] >= 0) != (height[j] >= 0):
            cut.append(corners[i] + (corners[j] - corners[i]) * height[i] / (height[i] - height[j]))
            kept.append(cut[-1])
    return np.array(kept), np.array(cut[:2]) if len(cut) >= 2 else None


def _flat(view: Viewport, points: np.ndarray) -> list[float]:
    return view.pixels(points).ravel().tolist()
