"""Sweeps: the right values under the right labels, kills, several processes, memory, refusals."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import anguilla
from anguilla.cli import main
from anguilla.commands import sweep as sweep_command
from anguilla.sweeps.grid import build_grid

WORKER = Path(__file__).with_name("sweep_worker.py")


def start(store, **settings):
    environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": str(Path(".pytest_cache/jax").resolve())}
    words = {"job": "gaits", "store": str(store)} | settings
    return subprocess.Popen(
        [sys.executable, str(WORKER), json.dumps(words)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return output


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    store = tmp_path_factory.mktemp("sweep") / "alone"
    finish(start(store))
    return store


def test_values_and_labels(tmp_path):
    """Three axes of sizes that no block divides; the values come from numpy."""
    grid = {"a": np.linspace(0, 1, 7), "b": np.linspace(1, 2, 5), "c": [1.0, 2.0, 3.0]}
    fn = lambda a, b, c: {"sine": jnp.sin(a * b) + c, "row": jnp.stack([a, b + c]), "count": jnp.asarray(3)}  # noqa: E731
    labels = {"a": ("m", "length"), "sine": ("N", "a force")}
    options = {"labels": labels, "dims": {"row": ["pair"]}, "progress": False}
    result = anguilla.sweep(fn, grid, store=tmp_path / "s", chunk=8, **options)
    a, b, c = np.meshgrid(*map(np.asarray, grid.values()), indexing="ij")
    assert result["sine"].dims == ("a", "b", "c") and result["row"].dims == ("a", "b", "c", "pair")
    assert np.abs(result["sine"].values - (np.sin(a * b) + c)).max() < 1e-15
    assert (result["row"].values == np.stack([a, b + c], -1)).all() and (result["count"] == 3).all()
    assert result["a"].attrs == {"units": "m", "long_name": "length"} and result["sine"].attrs["units"] == "N"
    in_memory = anguilla.sweep(fn, grid, chunk=1000, **options)
    assert "jnp.sin(a * b)" in result.attrs["provenance"] and "jaxlib" in result.attrs["provenance"]
    xr.testing.assert_allclose(in_memory, anguilla.open_sweep(tmp_path / "s"), rtol=1e-15)


def test_parameters_that_move_together():
    together = {"amplitude": np.arange(12.0).reshape(4, 3), "period": np.arange(1.0, 5.0)}
    result = anguilla.sweep(
        lambda amplitude, period, k: jnp.sum(amplitude) * period + k, {"gait": together, "k": [0, 10]}, progress=False
    )
    expected = (together["amplitude"].sum(1) * together["period"])[:, None] + np.array([0, 10])
    assert (result["value"].values == expected).all()
    assert (result["period"].values == together["period"]).all() and result["amplitude"].dims[0] == "gait"


@pytest.mark.parametrize("shape, chunk", [((5,), 2), ((7, 3, 11), 40), ((4, 4), 1), ((2, 3), 100), ((1, 9, 1), 4)])
def test_blocks_cover_the_grid_once(shape, chunk):
    axes = {f"p{k}": np.arange(n) for k, n in enumerate(shape)}
    grid = build_grid(axes, chunk)
    seen = np.zeros(shape, int)
    assert grid.block_points <= chunk
    for index in np.ndindex(grid.blocks):
        seen[grid.region(index)] += 1
    assert (seen == 1).all()


@pytest.mark.slow
def test_a_killed_sweep_goes_on(undisturbed, tmp_path):
    """4096 swims of a beam; SIGKILL in the middle of block 17 of 32, with half of that block on disk."""
    store = tmp_path / "killed"
    process = start(store, die_at=17)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(ValueError, match="16 of 32 blocks are complete"):
        anguilla.open_sweep(store)
    half = anguilla.open_sweep(store, partial=True).load()
    assert np.isfinite(half["spin"]).sum() == 4096 // 2
    finish(start(store))
    again, alone = anguilla.open_sweep(store).load(), anguilla.open_sweep(undisturbed).load()
    assert again.sizes["amplitude"] * again.sizes["wavelength"] * again.sizes["period"] == 4096
    for name in alone.variables:
        assert again[name].values.tobytes() == alone[name].values.tobytes()
    assert np.isfinite(alone["nose"]).all() and float(alone["spin"].std()) > 0.1


@pytest.mark.slow
def test_two_processes(undisturbed, tmp_path):
    """Two hosts of two devices each against one host of one device."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    both = [start(tmp_path / "two", process=k, processes=2, devices=2, port=port) for k in range(2)]
    for process in both:
        finish(process)
    two, one = anguilla.open_sweep(tmp_path / "two").load(), anguilla.open_sweep(undisturbed).load()
    for name in ("nose", "spin"):
        difference = float(np.abs(two[name] - one[name]).max())
        print(f"two processes against one: {name} differs by {difference:.1e}")
        assert difference < 1e-12 * float(np.abs(one[name]).max())


