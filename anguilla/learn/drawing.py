"""A picture of the eel from above, for `GymEnv.render`."""

import numpy as np
from jaxtyping import Float, UInt8
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INCHES, DOTS = (4.8, 3.2), 100


def picture(
    midline: Float[np.ndarray, "nodes 3"],
    half_width: Float[np.ndarray, "nodes"],
    marks: Float[np.ndarray, "marks 2"],
    title: str,
) -> UInt8[np.ndarray, "height width 3"]:
    """The outline of the body and marked places, seen along -z, in colours red, green, blue.

    Args:
        midline: centres of the sections in the world [m].
        half_width: their half-axis along t2 [m].
        marks: points to mark: a goal, or the points of a path [m].
        title: title of the picture.
    """
    figure = Figure(figsize=INCHES, dpi=DOTS)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.12, 0.14, 0.85, 0.76))
    line = midline[:, :2]
    along = np.gradient(line, axis=0)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.maximum(np.linalg.norm(along, axis=1), 1e-12)[:, None]
    side = half_width[:, None] * across
    outline = np.concatenate([line + side, (line - side)[::-1]])
    axes.fill(outline[:, 0], outline[:, 1], color="tab:blue", alpha=0.8)
    axes.plot(*line[0], "o", color="black", markersize=3)
    if len(marks):
        axes.plot(marks[:, 0], marks[:, 1], "o-" if len(marks) > 1 else "x", color="tab:orange", markersize=4)
    middle = line.mean(axis=0)
    axes.set(xlim=middle[0] + np.array([-2.1, 2.1]), ylim=middle[1] + np.array([-1.3, 1.3]))
    axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title=title)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()
