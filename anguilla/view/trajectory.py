"""The body at regular times along its path, as in [BPK06, Figures 4, 6, 7 and 8]."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import BoundaryNorm, ListedColormap, to_hex
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MultipleLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D

from .body import (
    body_length,
    eyes,
    grid_step,
    heads_at,
    is_planar,
    motion_bounds,
    parts_at,
    snapshot_interval,
    snapshot_times,
)
from .camera import Camera, best_camera
from .record import check_body
from .style import GREY, INK, figure_of, frame_label, label, new_figure, styled, time_colours
from .surface import AROUND, Mesh, Sections, join, lit, plain_skin, tube

VIEWS = {"top": ("x", "y"), "side": ("x", "z")}
WORDS = {"top": "from above", "side": "from the side"}
TOP = Camera(-np.pi / 2, np.pi / 2)
SIDE = Camera(-np.pi / 2, 0.0)
STRAIGHT = 0.3  # ratio of width to length of a swim below which successive bodies overlap
ROOM = 0.015  # margin around a swim, relative to the body length
TALLEST, WIDE = 12.0, 6.5  # maximum height of rows; minimum width for title and legend side by side [inches]
PATH = "path of the nose"


def configurations(dataset: xr.Dataset, every: float | None = None) -> Figure:
    """Draws the body every `every` seconds, in the view that suits the motion.

    A planar swim is drawn in its plane, any other in space. If a planar swim is so straight that the bodies would
    overlap, they are drawn in rows. The path of the nose ends at the last body.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.view.configurations(swim, every=0.25).savefig("configurations.png")

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        every: time between two bodies [s]; chosen to show six to nine when None.
    """
    check_body(dataset)
    every = snapshot_interval(dataset) if every is None else every
    if not is_planar(dataset):
        return configurations_space(dataset, every)
    return configurations_rows(dataset, every) if _straight(dataset) else configurations_plane(dataset, every)


def configurations_plane(
    dataset: xr.Dataset, every: float | None = None, *, view: str = "top", ax: Axes | None = None
) -> Figure:
    """Outlines of the body from above or from the side, and the path of the nose.

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        every: time between two bodies [s]; chosen to show six to nine when None.
        view: "top" (x and y) or "side" (x and z).
        ax: axes to draw in; a new figure when None.
    """
    check_body(dataset)
    every = snapshot_interval(dataset) if every is None else every
    axes = _view(view)
    with styled():
        times = snapshot_times(dataset, every)
        if ax is None:
            figure = new_figure(9.0, _height(dataset, axes))
            ax = figure.add_subplot()
            _time_bar(figure, ax, times)
        _draw_plane(ax, dataset, times, axes)
        frame_label(ax, f"Body every {every:g} s, {WORDS[view]}")
        return figure_of(ax)


def configurations_rows(
    dataset: xr.Dataset, every: float | None = None, *, view: str = "top", ax: Axes | None = None
) -> Figure:
    """Bodies from above or from the side, each in its own row labelled with the time, at one scale.

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        every: time between two bodies [s]; chosen to show six to nine when None.
        view: "top" (x and y) or "side" (x and z).
        ax: axes to draw in; a new figure when None.
    """
    check_body(dataset)
    every = snapshot_interval(dataset) if every is None else every
    axes = _view(view)
    with styled():
        times = snapshot_times(dataset, every)
        ax = ax or new_figure(9.0, _rows_height(dataset, times, axes, 8.0)).add_subplot()
        _draw_rows(ax, dataset, times, axes)
        apart = (
            "\n" if _rows_width(dataset, times, axes) < WIDE else " "
        )  # a second line where the legend is in the way
        frame_label(ax, f"Body every {every:g} s, {WORDS[view]};{apart}same scale in {axes[0]} and {axes[1]}")
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1)
        return figure_of(ax)


def configurations_space(dataset: xr.Dataset, every: float | None = None, *, ax: Axes | None = None) -> Figure:
    """Surface of the body in space, with views from above and from the side unless `ax` is given.

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        every: time between two bodies [s]; chosen to show six to nine when None.
        ax: three-dimensional axes to draw in; a new figure with three views when None.
    """
    check_body(dataset)
    every = snapshot_interval(dataset) if every is None else every
    with styled():
        times = snapshot_times(dataset, every)
        if ax is not None:
            if not isinstance(ax, Axes3D):
                raise ValueError("ax: must be three-dimensional, made with projection='3d'")
            _draw_space(ax, dataset, times, np.arange(len(times)))
            return figure_of(ax)
        straight = _straight(dataset)
        if straight:
            heights = [max(_rows_height(dataset, times, axes, 5.2) for axes in VIEWS.values())]
        else:
            heights = [_height(dataset, axes) for axes in VIEWS.values()]
        figure = new_figure(12.0 if straight else 9.0, 5.2 + sum(heights))
        upper, lower = np.ravel(cast(Any, figure.subfigures(2, 1, height_ratios=[5.2, sum(heights)])))
        space = cast(Axes3D, upper.add_subplot(projection="3d"))
        apart = _apart(dataset, times) if straight else np.arange(len(times))
        _draw_space(space, dataset, times, apart)
        words = "Body at " + ", ".join(f"{time:g}" for time in times[apart]) if straight else f"Body every {every:g}"
        upper.suptitle(f"{words} s", x=0.02, ha="left", fontweight="bold", fontsize=11)
        if straight:
            flat = lower.subplots(1, 2)
        else:
            flat = lower.subplots(2, 1, height_ratios=heights)
        for part, (name, axes) in zip(flat, VIEWS.items(), strict=True):
            (_draw_rows if straight else _draw_plane)(part, dataset, times, axes)
            frame_label(part, WORDS[name].capitalize())
        _time_bar(lower, list(flat), times, location="bottom")
        return figure


def _view(view: str) -> tuple[str, str]:
    if view not in VIEWS:
        raise ValueError(f"view = {view!r}: must be one of {', '.join(VIEWS)}")
    return VIEWS[view]


def _straight(dataset: xr.Dataset) -> bool:
    """Whether the swim is so straight that successive bodies overlap."""
    low, high = _limits(dataset, ("x", "y", "z"))
    return bool(np.max((high - low)[1:]) < STRAIGHT * (high - low)[0])


def _apart(dataset: xr.Dataset, times: np.ndarray) -> np.ndarray:
    """Indices of bodies that do not overlap: from the last one, each a body length apart."""
    nose = np.stack([np.interp(times, dataset["time"], axis) for axis in dataset["head_position"].values.T], -1)
    kept = [len(times) - 1]
    for k in range(len(times) - 2, -1, -1):
        if np.linalg.norm(nose[k] - nose[kept[-1]]) >= 0.95 * body_length(dataset):
            kept.append(k)
    return np.array(kept[::-1])


def _row_pitch(dataset: xr.Dataset, axes: tuple[str, str]) -> float:
    low, high = _limits(dataset, axes)
    return 1.05 * float(high[1] - low[1])


def _rows_share(dataset: xr.Dataset, times: np.ndarray, axes: tuple[str, str]) -> float:
    """Height of all rows relative to their width."""
    low, high = _limits(dataset, axes)
    return len(times) * _row_pitch(dataset, axes) / float(high[0] - low[0])


def _rows_height(dataset: xr.Dataset, times: np.ndarray, axes: tuple[str, str], width: float) -> float:
    """Height of a figure with rows for a given width of the drawing [inches]."""
    return float(np.clip(width * _rows_share(dataset, times, axes), 1.5, TALLEST)) + 0.9


def _rows_width(dataset: xr.Dataset, times: np.ndarray, axes: tuple[str, str]) -> float:
    """Width of the rows in a figure of the maximum height [inches]."""
    return TALLEST / _rows_share(dataset, times, axes)


def _draw_rows(ax: Axes, dataset: xr.Dataset, times: np.ndarray, axes: tuple[str, str]) -> None:
    low, high = _limits(dataset, axes)
    pitch = _row_pitch(dataset, axes)
    columns = ["xyz".index(axis) for axis in axes]
    for row, (time, colour) in enumerate(zip(times, time_colours(times), strict=True)):
        down = np.zeros(3)
        down[columns[1]] = -pitch * row
        swum = (_path(dataset, time) + down)[:, columns]
        ax.plot(*swum.T, color=INK, linewidth=0.9, zorder=4, label=PATH if row == 0 else None)
        _draw_body(ax, dataset, time, colour, axes, 2.0, down)
    ax.set_yticks((-pitch * np.arange(len(times))).tolist(), labels=[f"{time:g}" for time in times])
    ax.set_ylabel(f"{label('time', 's')}; rows {pitch:.2g} m apart in {axes[1]}")
    ax.set_xlabel(label(axes[0], "m"))
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1] - pitch * (len(times) - 1), high[1])


def _draw_plane(ax: Axes, dataset: xr.Dataset, times: np.ndarray, axes: tuple[str, str]) -> None:
    columns = ["xyz".index(axis) for axis in axes]
    for order, (time, colour) in enumerate(zip(times, time_colours(times), strict=True)):
        _draw_body(ax, dataset, time, colour, axes, 2 + 0.01 * order)
    ax.plot(*_path(dataset, times[-1])[:, columns].T, color=INK, linewidth=0.9, zorder=4, label=PATH)
    ax.set_xlabel(label(axes[0], "m"))
    ax.set_ylabel(label(axes[1], "m"))
    ax.set_aspect("equal", adjustable="box")
    low, high = _limits(dataset, axes)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1)


def _draw_body(ax: Axes, dataset, time, colour, axes: tuple[str, str], order: float, shift: Any = 0.0) -> None:
    """One body in one colour, shifted in the world [m]."""
    columns = ["xyz".index(axis) for axis in axes]
    camera = TOP if axes == VIEWS["top"] else SIDE
    moved = lambda part: replace(part, position=part.position + shift)  # noqa: E731
    _draw_seen(ax, _skin(map(moved, parts_at(dataset, float(time))), colour), camera, columns, order)
    for head in map(moved, heads_at(dataset, float(time))):
        _draw_eyes(ax, head, camera, columns, order + 0.006)


def _skin(parts: Iterable[Sections], colour: Any, around: int = AROUND) -> Mesh:
    """Surface of all parts in one colour."""
    return join(*(tube(part, plain_skin(len(part.b), to_hex(tuple(colour)), around)) for part in parts))


def _draw_seen(ax: Axes, skin: Mesh, camera: Camera, columns: list[int], order: float) -> None:
    """Visible faces, far ones first, over a white outline that separates bodies."""
    towards = camera.towards()
    seen = np.flatnonzero(skin.normals @ towards > 0)
    seen = seen[np.argsort(skin.corners[seen].mean(axis=1) @ towards)]
    faces, colours = list(skin.corners[seen][..., columns]), lit(skin)[seen]
    ax.add_collection(PolyCollection(faces, facecolors="white", edgecolors="white", linewidths=1.8, zorder=order))
    ax.add_collection(
        PolyCollection(faces, facecolors=colours, edgecolors=colours, linewidths=0.3, zorder=order + 0.003)
    )


def _draw_eyes(ax: Axes, sections: Sections, camera: Camera, columns: list[int], order: float) -> None:
    turn = np.linspace(0.0, 2 * np.pi, 20)
    disc = 0.17 * sections.b.max() * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    for point, normal in eyes(sections):
        if normal @ camera.towards() > 0.05:
            ax.fill(*(point[columns] + disc).T, facecolor=INK, edgecolor="white", linewidth=0.7, zorder=order)


def _draw_space(ax: Axes3D, dataset: xr.Dataset, times: np.ndarray, drawn: np.ndarray) -> None:
    """The bodies at the chosen times, coloured by their position among all times."""
    camera = best_camera(dataset["position"].values, planar=False)
    skins = [_skin(parts_at(dataset, float(times[k]), rings=60), time_colours(times)[k], around=16) for k in drawn]
    ax.computed_zorder = False  # bodies that overlap are drawn one after the other: sorted faces would interlock
    for order, skin in enumerate(skins):
        colours = lit(skin, camera.light())
        for layer, (fill, edge, width) in enumerate((("white", "white", 1.8), (colours, colours, 0.2))):
            faces = Poly3DCollection(
                skin.corners,
                facecolors=fill,
                edgecolors=edge,
                linewidths=width,
                clip_on=False,
                zorder=2 + 0.01 * order + 0.005 * layer,
            )
            ax.add_collection3d(faces)
    low, high = _limits(dataset, ("x", "y", "z"))
    thin = np.maximum(0.3 * np.max(high - low) - (high - low), 0.0)
    low, high = low - 0.5 * thin, high + 0.5 * thin  # keeps the box at least as high as its labels
    head = _path(dataset, times[-1])
    ax.plot(*head.T, color=INK, linewidth=1.0, zorder=4, label=PATH)
    floor = np.full(len(head), low[2])
    ax.plot(head[:, 0], head[:, 1], floor, color=GREY, linewidth=0.8, zorder=1, label="seen on the floor")
    for set_limits, k in ((ax.set_xlim, 0), (ax.set_ylim, 1), (ax.set_zlim, 2)):
        set_limits(low[k], high[k])
    ax.set_box_aspect(tuple(high - low), zoom=cast(int, 1.45))  # accepts any number
    ax.set_proj_type("ortho")
    ax.view_init(elev=float(np.rad2deg(camera.elevation)), azim=float(np.rad2deg(camera.azimuth)))
    ax.set_xlabel(label("x", "m"), labelpad=10)
    ax.set_ylabel(label("y", "m"), labelpad=6)
    ax.set_zlabel(label("z", "m"), labelpad=4)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_major_locator(MultipleLocator(grid_step(dataset, float(np.max(high - low)))))


def _path(dataset: xr.Dataset, last: float) -> np.ndarray:
    """Positions of the nose from the start to the time `last`, that of a body [m]."""
    time, head = dataset["time"].values, dataset["head_position"].values
    end = [np.interp(last, time, axis) for axis in head.T]
    return np.concatenate([head[time < last - 1e-9], [end]])


def _limits(dataset: xr.Dataset, axes: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the swim along some axes, with margins [m]."""
    low, high = motion_bounds(dataset)
    columns = ["xyz".index(axis) for axis in axes]
    room = ROOM * body_length(dataset)
    return low[columns] - room, high[columns] + room


def _height(dataset: xr.Dataset, axes: tuple[str, str], width: float = 7.2) -> float:
    """Height of a figure with equal scales along both axes [inches]."""
    low, high = _limits(dataset, axes)
    return float(np.clip(width * (high[1] - low[1]) / (high[0] - low[0]), 0.6, 6.0)) + 0.7


def _time_bar(figure: Figure | SubFigure, axes: Any, times: np.ndarray, location: str = "right") -> None:
    """Colour bar of the times of the bodies."""
    colours = ListedColormap(time_colours(times))
    edges = np.arange(len(times) + 1) - 0.5
    shown = ScalarMappable(BoundaryNorm(edges, len(times)), colours)
    bar = figure.colorbar(shown, ax=axes, location=location, pad=0.02, fraction=0.03, aspect=40)
    bar.set_ticks(np.arange(len(times)).tolist(), labels=[f"{time:g}" for time in times])
    bar.set_label(label("time", "s"))
    bar.ax.tick_params(length=0)
    bar.minorticks_off()
