"""The rowing boat of [KR13] per simulated second; the paper gives no computing time."""

from collections.abc import Iterator

import equinox as eqx
import jax
import jax.numpy as jnp

from anguilla.robots.rower import scull, steady_stroke, stroke
from anguilla.robots.rower.tree import RowingMotion
from tests.benchmarks.table import Row
from tests.benchmarks.timing import Work, interleaved

STEPS = 200  # of RK4 in a stroke, as `steady_stroke` takes


def rower_rows() -> Iterator[Row]:
    """One stroke in surge, heave and pitch, and the search for the steady stroke."""
    boat, made = scull(), stroke(period=60.0 / 27.0)
    search = eqx.filter_jit(steady_stroke)
    start = jax.tree.map(lambda part: part[0], search(boat, made).states)
    row = eqx.filter_jit(lambda start: boat.march(RowingMotion(made), start, jnp.zeros(()), made.period, STEPS))
    times = interleaved(
        {
            "stroke": Work(lambda: jax.block_until_ready(row(start))),
            "search": Work(lambda: jax.block_until_ready(search(boat, made).speed)),
        },
        rounds=5,
    )
    one, found = times.values()
    yield Row(
        "rowing boat, one stroke: time simulated / computing time (none published)",
        float(made.period) / one.least,
        "≥",
        None,
        f"{one.words}, {STEPS} steps of RK4, first call {one.first:.0f} s; steady stroke found in {found.words}",
    )
