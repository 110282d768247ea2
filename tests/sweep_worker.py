"""A process that sweeps 4096 short swims, for the tests: alone, one of several, or killed on the way.

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

import diffrax  # noqa: E402
import equinox as eqx  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import anguilla  # noqa: E402
import cosserat  # noqa: E402
import gaits  # noqa: E402
import hydro  # noqa: E402
from anguilla.sweeps.store import Store  # noqa: E402

BODY = cosserat.Beam(cosserat.rod(1.0, 0.03, 0.05).profile, load_panels=(2,))
WAVE, FLUID, PATH = gaits.planar(), hydro.Morison(), cosserat.Panels(order=8)


def first_second(amplitude, wavelength, period):
    """Where a 1 m rod is, and how it moves, one second after it began to swim from rest."""
    numbers = lambda gait: tuple(getattr(gait.bending3.laws[1], name) for name in grid)  # noqa: E731
    gait = eqx.tree_at(numbers, WAVE, (amplitude * numbers(WAVE)[0], wavelength, period))
    constant = {"controller": diffrax.ConstantStepSize(), "dt0": 0.125, "adjoint": diffrax.ForwardMode()}
    swim = cosserat.rollout(BODY, gait, FLUID, 1.0, samples=2, path=PATH, throw=False, **constant)
    return {"nose": swim.position[-1], "spin": swim.twist[-1, 5]}


def long_row(seed):
    """Sixteen kilobytes that do not compress, at a point."""
    return jnp.sin(1e6 * seed * jnp.arange(2048.0))


def die_in_block(count):
    """Half way through the count-th block, between its first variable and its mark, the process is killed."""
    write, calls = Store.write, []

    def deadly(self, index, values):
        calls.append(index)
        if len(calls) == count:
            self._root["nose"][self._grid.region(index)] = 0.0
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
    anguilla.sweep(first_second, grid, store=settings["store"], chunk=128, title="swims", progress=False)
