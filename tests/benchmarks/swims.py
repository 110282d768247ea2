"""Sweeps of swims by one process and by two.

`python -m tests.benchmarks.swims WHAT PROCESS PROCESSES PORT FOLDER` is one of them; it prints the swims it has
done per second.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from tests.benchmarks.table import Row, at_least

# name: amplitudes and wavelengths, seconds swum, members of a chunk, whether with the gradient by six parameters
SWEEPS = {"short": (32, 2.0, 64, False), "long": (24, 10.0, 64, False), "gradients": (16, 10.0, 32, True)}


def sweep_rows() -> Iterator[Row]:
    """Throughput of two processes against one, compilation excluded; each process on one core."""
    alone, together = (sum(_run("short", processes)) for processes in (1, 2))
    yield at_least(
        f"sweep of {SWEEPS['short'][0] ** 2} swims: throughput of two processes / one",
        together / alone,
        1.7,
        f"{together:.3g} / {alone:.3g} swims of 2 s per second, wall time",
    )
    for what, words, target in (("long", "", 8000), ("gradients", ", each with its gradient by 6 parameters", 2500)):
        rate = 60.0 * sum(_run(what, 2))
        side, seconds, chunk, _ = SWEEPS[what]
        how = f"{side * side} swims in chunks of {chunk}, two processes, wall time"
        yield at_least(f"sweep of swims of {seconds:g} s on two cores: swims per minute{words}", rate, target, how)


def _run(what, processes):
    with tempfile.TemporaryDirectory() as folder:
        port = str(20000 + time.time_ns() % 20000)
        command = [sys.executable, "-m", "tests.benchmarks.swims"]
        workers = [
            subprocess.Popen([*command, what, str(k), str(processes), port, folder], stdout=subprocess.PIPE, text=True)
            for k in range(processes)
        ]
        said = [worker.communicate()[0] for worker in workers]
        if any(worker.returncode for worker in workers):
            raise RuntimeError(f"a process of the sweep failed: {said}")
        return [float(words.split()[-1]) for words in said]


def work(what: str, process: int, processes: int, port: str, folder: str) -> None:
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

    side, seconds, chunk, with_gradient = SWEEPS[what]

    def swum(parameters):
        gait = gaits.planar(parameters[:3], parameters[3], parameters[4], parameters[5])
        run = cosserat.rollout(cosserat.eel(), gait, hydro.Morison(), seconds, samples=2, throw=False)
        return jnp.linalg.norm(run.position[-1])

    def distance(amplitude, wavelength):
        parameters = jnp.stack([amplitude, -0.75 * amplitude, amplitude, wavelength, 1.0, 0.0])
        if not with_gradient:
            return swum(parameters)
        value, slope = jax.value_and_grad(swum)(parameters)
        return value + 0.0 * jnp.sum(slope)  # one number to store; the compiler keeps what may be NaN

    write, written = Store.write, []

    def timed(self, index, values):
        write(self, index, values)
        written.append(time.perf_counter())

    Store.write = timed
    grid = {"amplitude": np.linspace(0.5, 1.0, side), "wavelength": np.linspace(0.8, 1.4, side)}
    anguilla.sweep(distance, grid, store=f"{folder}/swims.zarr", chunk=chunk, progress=False)
    print(chunk * (len(written) - 1) / (written[-1] - written[0]))  # from the end of the first block, which compiles


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5])