def test_memory_grows_with_the_chunk(tmp_path):
    """Sixteen kilobytes a point: the grid grows by 112 MB of results, then the chunk by 15 MB. One process: its peak
    can only rise."""
    sizes = [(1024, 64), (8192, 64), (8192, 1024)]
    peaks = [float(line) for line in finish(start(tmp_path / "m", job="memory", sizes=sizes)).split()]
    for (points, chunk), megabytes in zip(sizes, peaks, strict=True):
        print(f"{points} points in chunks of {chunk}: peak memory {megabytes:.0f} MB")
    assert peaks[1] - peaks[0] < 16
    assert peaks[2] - peaks[1] > 15


SQUARE = lambda a: a**2  # noqa: E731


@pytest.mark.parametrize(
    "fn, grid, options, message",
    [
        (SQUARE, {}, {}, "at least one axis"),
        (SQUARE, {"a": []}, {}, r"grid\['a'\] has shape \(0,\)"),
        (SQUARE, {"a": ["x"]}, {}, "must be numbers"),
        (SQUARE, {"a": [1.0, np.nan]}, {}, "must be finite, 1 of its values"),
        (SQUARE, {"a": [[1.0]]}, {}, "must be a list of numbers"),
        (SQUARE, {"a b": [1.0]}, {}, "'a b' must be an identifier"),
        (SQUARE, {"a": [1.0], "g": {"a": [1.0]}}, {}, "'a' is on more than one axis"),
        (SQUARE, {"g": {"a": [1.0], "b": [1.0, 2.0]}}, {}, "must be equally long"),
        (SQUARE, {"a": [1.0]}, {"chunk": 0}, "chunk = 0: must be a whole number"),
        (SQUARE, {"a": [1.0]}, {"devices": []}, "at least one device"),
        (SQUARE, {"a": [1.0]}, {"dims": {"b": ["x"]}}, "returns no 'b'"),
        (lambda a: {"a": a}, {"a": [1.0]}, {}, "'a', which is also an axis"),
        (lambda a: {}, {"a": [1.0]}, {}, "empty mapping"),
        (lambda a: {"b": "text"}, {"a": [1.0]}, {}, "'b' = 'text': must be an array"),
        (lambda a: {"b": jnp.ones(2)}, {"a": [1.0]}, {"dims": {"b": []}}, "must name 1 dimensions"),
    ],
)
def test_refusals(fn, grid, options, message):
    with pytest.raises(ValueError, match=message):
        anguilla.sweep(fn, grid, progress=False, **options)


def test_a_store_of_another_sweep_is_left_alone(tmp_path):
    store, grid = tmp_path / "s", {"a": np.arange(6.0)}
    anguilla.sweep(SQUARE, grid, store=store, chunk=2, progress=False)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    others = [
        (SQUARE, {"a": np.arange(7.0)}, 2, "axis 'a' had 6 values, now 7"),
        (SQUARE, {"a": np.arange(6.0) + 1e-15}, 2, "axis 'a' had other values"),
        (lambda b: b, {"b": np.arange(6.0)}, 2, "its axes are a, now b"),
        (SQUARE, grid, 3, r"its blocks had \[2\] points, now \[3\]"),
        (lambda a: {"cube": a**3}, grid, 2, "its results were"),
        (lambda a: a**3, grid, 2, "the function, or a number it uses, was another"),
    ]
    for fn, axes, chunk, message in others:
        with pytest.raises(ValueError, match=message):
            anguilla.sweep(fn, axes, store=store, chunk=chunk, progress=False)
    assert {path: path.read_bytes() for path in store.rglob("*") if path.is_file()} == before


