"""Programs kept between sessions: the same numbers without tracing, and never a program that is not the right one."""

import os
import subprocess
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gaits
import spatial.vectors
from stepping import kept_program

TRACED = []
LAW = gaits.TravellingWave(2.0, 1.0, 1.0)
X = jnp.asarray(0.7)


class Mine(eqx.Module):
    factor: jax.Array


@pytest.fixture
def kept(tmp_path):
    """A function that notes when it is traced, made anew as in another session, and the folder of its programs."""
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    TRACED.clear()

    def session():
        def scaled(x, law, power):
            TRACED.append(power)
            return {"value": law.factor * x**power if isinstance(law, Mine) else law(x, 0.3) ** power, "name": "scaled"}

        scaled.__module__ = "cosserat"  # as one of ours
        return kept_program(scaled)

    yield session, tmp_path
    jax.config.update("jax_compilation_cache_dir", before)


def files(folder):
    return sorted(folder.glob("*-program"))


def test_a_second_session_traces_nothing(kept):
    session, folder = kept
    first = session()(X, LAW, 2)
    again = session()(X, LAW, 2)
    assert TRACED == [2] and len(files(folder)) == 1
    assert again["name"] == "scaled" and again["value"] == first["value"]
    assert abs(first["value"] - LAW(X, 0.3) ** 2) < 1e-15


def test_numbers_do_not_name_a_program_but_all_else_does(kept):
    session, folder = kept
    f = session()
    assert (
        f(2.0 * X, gaits.TravellingWave(3.0, 1.0, 2.0), 2)["value"]
        == f(2.0 * X, gaits.TravellingWave(3, 1, 2), 2)["value"]
    )
    assert len(files(folder)) == 1
    f(X, LAW, 3)  # another static number
    f(X, gaits.TravellingWave((2.0, 1.0), 1.0, 1.0), 2)  # another shape
    f(X, LAW + 1.0, 2)  # another law
    assert len(files(folder)) == 4


@pytest.mark.parametrize("law", [Mine(jnp.asarray(2.0)), lambda X, t: 2.0 * X, 0.0 * LAW + (lambda X, t: 2.0 * X)])
def test_what_users_write_has_no_name(kept, law):
    """Its code may change between sessions without a trace in its name."""
    session, folder = kept
    if isinstance(law, Mine):
        assert session()(X, law, 2)["value"] == 2.0 * X**2
    else:
        assert session()(X, law, 2)["value"] == pytest.approx(float(4.0 * X**2), rel=1e-14)
    assert not files(folder)


def test_inside_other_programs_it_is_traced(kept):
    session, folder = kept
    f = session()
    slope = jax.jit(jax.grad(lambda x: f(x, LAW, 2)["value"]))(X)
    assert abs(slope - jax.grad(lambda x: LAW(x, 0.3) ** 2)(X)) < 1e-12
    assert not files(folder)


def test_a_broken_file_is_written_again(kept):
    session, folder = kept
    expected = session()(X, LAW, 2)["value"]
    (file,) = files(folder)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert session()(X, LAW, 2)["value"] == expected
    assert len(TRACED) == 2 and len(files(folder)[0].read_bytes()) > len(whole) // 2


def test_a_replaced_function_or_constant_is_seen(kept, monkeypatch):
    session, folder = kept
    session()(X, LAW, 2)
    monkeypatch.setattr(spatial.vectors, "signed_square", lambda x: x * abs(x))
    session()(X, LAW, 2)
    monkeypatch.setattr(spatial.rotations, "_SERIES_TERMS", 11)
    session()(X, LAW, 2)
    assert len(files(folder)) == 3


def test_a_program_that_calls_back_is_not_kept(tmp_path):
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))

    @kept_program
    def shouting(x):
        jax.debug.callback(TRACED.append, x)
        return 2.0 * x

    assert shouting(X) == 2.0 * X
    jax.config.update("jax_compilation_cache_dir", before)
    assert not files(tmp_path)


DEVICES = """
import anguilla, jax, jax.numpy as jnp, gaits
from spatial import kept_program
def scaled(x, law):
    return law(x, 0.3)
scaled.__module__ = "cosserat"
law = gaits.TravellingWave(2.0, 1.0, 1.0)
first, second = jax.devices()[:2]
f = kept_program(scaled)
print(float(f(jnp.asarray(0.7), law)), float(f(jax.device_put(jnp.asarray(0.7), second), jax.device_put(law, second))))
"""


def test_several_devices(tmp_path):
    """Kept for the first device; elsewhere compiled as ever."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "XLA_"))}
    env |= {"ANGUILLA_CACHE": str(tmp_path), "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", DEVICES], env=env, capture_output=True, text=True, check=True)
        assert np.abs(np.array(done.stdout.split(), float) - float(LAW(X, 0.3))).max() < 1e-15
        assert len(files(tmp_path)) == 1


def test_without_a_cache_it_is_a_compiled_function(tmp_path):
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", None)
    assert kept_program(lambda x: 2.0 * x)(X) == 2.0 * X
    jax.config.update("jax_compilation_cache_dir", before)


SWIM = """
import jax
traced = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **about: traced.append(about.get("fun_name")) if "trace" in event else None)
import anguilla, cosserat, gaits, hydro
run = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=0.2, samples=3, progress=False)
print(run.head_twist.values.tobytes().hex(), run.internal_moment.values.tobytes().hex(), "_record" in str(traced))
"""


def test_a_swim_in_another_process(tmp_path):
    """The same bits, from programs of another process, and no tracing."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("JAX_")} | {"ANGUILLA_CACHE": str(tmp_path)}
    run = lambda: subprocess.run([sys.executable, "-c", SWIM], env=env, capture_output=True, text=True, check=True)  # noqa: E731
    first, second = (run().stdout.split() for _ in range(2))
    assert first[:2] == second[:2]
    assert (first[2], second[2]) == ("True", "False")
    assert np.isfinite(np.frombuffer(bytes.fromhex(first[0]))).all()
