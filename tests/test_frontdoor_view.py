"""Figures and films: what they must show, whatever the swim."""

import base64
import itertools
import re
from argparse import Namespace
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from PIL import Image, ImageChops

import anguilla
from anguilla import view
from anguilla.commands import steering
from anguilla.view import animation, body, colouring, scene, skin, style, surface, vectors
from anguilla.view.camera import Camera
from anguilla.view.scene import Box, fitted
from tests.random_models import made_up

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


def test_a_field_colours_the_body_of_a_film_with_its_scale():
    plain, coloured = (np.asarray(anguilla.still(DIVING, width=320, **o)) for o in ({}, {"field": "internal_moment"}))
    assert plain.shape == coloured.shape and np.mean(np.any(plain != coloured, axis=-1)) > 0.01
    scale = colouring.colouring(DIVING, "fluid_drag", "c3")
    assert scale.label == "fluid_drag, c3 [N]" and scale.low == -scale.high
    values = DIVING["fluid_drag"].sel(wrench="c3").values
    middle = scale.skin(float(DIVING.time[1]), DIVING.X.values, 2)[:, 0]
    np.testing.assert_allclose(middle, scale.colours(values[1]), atol=1e-12)
    for options in ({"field": "speed"}, {"field": "strain", "component": "K4"}, {"component": "K3"}):
        with pytest.raises(ValueError, match="must be one of|needs the field"):
            anguilla.still(DIVING, width=320, **options)


def _title_on_legend(ax):
    legend, title = ax.get_legend(), ax._left_title
    return bool(legend and title.get_text() and title.get_window_extent().overlaps(legend.get_window_extent()))


def test_a_title_is_raised_above_a_legend_that_would_touch_it():
    with style.styled():
        figure = style.new_figure(6.0, 3.0)
        ax = figure.add_subplot()
        for k in range(5):
            ax.plot([0, 1], [k, 1], label=f"some name {k}")
        style.frame_label(ax, "A title of some length")
        style.legend_outside(ax)
        weight = ax._left_title.get_fontweight()
    figure.draw_without_rendering()
    assert not _title_on_legend(ax) and ax._left_title.get_fontweight() == weight


@pytest.mark.parametrize("size", [0.011, 0.019, 0.035, 0.048, 0.05, 0.099, 1.0, 3.5, 28.0])
def test_narrow_colour_bars_have_three_ticks_or_five_short_ones(size):
    ticks = [tick for tick in style.few_ticks().tick_values(-size, size) if abs(tick) <= size]
    assert len(ticks) in (3, 5) and 0.0 in np.round(ticks, 12)
    assert len(ticks) == 3 or max(len(f"{tick:g}") for tick in ticks) <= 4


def test_rare_peaks_do_not_bleach_the_colours_of_a_film():
    """Values of one, and a hundredth of a percent of them a hundred times as large."""
    field = DIVING["internal_moment"].copy(data=np.ones(DIVING["internal_moment"].shape))
    field[0, 0, :] = -100.0
    scale = colouring.colouring(DIVING.assign(internal_moment=field), "internal_moment", "t3")
    assert scale.high <= 1.5 and scale.beyond == (True, False)


def test_scales_of_magnitudes_start_at_zero():
    """Also where the smallest value is round-off; a component that stays away from zero keeps its own range."""
    field = DIVING["internal_moment"].copy(data=np.random.default_rng(0).uniform(1, 2, DIVING["internal_moment"].shape))
    scale = colouring.colouring(DIVING.assign(internal_moment=field), "internal_moment")
    assert scale.low == 0.0 and scale.beyond[0] is False
    assert colouring.colouring(DIVING.assign(internal_moment=field), "internal_moment", "t3").low >= 1.0
    tiny = field.isel(section_axis=2, drop=True) - 1.0
    tiny[0] = 1e-41
    assert colouring.colouring(DIVING.assign(elastic_density=tiny), "elastic_density").low == 0.0


def test_the_camera_follows_a_body_that_would_be_small():
    far = PLANAR.copy()
    for name in ("position", "head_position"):
        shift = np.zeros(far[name].shape)
        shift[..., 0] += np.linspace(0.0, -20.0, far.sizes["time"]).reshape(-1, *[1] * (shift.ndim - 2))
        far[name] = far[name] + shift
    follows = lambda run: animation._Stage(run, 720, None, "auto", None, None).follows  # noqa: E731
    assert follows(far) and not follows(PLANAR)
    assert body.grid_step(PLANAR) == {2.0: 0.5, 1.0: 0.2}[round(body.body_length(PLANAR))]


