"""From a recorded swim to a folder of pictures, labelled data and numbers."""

import json

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import anguilla
import gaits
from anguilla.robots import vertebra
from anguilla.robots.vertebra import figures as vertebra_figures

AMPLITUDE, WAVES = 0.5, 2.0 * np.pi  # [rad], [1/m]


@pytest.fixture(scope="module")
def record():
    """A body of 1 m whose heading is a travelling wave, under a moment that pushes its bending."""
    X, time = np.linspace(0.0, 1.0, 41), np.linspace(0.0, 1.0, 21)
    phase = WAVES * (X[None, :] - time[:, None])
    heading, spin = AMPLITUDE * np.sin(phase), -AMPLITUDE * WAVES * np.cos(phase)
    zero = np.zeros_like(phase)
    quaternion = np.stack([np.cos(heading / 2), zero, zero, np.sin(heading / 2)], axis=-1)
    curvature_rate = AMPLITUDE * WAVES**2 * np.sin(phase)
    return xr.Dataset(
        {
            "orientation": (("time", "X", "quaternion"), quaternion),
            "section_twist": (("time", "X", "twist"), np.stack([zero] * 5 + [spin], axis=-1)),
            "internal_moment": (("time", "X", "axis"), np.stack([zero, zero, 0.1 * curvature_rate], axis=-1)),
        },
        coords={"time": time, "X": X},
    )


@pytest.mark.slow
def test_report(record, tmp_path):
    layout = vertebra.Layout.spanning(1.0, 10)
    heading = gaits.TravellingWave(jnp.array([AMPLITUDE * WAVES]), 1.0, 1.0, np.pi / 2)
    summary = vertebra_figures.report(record, tmp_path, layout=layout, gait=gaits.planar_bending(heading), dpi=40)
    names = "motors feasibility mechanism workspace joint_space conditioning direct_solutions inverse_solutions"
    for name in names.split():
        assert (tmp_path / f"vertebra_{name}.png").stat().st_size > 5000
    assert json.loads((tmp_path / "vertebra.json").read_text(encoding="utf-8")) == summary
    # yaw of a vertebra is a difference of headings: 2 A sin(k l / 2) at most; both cranks turn by it
    yaw = np.degrees(2.0 * AMPLITUDE * np.sin(0.05 * WAVES))
    assert abs(summary["peak_crank_angle_deg"] - yaw) < 0.05
    limit = np.degrees(np.arcsin(0.2067 * np.sqrt(2.0)))
    assert abs(summary["largest_feasible_gain"] - limit / yaw) < 2e-3
    assert summary["feasible"] is bool(yaw < limit)
    kept = anguilla.load(tmp_path / "vertebra.nc")
    assert kept["torque"].attrs["units"] == "N m"
    assert kept["margin"].shape == (21, 10, len(vertebra.MARGINS))
    np.testing.assert_allclose(kept["X"], layout.centre)
    total = np.asarray(kept["power"].sum(("vertebra", "motor")))
    # ∫ 0.1 K̇² dX = 0.05 (A k²)² over a whole wave, less the second-order error of ten vertebrae
    exact = 0.05 * (AMPLITUDE * WAVES**2) ** 2
    np.testing.assert_allclose(total / exact, np.sinc(0.1), rtol=2e-4)


def test_report_refuses_what_is_no_swim(record, tmp_path):
    with pytest.raises(ValueError, match="no 'internal_moment'"):
        vertebra_figures.report(record.drop_vars("internal_moment"), tmp_path)
    stretched = np.zeros((21, 41, 6))
    stretched[..., 0] = 1.1
    with pytest.raises(ValueError, match="stretches or shears the body"):
        vertebra_figures.report(record.assign(strain=(("time", "X", "strain"), stretched)), tmp_path)


def test_mechanism_is_drawn_to_scale():
    """The three axes of space have the same scale."""
    wrist = vertebra.prototype()
    figure = vertebra_figures.mechanism_figure(wrist, {"home": np.array([np.pi / 4, 0.0, 0.0])})
    axis = figure.axes[0]
    spans = [np.ptp(limits) for limits in (axis.get_xlim(), axis.get_ylim(), axis.get_zlim())]
    np.testing.assert_allclose(spans, spans[0])
