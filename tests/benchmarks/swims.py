"""A sweep of 1024 swims by one process and by two.

`python -m tests.benchmarks.swims PROCESS PROCESSES PORT FOLDER` is one of them; it prints the swims it has
done per second.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from tests.benchmarks.table import Row, at_least

SIDE, SECONDS, CHUNK = 32, 2.0, 64


def sweep_rows() -> Iterator[Row]:
    """Throughput of two processes against one, compilation excluded; each process on one core."""
    alone, together = (sum(_run(processes)) for processes in (1, 2))
    yield at_least(
        f"sweep of {SIDE * SIDE} swims: throughput of two processes / one",
        together / alone,
        1.7,
        f"{together:.3g} / {alone:.3g} swims of {SECONDS:g} s per second, wall time",
    )


def _run(processes):
    with tempfile.TemporaryDirectory() as folder:
        port = str(20000 + time.time_ns() % 20000)
        command = [sys.executable, "-m", "tests.benchmarks.swims"]
        workers = [
            subprocess.Popen([*command, str(k), str(processes), port, folder], stdout=subprocess.PIPE, text=True)
            for k in range(processes)
        ]
        said = [worker.communicate()[0] for worker in workers]
        if any(worker.returncode for worker in workers):
            raise RuntimeError(f"a process of the sweep failed: {said}")
        return [float(words.split()[-1]) for words in said]


def work(process: int, processes: int, port: str, folder: str) -> None:
    """One process of the sweep, on one core."""
    import os

    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[process % len(cores)]})
    import jax

    if processes > 1:
        jax.distributed.initialize(f"localhost:{port}", processes, process)
    import jax.numpy as jnp
    import numpy as np

    import anguilla
    import cosserat
    import gaits
    import hydro
    from anguilla.sweeps.store import Store

    def distance(amplitude, wavelength):
        gait = gaits.planar(amplitude * jnp.array([1.0, -0.75, 1.0]), wavelength)
        run = cosserat.rollout(cosserat.eel(), gait, hydro.Morison(), SECONDS, samples=2, throw=False)
        return jnp.linalg.norm(run.position[-1])

    write, written = Store.write, []

    def timed(self, index, values):
        write(self, index, values)
        written.append(time.perf_counter())

    Store.write = timed
    grid = {"amplitude": np.linspace(0.5, 1.0, SIDE), "wavelength": np.linspace(0.8, 1.4, SIDE)}
    anguilla.sweep(distance, grid, store=f"{folder}/swims.zarr", chunk=CHUNK, progress=False)
    print(CHUNK * (len(written) - 1) / (written[-1] - written[0]))  # from the end of the first block, which compiles


if __name__ == "__main__":
    work(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])
