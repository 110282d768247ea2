"""Where the time of the beam goes: one evaluation cut into pieces, and what derivatives of each piece cost."""

from collections.abc import Iterator

import equinox as eqx
import jax
import jax.numpy as jnp

import cosserat
import hydro
from cosserat.orientation import orientation
from cosserat.section_motion import at_loads, body_shape, section_motion
from cosserat.strain import strain_rates
from tests.benchmarks.eel import PARAMETERS, TWIST, gait_of
from tests.benchmarks.table import Row
from tests.benchmarks.timing import interleaved, looped

PIECES = ("strains", "orientation", "shape", "motion of the sections", "loads", "whole evaluation")


def profile_rows() -> Iterator[Row]:
    """Each piece with all that comes before it, as a part of the whole; no targets."""
    beam, fluid, state = cosserat.eel(), hydro.Morison(), cosserat.HeadState(twist=TWIST)
    panels = cosserat.Panels()
    body = panels.sample(beam, fluid)

    def piece(name, gait, t, body):
        strain = strain_rates(gait, body.X, t)
        if name == "strains":
            return strain
        if name == "orientation":
            return orientation(strain.xi[:, 3:].T, body.panel_integral)
        if name == "whole evaluation":
            return panels.head_dynamics(body, gait, fluid, state, t).twist_rate
        _, shape = body_shape(body, gait, t)
        if name == "shape":
            return shape
        motion = section_motion(shape, state.twist)
        return motion if name == "motion of the sections" else at_loads(body, motion, state).twist

    def total(name, parameters, t, body):
        parts = eqx.filter(piece(name, gait_of(parameters), t, body), eqx.is_array)
        return sum(jnp.sum(leaf) for leaf in jax.tree.leaves(parts))

    start = jnp.asarray(PARAMETERS)
    value = {name: looped(lambda t, body, name=name: total(name, start, t, body), 200, body) for name in PIECES}
    derived = ("orientation", "shape", "whole evaluation")
    forward = {
        n: looped(lambda t, body, n=n: jax.jacfwd(lambda p: total(n, p, t, body))(start), 100, body) for n in derived
    }
    reverse = {
        n: looped(lambda t, body, n=n: jax.grad(lambda p: total(n, p, t, body))(start), 100, body) for n in derived
    }
    times = interleaved(value)
    whole = times["whole evaluation"].least
    for name, time in times.items():
        yield Row(f"profile: {name}, with all before it / an evaluation", time.least / whole, "≤", None, time.words)
    for mode, work in (("six tangents", forward), ("reverse mode", reverse)):
        for name, time in interleaved(work, rounds=5).items():
            words = f"{time.words} / {times[name].words}; compiled in {time.first:.0f} s"
            yield Row(f"profile: {mode} of {name} / its value", time.least / times[name].least, "≤", None, words)
