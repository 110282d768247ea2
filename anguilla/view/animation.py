"""Animations of a swimming body: GIF with Pillow, MP4 with ffmpeg; works without a display."""

import importlib
import importlib.util
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from jaxtyping import Float
from PIL import Image
from tqdm import tqdm

from spatial import number

from .body import body_length, body_mesh, drawn_abscissae, grid_step, heads_at, is_planar, motion_bounds
from .camera import Camera, best_camera
from .colouring import Colouring, colouring
from .record import check_body
from .scene import (
    GRID,
    TRACE,
    TRACE_SHADOW,
    WATER,
    Box,
    Viewport,
    blank,
    draw_floor,
    draw_line,
    draw_scale,
    draw_shadow,
    draw_surface,
    draw_text,
    finished,
    fitted,
)
from .surface import AROUND, Mesh, faded

WIDTH = 720
COLOURS = 96
SMALLEST = 0.5  # length of the body relative to a fixed scene; the camera follows a smaller one
CAMERAS = ("auto", "fixed", "follow")
NO_ENCODER = "MP4 needs the program ffmpeg: install it, or pip install 'anguilla[film]', or write a .gif instead"


def animate(
    dataset: xr.Dataset,
    path: str | Path,
    *,
    fps: float = 20.0,
    width: int = WIDTH,
    height: int | None = None,
    camera: str = "auto",
    view: Camera | None = None,
    field: str | None = None,
    component: str | None = None,
    progress: bool = True,
) -> Path:
    """Animates a swim: the skin of the body, its shadow on a grid, the path of its nose.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.animate(swim, "swim.gif", fps=4, width=240, progress=False).name
    'swim.gif'

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        path: output file; its suffix selects the format, `.gif` or `.mp4` (needs ffmpeg or the extra `film`).
        fps: frames per second of swimming. A GIF shows each frame for a multiple of 1/100 s, at least two: the nearest
            such rate is used, so that the film runs in real time.
        width: width [pixels].
        height: height [pixels]; chosen to fit the scene when None.
        camera: "fixed" shows the whole path, "follow" keeps the body centred, "auto" follows where the whole path
            would make the body shorter than half of the scene.
        view: direction of view; obliquely from above when None.
        field: field that colours a beam: a variable along the body, such as "internal_moment" or "strain"; the
            colours of an eel when None.
        component: one component of the field, such as "K3"; its magnitude when None.
        progress: show a progress bar.

    Returns:
        The path of the file.

    Raises:
        ValueError: another suffix, or an option out of range.
        RuntimeError: MP4 was requested and ffmpeg is missing or failed.
    """
    check_body(dataset)
    path = film_path(path)
    fps = film_rate(path, fps)
    options = {"width": width, "height": height, "camera": camera, "view": view}
    pictures = frames(dataset, fps=fps, field=field, component=component, progress=progress, **options)
    return write_film(list(pictures), path, fps)


def film_path(path: str | Path) -> Path:
    """Returns the path; raises before any frame is drawn if the film could not be written."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise ValueError(f"path = {path}: the animation must end in .gif or .mp4")
    if kind == ".mp4" and encoder() is None:
        raise RuntimeError(f"{path}: {NO_ENCODER}")
    return path


def film_rate(path: Path, fps: float) -> float:
    """The rate nearest to `fps` that the format of the film can store [1/s]; raises if `fps` is out of range."""
    _check_rate(fps)
    return 1e3 / _gif_duration(fps) if path.suffix.lower() == ".gif" else float(fps)


def _check_rate(fps: float) -> None:
    if not (isinstance(fps, int | float) and np.isfinite(fps) and 0 < fps <= 100):
        raise ValueError(f"fps = {fps!r}: must be positive and at most 100 [1/s]")


def _gif_duration(fps: float) -> int:
    """Time for which a GIF shows a frame [ms]: a multiple of 10 ms; viewers slow down below 20 ms."""
    return max(10 * round(100.0 / fps), 20)


def encoder() -> str | None:
    """The ffmpeg executable on the PATH, otherwise that of the package imageio-ffmpeg; None if there is neither."""
    found = shutil.which("ffmpeg")
    if found is None and importlib.util.find_spec("imageio_ffmpeg") is not None:
        found = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    return found


def write_film(pictures: list[Image.Image], path: Path, fps: float) -> Path:
    """Writes frames as a GIF or MP4 film, according to the suffix of the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".gif":
        _write_gif(pictures, path, fps)
    else:
        _write_mp4(pictures, path, fps)
    return path


