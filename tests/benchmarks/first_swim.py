"""What a notebook user waits for: from the import to the end of the first swim, without and with cached programs."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from tests.benchmarks.table import Row, at_most

PROGRAM = """
import anguilla, cosserat, gaits, hydro
swim = cosserat.simulate(cosserat.eel(), gaits.planar(), hydro.Morison(), t1=10.0, progress=False)
assert swim.sizes["time"] > 100
"""


def first_swim_rows() -> Iterator[Row]:
    """A fresh process each time; the second finds the programs that the first has kept."""
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_wall(cache) for _ in range(2))
    yield at_most("first swim, import included, no cached programs [s]", cold, 15, "wall time, all cores")
    yield at_most("first swim, import included, cached programs [s]", warm, 5, "wall time, all cores")


def _wall(cache: str) -> float:
    env = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, env=env | {"ANGUILLA_CACHE": cache})
    return time.perf_counter() - begin