def test_a_following_camera_shows_a_scale_bar():
    """A dark bar of one grid step in the lower left corner; its length does not depend on the direction of view."""
    for angle in (Camera(), Camera(0.3, 1.2)):
        stage = animation._Stage(PLANAR, 720, None, "follow", angle, None)
        picture = np.asarray(stage.picture(float(PLANAR.time[1])).convert("L"), int)
        row = picture[stage.view.height - scene.MARGIN]
        dark = np.flatnonzero(row[: int(scene.MARGIN + stage.step * stage.view.scale + 3)] < 100)
        assert dark[0] == pytest.approx(scene.MARGIN, abs=1)
        assert np.ptp(dark) == pytest.approx(stage.step * stage.view.scale, abs=2) and len(dark) > 0.9 * np.ptp(dark)


@pytest.mark.parametrize("dataset", [PLANAR, DIVING], ids=["planar", "diving"])
@pytest.mark.parametrize("name", FIGURES)
def test_every_axis_is_labelled_with_its_unit(name, dataset):
    figure = FIGURES[name](dataset)
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    assert figure.axes
    for ax in figure.axes:
        assert not _title_on_legend(ax)
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


@pytest.mark.parametrize("duration", [0.2, 0.5, 1.0, 2.0, 3.0, 3.7, 5.0, 10.0, 13.0, 30.0, 60.0])
def test_six_to_nine_bodies_at_round_times_end_with_the_path(duration):
    """The last body is at the end of the run where a round interval allows it; the path of the nose ends there."""
    run = PLANAR.assign_coords(time=np.linspace(0.0, duration, PLANAR.sizes["time"]))
    times = body.snapshot_times(run, body.snapshot_interval(run))
    assert 6 <= len(times) <= 9
    assert duration in (3.7, 13.0) or times[-1] == pytest.approx(duration)
    path = view.configurations_plane(run).axes[0].get_lines()[-1].get_xydata()
    end = [np.interp(times[-1], run["time"], run["head_position"][:, k]) for k in range(2)]
    np.testing.assert_allclose(path[-1], end, atol=1e-12)


def test_planar_motions_are_not_drawn_in_space():
    assert body.is_planar(PLANAR) and not body.is_planar(DIVING)
    assert not any(hasattr(ax, "get_zlim") for ax in view.configurations(PLANAR).axes)
    assert any(hasattr(ax, "get_zlim") for ax in view.configurations(DIVING).axes)


def test_figures_draw_in_given_axes():
    figure = view.internal_moment(PLANAR)
    axes = figure.subplots(2, 1)
    assert view.head_velocity(PLANAR, axes=axes) is figure
    assert axes[0].lines
    with pytest.raises(ValueError, match="axes: 2 given, this figure needs 18"):
        view.space_time(PLANAR, axes=axes)


def test_a_feedback_loop_shows_what_was_asked_for_or_moved():
    """Heading alone: no panel and no line for the depth that stayed zero, no channels that stayed zero."""
    t = np.linspace(0.0, 2.0, 21)
    command = np.stack([np.sin(t), 1e-16 * t, 0 * t], axis=-1)
    run = xr.Dataset(
        {
            "sensed_heading": ("time", 0.3 * t, {"units": "rad"}),
            "sensed_depth": ("time", 1e-17 * t, {"units": "m"}),
            "command": (("time", "channel"), command, {"units": "1/m"}),
        },
        coords={"time": t, "channel": ["offset_K3", "offset_K2", "roll_wave"]},
    )
    asked = Namespace(heading=20.0, depth=None, period=1.0)
    assert list(steering.shown_references(run, asked)) == ["heading"]
    assert [line.split()[0] for line in steering.lines(run, asked)] == ["heading"]
    figure = view.feedback_loop(run, steering.shown_references(run, asked), period=1.0)
    assert len(figure.axes) == 2
    assert [text.get_text() for text in figure.axes[-1].get_legend().get_texts()] == ["offset K3"]
    sunk = run.assign(sensed_depth=run["sensed_depth"] + 0.1)
    for other in (steering.lines(sunk, asked), steering.lines(run, Namespace(heading=None, depth=0.0, period=1.0))):
        assert [line.split()[0] for line in other] == ["heading", "depth"]
    still = run.assign(command=0.0 * run["command"])
    assert len(view.feedback_loop(still, {}).axes[-1].get_legend().get_texts()) == 3


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


@pytest.mark.parametrize("fps", [15, 60.0, 30.0])
def test_gif_runs_in_real_time(fps, tmp_path):
    """Frame times are multiples of 10 ms, so that the frames are taken at the rate at which they are shown."""
    path = anguilla.animate(DIVING, tmp_path / "swim.gif", fps=fps, width=160, progress=False)
    swum = float(DIVING["time"][-1] - DIVING["time"][0])
    with Image.open(path) as film:
        shown = []
        for k in range(film.n_frames):
            film.seek(k)
            shown.append(1e-3 * film.info["duration"])
    assert abs(sum(shown[:-1]) - swum) <= max(shown) and min(shown) >= 0.02


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


def signed_volume(skin, k):
    a, b, c = (skin.points[k][corner] for corner in skin.triangles.T)
    return np.sum(a * np.cross(b, c)) / 6.0