def film_stills(
    dataset: xr.Dataset,
    still: Callable[[int], Image.Image],
    path: str | Path,
    fps: float,
    progress: bool,
    *,
    closed: bool = False,
) -> Path:
    """Animates a run from images of its recorded instants.

    Args:
        dataset: a record with the times of the instants [s].
        still: function that draws one of them, by its index.
        path: ends in .gif or .mp4.
        fps: frames per second.
        progress: show a progress bar.
        closed: omit the last instant, which equals the first in a periodic motion.
    """
    path = film_path(path)
    fps = film_rate(path, fps)
    time = dataset["time"].values
    wanted = np.arange(time[0], time[-1] + (-1e-9 if closed else 1e-9), 1.0 / fps)
    instants = np.clip(np.searchsorted(time, wanted - 1e-9), 0, len(time) - 1)
    bar = tqdm(instants, desc="animation", unit="frame", disable=not progress)
    return write_film([still(int(k)) for k in bar], path, fps)


def frames(
    dataset: xr.Dataset,
    *,
    fps: float = 20.0,
    width: int = WIDTH,
    height: int | None = None,
    camera: str = "auto",
    view: Camera | None = None,
    field: str | None = None,
    component: str | None = None,
    progress: bool = False,
) -> Iterator[Image.Image]:
    """Generates the frames of `animate`; arguments as there."""
    check_body(dataset)
    times = frame_times(dataset, fps)
    stage = _Stage(dataset, width, height, camera, view, _colours(dataset, field, component))
    for time in tqdm(times, desc="animation", unit="frame", disable=not progress):
        yield stage.picture(float(time))


def still(
    dataset: xr.Dataset,
    time: float | None = None,
    *,
    width: int = WIDTH,
    height: int | None = None,
    camera: str = "fixed",
    view: Camera | None = None,
    before: Sequence[float] = (),
    field: str | None = None,
    component: str | None = None,
) -> Image.Image:
    """One frame of the animation.

    >>> import anguilla, cosserat, gaits, hydro
    >>> swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.5, samples=3, progress=False)
    >>> anguilla.still(swim, time=0.5, width=320).size[0]
    320

    Args:
        dataset: a result of `cosserat.simulate` or `multibody.simulate`.
        time: instant [s]; the last one when None.
        width: as in `animate`.
        height: as in `animate`.
        camera: as in `animate`.
        view: as in `animate`.
        before: earlier instants [s] at which the body is also drawn, in a paler colour.
        field: as in `animate`.
        component: as in `animate`.
    """
    check_body(dataset)
    time = float(dataset["time"][-1] if time is None else number("time", time))
    return _Stage(dataset, width, height, camera, view, _colours(dataset, field, component)).picture(time, before)


def _colours(dataset, field, component) -> Colouring | None:
    if field is None and component is not None:
        raise ValueError(f"component = {component!r}: needs the field that it is a component of")
    return None if field is None else colouring(dataset, field, component)


def frame_times(dataset: xr.Dataset, fps: float) -> Float[np.ndarray, "frames"]:
    """Times of the frames [s]: from the first recorded time, `fps` per second, at least two."""
    _check_rate(fps)
    first, last = float(dataset["time"][0]), float(dataset["time"][-1])
    count = max(int(np.floor((last - first) * fps + 1e-9)) + 1, 2)
    return np.minimum(first + np.arange(count) / fps, last)


