"""What a notebook user waits for: from the import to the end of the first swim, without and with cached programs."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import jax

import anguilla  # noqa: F401  double precision, and its compiler flags
import cosserat
import gaits
import hydro
from cosserat.grid_error import error_and_limits
from cosserat.time_integration import _closed, _integrate, _motion
from cosserat.two_grids import sampled_twice, two_grids
from stepping import Marcher, Span
from tests.benchmarks.table import Row, at_most
from tests.benchmarks.timing import Work, interleaved

PROGRAM = """
import anguilla, cosserat, gaits, hydro
swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=10.0, progress=False)
assert swim.sizes["time"] > 100
"""


def first_swim_rows() -> Iterator[Row]:
    """A fresh process each time; the second finds the programs that the first has kept."""
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_wall(cache) for _ in range(2))
    yield at_most("first swim, import included, no cached programs [s]", cold, 8, "wall time, all cores")
    yield at_most("first swim, import included, cached programs [s]", warm, 2, "wall time, all cores")
    for name, words, most in (
        ("import anguilla, with jax [s]", ["-c", "import anguilla, jax"], 0.8),
        ("anguilla --help [s]", ["-m", "anguilla", "--help"], 0.5),
    ):
        yield at_most(name, min(_processor(words) for _ in range(3)), most, "processor time, least of three")
    yield demo_row()


def estimate_rows() -> Iterator[Row]:
    """The estimate of the grid's error against the swim that it is about: a call of `rollout` without its estimate."""
    beam, gait, water, path = cosserat.eel(), gaits.planar(), hydro.Morison(), cosserat.Panels()
    body = path.sample(beam, water)
    motion = _motion(cosserat.rollout(beam, gait, water, 10.0))
    state, span = cosserat.HeadState(), Span(0.0, 10.0, 201, None)
    marcher = Marcher(None, None, 1e-6, 1e-8, None, 100_000, None, None)
    loop, memory = _closed(beam, gait, water, span.t0, state, path, None)
    program = lambda: _integrate(body, beam, loop, water, span, (state, memory), path, marcher, False, False)  # noqa: E731
    estimate = lambda: error_and_limits(beam, two_grids(path, beam, water), gait, water, path, motion)  # noqa: E731
    variants = {
        "estimate": estimate,
        "rollout": lambda: cosserat.rollout(beam, gait, water, 10.0).twist,
        "integration": program,
        "two grids": lambda: sampled_twice(path, beam, water),
    }
    waiting = lambda call: Work(lambda: jax.block_until_ready(call()))  # noqa: E731
    here, whole, alone, once = interleaved({name: waiting(call) for name, call in variants.items()}).values()
    words = (
        f"{here.words} / {1e3 * (whole.least - here.least):.3g} ms, a rollout without it, of which its integration "
        f"takes {alone.words}; the two grids, once for a body, take {once.words}"
    )
    share = here.least / (whole.least - here.least)
    yield at_most("error of the grid, estimated / 10 s swim", share, 0.05, words)


def demo_row() -> Row:
    """`make demo` after installation: figures, film and NetCDF file, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "anguilla", "swim", "--gait", "planar", "--t1", "10", "--out", f"{folder}/out"]
        env = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=env | {"ANGUILLA_CACHE": f"{folder}/cache"})
        wall = time.perf_counter() - begin
        pictures = [place.stat().st_mtime for place in Path(f"{folder}/out").glob("*.png")]
        first = min(pictures) - time.time() + time.perf_counter() - begin
    return at_most(
        "make demo, installed, nothing cached [s]", wall, 15, f"wall time, all cores; first picture {first:.1f} s"
    )


def _processor(words: list[str]) -> float:
    """Processor time of a process of its own [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _wall(cache: str) -> float:
    env = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, env=env | {"ANGUILLA_CACHE": cache})
    return time.perf_counter() - begin
