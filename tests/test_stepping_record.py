"""What all records share."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cosserat
import multibody
from multibody.floating_batch import FloatRun
from stepping import AbstractMotion, SimulationError, raise_if_not_finite, unit_quaternions
from stepping.progress import say_compiling, waiting


def test_every_record_is_one():
    for kind in (cosserat.Trajectory, multibody.Trajectory, FloatRun):
        assert issubclass(kind, AbstractMotion)
    with pytest.raises(TypeError):
        AbstractMotion()  # pyright: ignore


@pytest.mark.parametrize("runs", [(), (3,)], ids=["one run", "three runs"])
def test_velocity_in_the_world(runs):
    """Against scipy's rotations, which put the real part last."""
    draw = np.random.default_rng(4)
    position, quaternion, twist = (draw.normal(size=(5, *runs, n)) for n in (3, 4, 6))
    record = FloatRun(
        jnp.arange(5.0), jnp.asarray(position), unit_quaternions(jnp.asarray(quaternion)), jnp.asarray(twist)
    )
    turned = Rotation.from_quat(quaternion[..., [1, 2, 3, 0]].reshape(-1, 4)).apply(twist[..., :3].reshape(-1, 3))
    np.testing.assert_allclose(record.velocity, turned.reshape(*twist.shape[:-1], 3), atol=1e-14)
    assert record.state(2).twist.shape == (*runs, 6)
    assert bool(record.is_finite)
    lost = FloatRun(record.time, record.position, record.quaternion, record.twist.at[3].set(np.nan))
    assert not bool(lost.is_finite)


def test_a_record_that_is_not_finite_is_refused():
    time = jnp.linspace(0.0, 1.0, 11)
    power = jnp.where(jnp.arange(11) == 7, jnp.nan, 1.0)
    raise_if_not_finite({"power": jnp.ones((11, 2)), "width": jnp.full(3, jnp.nan)}, time)  # the width has no time axis
    with pytest.raises(SimulationError, match="power is not finite at t = 0.7 s"):
        raise_if_not_finite({"power": power}, time)


def test_progress_in_a_file_has_a_line_for_each_message(capsys, monkeypatch):
    say_compiling(True)
    with waiting("recording ...", True):
        pass
    assert capsys.readouterr().err == "compiling ...\nrecording ...\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with waiting("recording ...", True):
        pass
    assert capsys.readouterr().err == f"recording ...\r{' ' * 13}\r"