def test_triangles_of_the_skin_close_it_and_look_outwards():
    """Its volume, by the divergence theorem, is that of the ellipses it joins; every edge has two sides."""
    made = skin.skin(DIVING, frames=4, rings=120, around=60)
    X = DIVING["X"].values
    volume = np.trapezoid(np.pi * DIVING["semiaxis_b"].values * DIVING["semiaxis_c"].values, X)
    np.testing.assert_allclose(
        [signed_volume(made, k) for k in range(4)], volume, rtol=0.03
    )  # its sections stand a little askew
    edges = np.sort(np.concatenate([made.triangles[:, [0, 1]], made.triangles[:, [1, 2]], made.triangles[:, [2, 0]]]))
    inner = np.unique(edges, axis=0, return_counts=True)[1]
    assert set(inner) == {1, 2} and np.sum(inner == 1) == 2 * 60  # but for the two end rings, which have no size


def test_interactive_view_moves_and_is_coloured_by_the_field():
    figure = view.interactive(DIVING, "fluid_drag", "f2", frames=5)
    assert len(figure.frames) == 5 == len(figure.layout.sliders[0].steps)
    first, last = figure.frames[0].data[0], figure.frames[-1].data[0]
    np.testing.assert_allclose(np.mean(last.z) - np.mean(first.z), -0.4 * 1.2, atol=1e-3)
    assert figure.data[0].cmin == -figure.data[0].cmax  # signed
    ranges = [figure.layout.scene[f"{name}axis"].range for name in "xyz"]
    sides = np.array([high - low for low, high in ranges])
    ratio = figure.layout.scene.aspectratio
    np.testing.assert_allclose(np.array([ratio.x, ratio.y, ratio.z]) / sides, ratio.x / sides[0])  # one scale


def test_interactive_view_opens_where_the_field_is_strongest():
    ramp = DIVING.assign(fluid_drag=DIVING["fluid_drag"] * np.minimum(DIVING["time"], 0.6))  # nothing at t = 0
    figure = view.interactive(ramp, "fluid_drag", frames=5)
    opening = figure.layout.sliders[0].active
    means = [np.mean(frame.data[0].intensity) for frame in figure.frames]
    assert means[0] == 0.0 and opening == np.argmax(means) > 0
    np.testing.assert_array_equal(figure.data[0].intensity, figure.frames[opening].data[0].intensity)
    assert figure.layout.scene.xaxis.range == figure.frames[opening].layout.scene.xaxis.range


def test_interactive_page_needs_no_network(tmp_path):
    text = view.interactive_page(PLANAR, tmp_path / "new" / "swim.html").read_text()
    assert not re.search(r'<(script|link)[^>]+(src|href)="http', text)
    assert "internal moment" in text.lower()


def test_fields_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="field 'torque': must be one of .*internal_moment"):
        view.interactive(PLANAR, "torque")
    with pytest.raises(ValueError, match="component 't4' of 'internal_moment': must be one of t1, t2, t3"):
        view.interactive(PLANAR, "internal_moment", "t4")
    with pytest.raises(ValueError, match="frames = 1: must be an integer of at least 2"):
        view.interactive(PLANAR, frames=1)
    with pytest.raises(ValueError, match="must end in .pvd"):
        view.write_vtk(PLANAR, "swim.vtk")


def test_vtk_files_hold_the_skin(tmp_path):
    collection = view.write_vtk(DIVING, tmp_path / "swim.pvd", ("internal_moment",), frames=3)
    rows = ElementTree.parse(collection).getroot().findall(".//DataSet")
    assert [float(row.get("timestep")) for row in rows] == pytest.approx([0.0, 0.6, 1.2])
    piece = ElementTree.parse(tmp_path / rows[-1].get("file")).getroot()
    arrays = {}
    for array in piece.iter("DataArray"):
        raw = base64.b64decode(array.text)
        assert int.from_bytes(raw[:8], "little") == len(raw) - 8
        arrays[array.get("Name")] = np.frombuffer(raw[8:], {"Float64": "<f8", "Int64": "<i8"}[array.get("type")])
    made = skin.skin(DIVING, frames=3)
    np.testing.assert_array_equal(arrays["points"].reshape(-1, 3), made.points[-1])
    np.testing.assert_array_equal(arrays["connectivity"].reshape(-1, 3), made.triangles)
    assert arrays["offsets"][-1] == made.triangles.size and arrays["internal_moment"].size == len(made.abscissa)


def test_maps_stay_small_in_vector_formats(tmp_path):
    """Each cell of a smooth map as its own gradients made 125 MB of SVG for a short swim: the map is one picture."""
    file = tmp_path / "map.svg"
    view.space_time(PLANAR).savefig(file)
    assert file.stat().st_size < 2_000_000
    assert "<image" in file.read_text(encoding="utf-8")
