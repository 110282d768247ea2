"""Figures and films: what they must show, whatever the swim."""

import itertools
import re

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from PIL import Image, ImageChops

import anguilla
from anguilla import view
from anguilla.view import body, surface, vectors
from anguilla.view.camera import Camera
from anguilla.view.scene import Box, fitted
from cosserat.simulate import VARIABLES

LENGTH, TIMES, STATIONS = 2.0, 13, 31


def made_up(planar: bool) -> xr.Dataset:
    """A dataset as `cosserat.simulate` labels it, with a motion that is written down: no engine is needed to draw."""
    X, t = np.linspace(0.0, LENGTH, STATIONS), np.linspace(0.0, 1.2, TIMES)
    dims = {
        "time": t,
        "X": X,
        "axis": ["x", "y", "z"],
        "section_axis": ["t1", "t2", "t3"],
        "quaternion": ["w", "x", "y", "z"],
        "twist": ["V1", "V2", "V3", "W1", "W2", "W3"],
        "wrench": ["f1", "f2", "f3", "c1", "c2", "c3"],
        "strain_component": ["G1", "G2", "G3", "K1", "K2", "K3"],
    }
    wave = np.sin(3.0 * X[None, :] - 6.0 * t[:, None])
    data = {}
    moving = {name: row for name, row in VARIABLES.items() if row[0][0] == "time"}
    for k, (name, (names, units, meaning)) in enumerate(moving.items()):
        phase = np.sin(t + 0.3 * k).reshape((-1,) + (1,) * (len(names) - 1))
        data[name] = (names, phase * np.ones([len(dims[d]) for d in names]), {"units": units, "long_name": meaning})
    slope = 0.0 if planar else 0.4
    position = np.stack([X[None] - 0.5 * t[:, None] + 0 * wave, 0.1 * wave, -slope * t[:, None] + 0 * wave], -1)
    yaw = 0.3 * np.cos(3.0 * X[None, :] - 6.0 * t[:, None])
    quaternion = np.stack([np.cos(yaw / 2), 0 * yaw, 0 * yaw, np.sin(yaw / 2)], -1)
    data["position"] = (VARIABLES["position"][0], position, data["position"][2])
    data["orientation"] = (VARIABLES["orientation"][0], quaternion, data["orientation"][2])
    data["head_position"] = (VARIABLES["head_position"][0], position[:, 0], data["head_position"][2])
    data["head_quaternion"] = (VARIABLES["head_quaternion"][0], quaternion[:, 0], data["head_quaternion"][2])
    for name in ("fluid_drag", "fluid_added_mass"):
        data[name] = (("time", "X", "wrench"), np.repeat(wave[..., None], 6, axis=-1), {"units": "N/m, N"})
    data["nose_drag"] = (("time", "wrench"), np.repeat(t[:, None], 6, axis=-1), {"units": "N, N m"})
    for name, width in (("semiaxis_b", 0.05), ("semiaxis_c", 0.08)):
        data[name] = (("X",), width * np.sqrt(np.clip(1 - (X / LENGTH) ** 6, 0, 1)), {"units": "m"})
    return xr.Dataset(data, coords=dims, attrs={"title": "anguilla: a test"})


PLANAR, DIVING = made_up(planar=True), made_up(planar=False)
FIGURES = {
    "configurations": view.configurations,
    "plane": view.configurations_plane,
    "side": lambda dataset: view.configurations_plane(dataset, view="side"),
    "rows": view.configurations_rows,
    "space": view.configurations_space,
    "head_velocity": view.head_velocity,
    "internal_moment": view.internal_moment,
    "internal_wrench": view.internal_wrench,
    "space_time": view.space_time,
    "power": view.power_budget,
    "fluid_forces": view.fluid_forces,
}
SPACE = {"plane", "side", "rows", "space", "configurations"}
UNIT = re.compile(r"\[[^\]]+\]")


@pytest.mark.parametrize("dataset", [PLANAR, DIVING], ids=["planar", "diving"])
@pytest.mark.parametrize("name", FIGURES)
def test_every_axis_is_labelled_with_its_unit(name, dataset):
    figure = FIGURES[name](dataset)
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    assert figure.axes
    for ax in figure.axes:
        if ax.get_label() == "<colorbar>":
            assert UNIT.search(ax.get_xlabel() + ax.get_ylabel())
            continue
        for axis in (a for a in (ax.xaxis, ax.yaxis, getattr(ax, "zaxis", None)) if a is not None):
            if axis.get_visible() and any(tick.get_text() for tick in axis.get_ticklabels(which="major")):
                shared = axis.get_tick_params().get("labelbottom", True) and axis.get_tick_params().get(
                    "labelleft", True
                )
                assert UNIT.search(axis.label.get_text()) or not shared, (name, axis)


@pytest.mark.parametrize("dataset", [PLANAR, DIVING], ids=["planar", "diving"])
@pytest.mark.parametrize("name", sorted(SPACE))
def test_a_metre_is_as_long_in_every_direction(name, dataset):
    figure = FIGURES[name](dataset)
    for ax in figure.axes:
        if ax.get_label() == "<colorbar>":
            continue
        if hasattr(ax, "get_zlim"):
            sides = [np.ptp(limits()) for limits in (ax.get_xlim3d, ax.get_ylim3d, ax.get_zlim3d)]
            np.testing.assert_allclose(ax._box_aspect / ax._box_aspect[0], np.array(sides) / sides[0], rtol=1e-9)
        else:
            assert ax.get_aspect() == 1.0


