"""Wall time of NATRIX per simulated second, with and without buoyancy, one run and a batch of 256.

    python tests/benchmarks/natrix.py

Published (XHLB23, III; Python on an i5-8365U laptop, 1.60 GHz: another machine than this one): 1.23 s with buoyancy and
0.12 s without, by RK4 with 1 ms. Programs are compiled before the clock starts.
"""

import os
import time

import jax
import jax.numpy as jnp

import anguilla  # noqa: F401  (double precision)
import hydro
import multibody
from multibody.robots import natrix, natrix_undulation
from multibody.robots.natrix_roll import initial_rolls, rest_states

BATCH, REPEATS = 256, 3


def best(run) -> float:
    """Least wall time of some runs [s]; the first, which compiles, is not counted."""
    jax.block_until_ready(run())
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        jax.block_until_ready(run())
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    """Prints the table."""
    tree, surface, law = natrix(), hydro.FreeSurface(), natrix_undulation(0.25, 1.0)
    one, many = (rest_states(tree, surface, initial_rolls(n)) for n in (1, BATCH))
    alone = jax.tree.map(lambda part: part[0], one)
    gravity = jnp.asarray(hydro.EARTH)

    def general(fluid):
        return multibody.march(tree, law, fluid, 1.0, state=alone, gravity=gravity, every=100).twist

    def reduced(states):
        return multibody.float_march(tree, law, surface, 1.0, states, every=100).twist

    rows = [
        ("march, no water, one run", best(lambda: general(None)), "0.12"),
        ("march, buoyancy, one run", best(lambda: general(surface)), "1.23"),
        ("float_march, buoyancy, one run", best(lambda: reduced(one)), "1.23"),
        (f"float_march, buoyancy, per run of {BATCH}", best(lambda: reduced(many)) / BATCH, "1.23"),
    ]
    load = os.getloadavg()[0]
    print(f"wall time per simulated second, RK4 1 ms, {os.cpu_count()} cores, load {load:.1f} while measuring")
    for name, seconds, published in rows:
        print(f"{name:44}{seconds:9.4f} s   published {published} s (another machine)")


if __name__ == "__main__":
    main()