class _Stage:
    """Everything that is constant over the frames of a film."""

    def __init__(
        self,
        dataset: xr.Dataset,
        width: int,
        height: int | None,
        camera: str,
        view: Camera | None,
        colours: Colouring | None,
    ):
        if camera not in CAMERAS:
            raise ValueError(f"camera = {camera!r}: must be one of {', '.join(CAMERAS)}")
        for name, pixels in (("width", width), ("height", height)):
            if pixels is not None and not 160 <= pixels <= 4096:
                raise ValueError(f"{name} = {pixels!r}: must be between 160 and 4096 pixels")
        self.dataset, self.colours = dataset, colours
        self.planar = is_planar(dataset)
        position = dataset["position"].values
        self.head = dataset["head_position"].values
        self.times = dataset["time"].values
        length = body_length(dataset)
        self.box = _scene_box(*motion_bounds(dataset), length)
        extent = float(np.max((self.box.high - self.box.low)[:2]))
        self.follows = camera == "follow" or (camera == "auto" and length < SMALLEST * extent)
        self.camera = best_camera(position, self.planar) if view is None else view
        shown = self.box if not self.follows else _around(position.mean(axis=(0, 1)), self.box, length)
        self.view = fitted(self.camera, shown, width, height)
        self.step = grid_step(dataset)
        self.centre = _smoothed(position.mean(axis=1), self.times)
        self.backdrop = self._backdrop(self.view)

    def _backdrop(self, view: Viewport) -> Image.Image:
        picture = blank(view)
        draw_floor(picture, view, self.box, self.step)
        return picture

    def picture(self, time: float, before: Sequence[float] = ()) -> Image.Image:
        view, picture = self.view, self.backdrop.copy()
        if self.follows:
            centre = np.array([np.interp(time, self.times, axis) for axis in self.centre.T])
            view = self.view.moved_to(centre)
            picture = self._backdrop(view)
        mesh = self._mesh(time)
        nose = np.array([np.interp(time, self.times, axis) for axis in self.head.T])
        floor = float(self.box.low[2])
        for earlier in sorted(before):
            draw_shadow(picture, view, body_mesh(self.dataset, earlier), floor)
        draw_shadow(picture, view, mesh, floor)
        swum = self.head[self.times <= time + 1e-9]
        on_floor = swum.copy()
        on_floor[:, 2] = floor
        draw_line(picture, view, on_floor, TRACE_SHADOW, 1.0)
        draw_line(picture, view, swum, TRACE, 1.6)
        if not self.planar:
            draw_line(picture, view, np.stack([nose, [*nose[:2], floor]]), GRID, 1.0)
        for earlier in sorted(before):
            ghost = faded(self._mesh(earlier), WATER, 0.45)
            draw_surface(picture, view, ghost, heads=heads_at(self.dataset, earlier))
        draw_surface(picture, view, mesh, heads=heads_at(self.dataset, time))
        height = "" if self.planar else f"    height of the nose {nose[2]:+.2f} m"
        draw_text(picture, f"t = {time:.2f} s{height}", 12.0, 10.0)
        if self.colours is not None:
            self.colours.draw_bar(picture, view)
        if self.follows:  # the floor with its numbers may be out of the picture
            draw_scale(picture, view, self.step)
        return finished(picture)

    def _mesh(self, time: float) -> Mesh:
        if self.colours is None:
            return body_mesh(self.dataset, time)
        X = drawn_abscissae(self.dataset)
        return body_mesh(self.dataset, time, colour=self.colours.skin(time, X, AROUND))


def _scene_box(lowest, highest, length) -> Box:
    """Box that contains the whole swim, rounded to eighths of the body length."""
    quantum = length / 8
    low, high = np.floor(lowest / quantum) * quantum, np.ceil(highest / quantum) * quantum
    thin = np.maximum(0.4 * length - (high - low), 0.0)
    low, high = low - 0.5 * thin, high + 0.5 * thin  # a floor wide enough for the shadow
    low[2], high[2] = lowest[2] - 0.08 * length, highest[2]
    return Box(low, high)


def _around(centre, box: Box, length: float) -> Box:
    """Box of one body length around its middle."""
    half = 0.62 * length
    return Box(
        np.array([centre[0] - half, centre[1] - 0.5 * half, box.low[2]]),
        np.array([centre[0] + half, centre[1] + 0.5 * half, box.high[2]]),
    )


def _smoothed(path, times):
    """Position of the body without its oscillation: average over one second."""
    steps = max(int(np.round(1.0 / max(float(np.mean(np.diff(times))), 1e-9))), 1)
    steps = min(steps | 1, len(path) if len(path) % 2 else len(path) - 1)
    padded = np.pad(path, ((steps // 2, steps // 2), (0, 0)), mode="edge")
    kernel = np.ones(steps) / steps
    return np.stack([np.convolve(axis, kernel, mode="valid") for axis in padded.T], axis=-1)


def _write_gif(pictures: list[Image.Image], path: Path, fps: float) -> None:
    """Uses one palette for the whole film, to avoid flicker, and stores only the changes."""
    chosen = [pictures[k] for k in np.linspace(0, len(pictures) - 1, min(6, len(pictures))).astype(int)]
    width, height = chosen[0].size
    sheet = Image.new("RGB", (width, height * len(chosen) + height // 4), TRACE)  # keeps thin lines in the palette
    for k, picture in enumerate(chosen):
        sheet.paste(picture, (0, k * height))
    palette = sheet.quantize(COLOURS, method=Image.Quantize.MEDIANCUT)
    indexed = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    duration = _gif_duration(fps)
    indexed[0].save(
        path, save_all=True, append_images=indexed[1:], duration=duration, loop=0, optimize=False, disposal=1
    )


def _write_mp4(pictures: list[Image.Image], path: Path, fps: float) -> None:
    width, height = pictures[0].size
    command = [str(encoder()), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{width}x{height}", "-r", f"{fps:g}", "-i", "-", "-an"]
    command += ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    data = b"".join(picture.convert("RGB").tobytes() for picture in pictures)
    done = subprocess.run(command, input=data, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{path}: ffmpeg failed: {done.stderr.decode(errors='replace').strip()}")