def test_planar_motions_are_not_drawn_in_space():
    assert body.is_planar(PLANAR) and not body.is_planar(DIVING)
    assert not any(hasattr(ax, "get_zlim") for ax in view.configurations(PLANAR).axes)
    assert any(hasattr(ax, "get_zlim") for ax in view.configurations(DIVING).axes)


def test_figures_draw_in_given_axes():
    figure = view.internal_moment(PLANAR)
    axes = figure.subplots(2, 1)
    assert view.head_velocity(PLANAR, axes=axes) is figure
    assert axes[0].lines
    with pytest.raises(ValueError, match="axes: 2 given, this figure needs 3"):
        view.space_time(PLANAR, axes=axes)


def test_figures_show_in_a_notebook_without_a_backend():
    assert view.internal_moment(PLANAR)._repr_png_()[:4] == b"\x89PNG"


def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match="every = 0"):
        view.configurations(PLANAR, every=0.0)
    with pytest.raises(ValueError, match="view = 'back'"):
        view.configurations_plane(PLANAR, view="back")
    with pytest.raises(ValueError, match="X = 3"):
        view.internal_moment(PLANAR, X=3.0)
    with pytest.raises(ValueError, match="field = 'heat'"):
        view.field_map(PLANAR, "heat")
    with pytest.raises(ValueError, match="time = 9: the data run from 0 to 1.2 s"):
        view.still(PLANAR, 9.0)
    dry = PLANAR.drop_vars(["fluid_drag", "fluid_added_mass", "nose_drag"])
    with pytest.raises(ValueError, match="no fluid loads"):
        view.fluid_forces(dry)


def test_internal_force_is_rotated_into_the_section():
    force = vectors.force_in_section(PLANAR)
    rotation = surface.rotation_matrices(PLANAR["orientation"].values)
    np.testing.assert_allclose(np.einsum("txij,txj->txi", rotation, force), PLANAR["internal_force"].values, atol=1e-14)
    np.testing.assert_allclose(
        np.einsum("txji,txjk->txik", rotation, rotation), np.broadcast_to(np.eye(3), rotation.shape), atol=1e-14
    )


def test_skin_is_closed_and_looks_outwards():
    skin = view.body_mesh(DIVING, 0.6)
    volume = np.sum(skin.corners.mean(axis=1) * area_vectors(skin)) / 3
    X = DIVING["X"].values
    expected = np.trapezoid(np.pi * DIVING["semiaxis_b"].values * DIVING["semiaxis_c"].values, X)
    assert volume == pytest.approx(expected, rel=0.03)  # rings are polygons, the ends are caps
    np.testing.assert_allclose(area_vectors(skin).sum(axis=0), 0.0, atol=1e-12)
    length = np.linalg.norm(skin.normals, axis=1)
    assert np.all(length < 1 + 1e-12)


def area_vectors(mesh: view.Mesh) -> np.ndarray:
    """Areas of the faces times their outward normals [m²]."""
    diagonal = mesh.corners[:, 2] - mesh.corners[:, 0], mesh.corners[:, 1] - mesh.corners[:, 3]
    return 0.5 * np.linalg.norm(np.cross(*diagonal), axis=1)[:, None] * mesh.normals


def test_camera_keeps_lengths_and_fits_its_box():
    camera = Camera(0.3, 0.7)
    np.testing.assert_allclose(camera.axes @ camera.axes.T, np.eye(3), atol=1e-15)
    box = Box(np.array([-3.0, 0.0, -1.0]), np.array([1.0, 2.0, 0.5]))
    seen = fitted(camera, box, 640, 360)
    pixels = seen.pixels(box.corners) / 2
    assert np.all(pixels >= 0) and np.all(pixels <= [640, 360])


@pytest.mark.parametrize("camera", ["fixed", "follow"])
def test_film_has_its_pictures_and_moves(camera, tmp_path):
    path = anguilla.animate(DIVING, tmp_path / "swim.gif", fps=10.0, width=320, camera=camera, progress=False)
    with Image.open(path) as film:
        assert film.n_frames == 13
        assert film.info["duration"] == 100
        pictures = []
        for k in range(film.n_frames):
            film.seek(k)
            pictures.append(film.convert("RGB"))
    for one, next_one in itertools.pairwise(pictures):
        assert ImageChops.difference(one, next_one).getbbox() is not None
    assert all(picture.size == pictures[0].size for picture in pictures)


def test_film_refuses_what_it_cannot_do(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="must end in .gif or .mp4"):
        anguilla.animate(PLANAR, tmp_path / "swim.avi")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="MP4 needs the program ffmpeg"):
        anguilla.animate(PLANAR, tmp_path / "swim.mp4")
    for options, message in (
        ({"fps": 0.0}, "fps = 0"),
        ({"width": 10}, "width = 10"),
        ({"camera": "drone"}, "camera = 'drone'"),
    ):
        with pytest.raises(ValueError, match=message):
            anguilla.animate(PLANAR, tmp_path / "swim.gif", progress=False, **options)
    assert not list(tmp_path.iterdir())


FFMPEG = """#!/bin/sh
for last; do :; done
cat > "$last"
"""


def test_mp4_sends_every_picture_to_ffmpeg(tmp_path, monkeypatch):
    program = tmp_path / "ffmpeg"
    program.write_text(FFMPEG)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    path = anguilla.animate(PLANAR, tmp_path / "swim.mp4", fps=5.0, width=320, height=180, progress=False)
    assert path.stat().st_size == 7 * 320 * 180 * 3
    program.write_text("#!/bin/sh\ncat > /dev/null\necho no codec >&2\nexit 3\n")
    with pytest.raises(RuntimeError, match="ffmpeg failed: no codec"):
        anguilla.animate(PLANAR, tmp_path / "swim.mp4", fps=5.0, width=320, height=180, progress=False)