def test_a_directory_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(ValueError, match="holds something that is not a sweep"):
        anguilla.sweep(SQUARE, {"a": [1.0]}, store=tmp_path, progress=False)
    with pytest.raises(ValueError, match="is a file"):
        anguilla.sweep(SQUARE, {"a": [1.0]}, store=tmp_path / "thesis.txt", progress=False)
    xr.Dataset({"x": ("y", np.ones(3))}).to_zarr(tmp_path / "other", consolidated=False)
    with pytest.raises(ValueError, match="holds something that is not a sweep"):
        anguilla.sweep(SQUARE, {"a": [1.0]}, store=tmp_path / "other", progress=False)
    with pytest.raises(ValueError, match="not a sweep"):
        anguilla.open_sweep(tmp_path / "other")
    with pytest.raises(FileNotFoundError, match="no such directory"):
        anguilla.open_sweep(tmp_path / "nowhere")
    assert (tmp_path / "thesis.txt").read_text() == "precious"


@pytest.mark.parametrize(
    "words, message",
    [
        (["--wavelength", "2:1:3"], "'2:1:3': must be LOW:HIGH:COUNT"),
        (["--period", "0.5:1"], "'0.5:1': must be LOW:HIGH:COUNT"),
        (["--amplitude", "-1"], "'-1': must be LOW:HIGH:COUNT"),
        (["--chunk", "0"], "must be at least 1"),
        (["--processes", "2"], "give all three, or none"),
        (["--coordinator", "a:1", "--processes", "2", "--process", "2"], "2: must be below --processes 2"),
    ],
)
def test_the_command_refuses(words, message, tmp_path, capsys):
    """Bad arguments end with 2 and a sentence, before anything is compiled or written."""
    with pytest.raises(SystemExit) as exit:
        main(["sweep", *words, "--out", str(tmp_path / "out")])
    assert exit.value.code == 2 and message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_sweeps(tmp_path, capsys, monkeypatch):
    """The verb, with a law of scales in place of the swim: values, summary, map, and going on without computing."""
    swim = lambda amplitude, wavelength, period: {  # noqa: E731
        "speed": wavelength * amplitude / period,
        "power": amplitude,
        "cost_of_transport": amplitude**2 + (wavelength - 1.2) ** 2,
        "peak_torque": amplitude / period**2,
        "multiplier": period,
    }
    monkeypatch.setattr(sweep_command, "steady_numbers", lambda beam, fluid: swim)
    words = ["sweep", "--wavelength", "0.8:1.6:5", "--amplitude", "0.5:1:4", "--out", str(tmp_path), "--quiet"]
    assert main(words) == 0 and main(words) == 0
    assert main([f"@{tmp_path / 'sweep.recipe'}", "--out", str(tmp_path / "again"), "--quiet"]) == 0
    again = anguilla.open_sweep(tmp_path / "again" / "sweep.zarr")
    result = anguilla.open_sweep(tmp_path / "sweep.zarr")
    assert again.assign_attrs(date="").identical(result.assign_attrs(date=""))
    assert result["speed"].shape == (4, 5, 1) and result["speed"].attrs["units"] == "m/s"
    assert float(result["speed"].max()) == 1.6 and (tmp_path / "sweep.png").stat().st_size > 10_000
    assert "least cost of transport 0.25 at amplitude 0.5, wavelength 1.2" in "\n".join(sweep_command.summary(result))
    assert main([*words[:3], "--out", str(tmp_path), "--quiet"]) == 1
    assert "was written by another sweep" in capsys.readouterr().err
