"""NATRIX per simulated second, with and without buoyancy, one run and a batch, beside the published times.

Published (XHLB23, III; Python on an i5-8365U laptop, 1.60 GHz: another machine than this one): 1.23 s with buoyancy and
0.12 s without, by RK4 with 1 ms. Where it is not said, steps are those of `rollout` with rtol 1e-6; the others 1 ms.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp

import hydro
import multibody
from anguilla.robots.natrix import model as natrix
from anguilla.robots.natrix.laws import natrix_undulation
from anguilla.robots.natrix.roll import initial_rolls, rest_states
from tests.benchmarks.table import Row
from tests.benchmarks.timing import Work, interleaved

BATCH, WITH_WATER, WITHOUT = 64, 1.23, 0.12


def natrix_rows() -> Iterator[Row]:
    """Adaptive and constant steps; the reduced march, which only the floating base of a driven tree allows."""
    tree, surface, law = natrix(), hydro.FreeSurface(), natrix_undulation(0.25, 1.0)
    one, many = (rest_states(tree, surface, initial_rolls(n)) for n in (1, BATCH))
    alone = jax.tree.map(lambda part: part[0], one)
    gravity = jnp.asarray(hydro.EARTH)

    def general(fluid):
        run = lambda: multibody.march(tree, law, fluid, 1.0, state=alone, gravity=gravity, every=100).twist  # noqa: E731
        return Work(lambda: jax.block_until_ready(run()))

    def adaptive():
        run = lambda: multibody.rollout(tree, law, surface, 1.0, state=alone, gravity=gravity, throw=False)  # noqa: E731
        return Work(lambda: jax.block_until_ready(run().twist))

    def reduced(states, count=1):
        run = lambda: multibody.float_march(tree, law, surface, 1.0, states, every=100).twist  # noqa: E731
        return Work(lambda: jax.block_until_ready(run()), count)

    times = interleaved(
        {
            "without water": general(None),
            "with buoyancy, steps of 1 ms": general(surface),
            "with buoyancy": adaptive(),
            "with buoyancy, reduced march": reduced(one),
            f"with buoyancy, reduced march, each of {BATCH}": reduced(many, BATCH),
        },
        rounds=3,
    )
    for name, time in times.items():
        published = WITHOUT if name == "without water" else WITH_WATER
        yield Row(
            f"NATRIX {name}, per simulated second: published {published:g} s (other machine) / here",
            published / time.least,
            "≥",
            80 if name == "with buoyancy" else None,
            f"{time.words}, first call {time.first:.0f} s",
        )
