"""Records of trees are drawn as those of beams are: branched trees, with shapes and without."""

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import anguilla
import hydro
import multibody as mb
from anguilla import view
from anguilla.view.body import body_mesh, parts_at
from anguilla.view.skin import field_on_skin, skin


def record(shaped: bool):
    """A base with two arms, one of which has a hand; it waves."""
    profile = hydro.uniform_profile(0.3, 0.02, 0.03)
    piece = mb.strip(profile, (0.0, 0.3)) if shaped else None
    body = {"about_centre": 0.002 * np.eye(3)}
    links = [
        mb.Link("base", mass=1.0, strip=piece, **body),
        mb.Link("left", "base", mb.revolute((0, 0, 1), position=(0.3, 0.1, 0.0)), mass=0.4, strip=piece, **body),
        mb.Link("right", "base", mb.revolute((0, 0, 1), position=(0.3, -0.1, 0.0)), mass=0.4, **body),
        mb.Link("hand", "left", mb.revolute((0, 1, 0), position=(0.3, 0.0, 0.0)), mass=0.2, strip=piece, **body),
    ]
    law = lambda t: 0.3 * jnp.sin(4.0 * t) * jnp.array([1.0, -1.0, 0.5])  # noqa: E731
    fluid = hydro.Morison() if shaped else None
    return mb.simulate(mb.from_links(links), law, fluid, 0.4, samples=5, progress=False)


@pytest.fixture(scope="module")
def shaped():
    return record(True)


def test_links_are_where_their_bodies_are(shaped):
    """The hand's tube ends at its joint and 0.3 m from it, along its own first axis."""
    hand = parts_at(shaped, 0.4)[-1]
    joint, axes = shaped["position"].values[-1, 3], shaped["rotation"].values[-1, 3]
    assert np.allclose(hand.position[0], joint, atol=1e-12)
    assert np.allclose(hand.position[-1], joint + 0.3 * axes[:, 0], atol=1e-12)
    assert np.allclose([hand.b.max(), hand.c.max()], [0.02, 0.03])


def test_branched_trees_are_drawn(shaped, tmp_path):
    assert len(parts_at(shaped, 0.0)) == 3  # the right arm has neither a shape nor a child
    picture = view.still(shaped, width=200)
    assert picture.size[0] == 200 and len(np.unique(np.asarray(picture))) > 50
    assert view.configurations(shaped, 0.2).axes
    surface = skin(shaped, 3, 24, 8)
    assert surface.triangles.max() == surface.points.shape[1] - 1
    values, words = field_on_skin(shaped, surface, "fluid_drag")
    assert values.shape == surface.points.shape[:2] and "N" in words
    assert view.write_vtk(shaped, tmp_path / "tree.pvd", frames=2).exists()


def test_links_without_shapes_are_rods_between_joints():
    bare = record(False)
    mesh = body_mesh(bare, 0.0)
    assert len(parts_at(bare, 0.0)) == 2  # base to its first arm, left arm to the hand
    assert np.isfinite(mesh.corners).all()
    low, high = mesh.corners.min(axis=(0, 1)), mesh.corners.max(axis=(0, 1))
    assert high[0] == pytest.approx(0.6, abs=0.02) and low[0] == pytest.approx(0.0, abs=0.02)


def test_flat_ends_of_links_face_outwards():
    """The sign of a face whose centre lies in the end would be round-off."""
    from anguilla.view.surface import Sections, tube

    rng = np.random.default_rng(0)
    for _ in range(20):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        R = R * np.sign(np.linalg.det(R))
        position = rng.normal(size=3) + np.array([0.0, 0.0, 0.2, 0.2])[:, None] * R[:, 0]
        size = np.array([0.0, 0.03, 0.03, 0.0])
        mesh = tube(Sections(position, np.broadcast_to(R, (4, 3, 3)), size, size), np.full((4, 8, 3), 0.5))
        along = mesh.normals @ R[:, 0]
        np.testing.assert_allclose(along[:8], -1.0, atol=1e-9)
        np.testing.assert_allclose(along[-8:], 1.0, atol=1e-9)


def test_torques_fill_their_axis_whatever_the_limits():
    """A placeholder of 1000 N m is only in the legend; a limit near the peak is drawn."""
    t = np.linspace(0.0, 1.0, 21)
    torque = 0.3 * np.sin(2 * np.pi * t)[:, None] * np.array([1.0, -0.5])
    run = xr.Dataset(
        {"torque": (("time", "freedom"), torque), "torque_limit": ("freedom", [1000.0, 1.0])},
        coords={"time": t, "freedom": ["q1", "q2"]},
    )
    ax = view.joint_torques(run).axes[0]
    assert ax.get_ylim()[1] == pytest.approx(1.15)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["limit ±1 N m, joint 2", "limit ±1000 N m, joint 1 (off scale)"]
    far = view.joint_torques(run.assign(torque_limit=("freedom", [1000.0, 1000.0]))).axes[0]
    assert far.get_ylim()[1] == pytest.approx(0.345)
    still = view.joint_torques(run.assign(torque=0.0 * run["torque"])).axes[0]
    assert still.get_ylim()[1] == pytest.approx(1150.0)


@pytest.mark.parametrize(
    ("kinds", "unit", "words"),
    [
        ([mb.revolute, mb.revolute], "N m", " N m"),
        ([mb.prismatic, mb.prismatic], "N", " N"),
        ([mb.revolute, mb.prismatic], "N m or N", " N m (N where a joint slides)"),
    ],
)
def test_units_of_motors_are_those_of_the_joints(kinds, unit, words):
    body = {"mass": 1.0, "about_centre": 0.002 * np.eye(3)}
    links = [mb.Link("0", **body), *(mb.Link(str(k + 1), str(k), kind(), **body) for k, kind in enumerate(kinds))]
    law = lambda t: 0.1 * t**2 * jnp.ones(2)  # noqa: E731
    run = mb.simulate(mb.from_links(links), law, None, 0.1, samples=3, progress=False)
    assert run["torque"].attrs["units"] == unit
    line = next(line for line in anguilla.summarise(run, 0.1).lines() if line.startswith("peak of motors"))
    assert line.endswith(words)
    axis = view.joint_torques(run).axes[0].get_ylabel()
    assert axis == (f"force [{unit}]" if unit == "N" else f"torque [{unit}]")
