"""Control steps per second of the cruising eel at 50 Hz: one environment, and batches of 64 and 1024."""

import time
from collections.abc import Iterator

import equinox as eqx
import jax
import numpy as np

from anguilla import learn
from tests.benchmarks.table import Row

STEPS = {1: 200, 64: 20, 1024: 4}


def learning_rows() -> Iterator[Row]:
    """One row for each batch; wall clock on the cores that the process has."""
    environment = learn.make("cruise")
    action = np.array([0.9, 0.8, 0.4, -0.3])
    returns = eqx.filter_jit(lambda e, actions, keys: jax.vmap(lambda key: learn.unroll(e, actions, key).total)(keys))
    for batch, steps in STEPS.items():
        given = environment, np.tile(action, (steps, 1)), jax.random.split(jax.random.key(0), batch)
        returns(*given).block_until_ready()
        taken = []
        for _ in range(3):
            begin = time.perf_counter()
            returns(*given).block_until_ready()
            taken.append(time.perf_counter() - begin)
        rate = batch * steps / min(taken)
        how = f"{environment.substeps} steps of RK4 each; {rate * environment.period:.3g} s of swimming a second"
        yield Row(f"control steps a second at 50 Hz, batch of {batch}", rate, "≥", None, how)
