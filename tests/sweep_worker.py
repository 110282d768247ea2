"""A process that sweeps 4096 gaits, for the tests: alone, one of several, or killed on the way.

python sweep_worker.py {"store": ..., "process": 0, "processes": 1, "port": 0, "die_at": null, "job": "gaits"}
"""

import json
import os
import re
import signal
import sys
from pathlib import Path

import jax

settings = json.loads(sys.argv[1])
jax.config.update("jax_num_cpu_devices", settings.get("devices", 1))
if settings.get("processes", 1) > 1:
    jax.distributed.initialize(f"localhost:{settings['port']}", settings["processes"], settings["process"])

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import anguilla  # noqa: E402
import gaits  # noqa: E402
from anguilla.sweeps.store import Store  # noqa: E402


def tail_motion(amplitude, wavelength, period):
    """Where the tail of a 2 m body is bent to, seen from its head, over a period; and how fast it goes at most."""
    gait = gaits.planar(amplitude * jnp.array([1.0, -0.75, 1.0]), wavelength, period)
    X = jnp.linspace(0.0, 2.0, 101)

    def tail(t):
        angle = jnp.cumsum(jax.vmap(lambda x: gait(x, t)[5])(X)) * 0.02
        return 0.02 * jnp.sum(jnp.stack([jnp.cos(angle), jnp.sin(angle)]), axis=1)

    rate = jax.vmap(jax.jacfwd(tail))(2.0 + period * jnp.linspace(0.0, 1.0, 33))
    return {"fastest": jnp.max(jnp.linalg.norm(rate, axis=1)), "rate": rate[0]}


def long_row(seed):
    """Sixteen kilobytes that do not compress, at a point."""
    return jnp.sin(1e6 * seed * jnp.arange(2048.0))


def die_in_block(count):
    """Half way through the count-th block, between its first variable and its mark, the process is killed."""
    write, calls = Store.write, []

    def deadly(self, index, values):
        calls.append(index)
        if len(calls) == count:
            self._root["fastest"][self._grid.region(index)] = 0.0
            os.kill(os.getpid(), signal.SIGKILL)
        write(self, index, values)

    Store.write = deadly


def peak_memory() -> float:
    """Of this process alone [MB]; `ru_maxrss` would begin with the memory of the process that started it."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


if settings.get("die_at"):
    die_in_block(settings["die_at"])
if settings["job"] == "memory":
    for points, chunk in settings["sizes"]:
        place = f"{settings['store']}_{points}_{chunk}"
        anguilla.sweep(long_row, {"seed": np.linspace(1.0, 2.0, points)}, store=place, chunk=chunk, progress=False)
        print(peak_memory())
else:
    assert jax.process_count() == settings.get("processes", 1)
    sixteen = lambda low, high: np.linspace(low, high, 16)  # noqa: E731
    grid = {"amplitude": sixteen(0.3, 1.2), "wavelength": sixteen(0.8, 2.0), "period": sixteen(0.5, 2.0)}
    anguilla.sweep(tail_motion, grid, store=settings["store"], chunk=128, title="tails", progress=False)
