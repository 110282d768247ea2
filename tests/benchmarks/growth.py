"""How the cost grows: with nodes along the body, with links, with the batch."""

from collections.abc import Iterator

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from tests.benchmarks.eel import TWIST
from tests.benchmarks.table import Row
from tests.benchmarks.timing import Work, interleaved, looped
from tests.benchmarks.trees import inverse, motion, open_chain

PANELS, LINKS, BATCHES = (1, 2, 4, 8), (9, 18, 36, 72, 144), (1, 16, 256)


def growth_rows() -> Iterator[tuple[Row, tuple[str, list[int], list[float]]]]:
    """Rows with the exponents, each with its curve (axis, sizes, seconds) for the figure."""
    beam, fluid, gait = cosserat.eel(), hydro.Morison(), gaits.spiral()
    state = cosserat.HeadState(twist=TWIST)

    def head(panels):
        path = cosserat.Panels(panels=panels)
        body = path.sample(beam, fluid)
        return lambda t, twist=state.twist: (
            path.head_dynamics(body, gait, fluid, eqx.tree_at(lambda s: s.twist, state, twist), t).twist_rate
        )

    def chain(links):
        tree = open_chain(links)
        q, dq, ddq, base = motion(tree)
        run = inverse(tree, base)
        return lambda t: jnp.concatenate(run(q * t, dq, ddq))

    nodes = {str(k): looped(head(k), 100) for k in PANELS}
    yield grown("eel, growth of one evaluation with nodes: exponent", "smooth nodes", [32 * k for k in PANELS], nodes)
    trees = {str(k): looped(chain(k), 100) for k in LINKS}
    yield grown("tree, growth of the inverse dynamics with links: exponent", "links", list(LINKS), trees)

    def many(batch):
        t, one = jnp.linspace(2.0, 3.0, batch), head(1)
        run = jax.jit(lambda t: jax.lax.map(one, t, batch_size=min(batch, 16)))
        return Work(lambda: run(t).block_until_ready())

    yield grown("eel, growth with the batch: exponent", "batch", list(BATCHES), {str(k): many(k) for k in BATCHES})


def grown(what, axis, sizes, work, target=1.0):
    """Row with the exponent of the cost, and its curve; `target` None for a row without one."""
    seconds = [time.least for time in interleaved(work, rounds=15).values()]
    # By the two largest: a fixed cost at the small end would flatter the slope.
    exponent = float(np.log(seconds[-1] / seconds[-2]) / np.log(sizes[-1] / sizes[-2]))
    curve = ", ".join(f"{n}: {s * 1e6:.3g} µs" for n, s in zip(sizes, seconds, strict=True))
    return Row(what, exponent, "≤", target, curve), (axis, sizes, seconds)
