"""Soft beams: the price of free strains beside imposed ones, swims with a passive tail, their gradient.

Ratios to the imposed swim of the same body are taken in one run. The tail of the eel behind X = 1 m is free to bend,
with eight modes; its stiffness is that of a soft rubber, or a thousand times as much, with Kelvin-Voigt damping.
"""

from collections.abc import Iterator

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from cosserat.panel_loops import first_loop
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_loop import soft_loop
from cosserat.state import unchecked_state
from tests.benchmarks.table import Row, at_least, at_most
from tests.benchmarks.timing import Work, interleaved, looped

SECONDS, START, SOFT, STIFF = 10.0, 1.0, 1e5, 1e8
FINE = 1.0 / 800.0  # s: the step of the converged swims
EVALUATIONS = 400
# step [s] and speed over real time that is asked for, for errors of 1e-3 and 1e-5 of the distance
ASKED = {SOFT: ((1e-3, 60.0), (1e-5, 30.0)), STIFF: ((1e-3, 40.0), (1e-5, 15.0))}
STEPS = (1 / 10, 1 / 20, 1 / 30, 1 / 40, 1 / 50, 1 / 80, 1 / 100, 1 / 150, 1 / 200)


def _tail(modes=8, young=SOFT):
    law = cosserat.Elastic(young, damping_time=0.05)
    return cosserat.Soft(cosserat.eel(), cosserat.FreeStrains(START, modes={"K3": modes}), law)


def soft_rows() -> Iterator[Row]:
    """All rows of the soft beam."""
    yield from evaluation_rows()
    yield from swim_rows()
    yield gradient_row()


def evaluation_rows() -> Iterator[Row]:
    """One evaluation with 8 and 16 free modes beside the imposed one on the same nodes."""
    fluid, gait = hydro.Morison(), gaits.planar()
    twist = jnp.asarray([-0.3, 0.02, 0.0, 0.0, 0.0, -0.04])
    head = unchecked_state(jnp.zeros(3), jnp.asarray([1.0, 0.0, 0.0, 0.0]), twist)
    variants: dict[str, Work] = {}
    for n in (8, 16):
        soft = _tail(n)
        sampled = sample_soft(soft, fluid, 32, 1)
        q = jnp.full(n, 0.1)
        free = lambda t, sampled, q: soft_loop(sampled, gait, fluid, head, q, q, t).rates()  # noqa: E731
        variants[f"{n} modes"] = looped(free, EVALUATIONS, sampled, q)
        imposed = lambda t, body: first_loop(body, gait, fluid, head, t).dynamics.twist_rate  # noqa: E731
        variants["imposed"] = looped(imposed, EVALUATIONS, sampled.body)
    found = interleaved(variants)
    for n, target in ((8, 1.7), (16, 2.0)):
        ratio = found[f"{n} modes"].least / found["imposed"].least
        how = f"{found[f'{n} modes'].words} / {found['imposed'].words}"
        yield at_most(f"evaluation with {n} free modes over the imposed one", ratio, target, how)


def _swim(soft, step):
    how = {"samples": 2, "method": "implicit", "dt0": step, "throw": False}
    return cosserat.rollout(soft, gaits.planar(), hydro.Morison(), SECONDS, **how)


def swim_rows() -> Iterator[Row]:
    """Ten seconds with a passive tail, at the coarsest step of a list that is exact enough, over real time."""
    for young, goals in ASKED.items():
        soft = _tail(young=young)
        exact = np.asarray(_swim(soft, FINE).position[-1])
        swum = np.linalg.norm(exact)
        errors = {h: np.linalg.norm(np.asarray(_swim(soft, h).position[-1]) - exact) / swum for h in STEPS}
        for error, target in goals:
            good = [h for h in STEPS if errors[h] <= error and all(errors[k] <= error for k in STEPS if k <= h)]
            what = f"swim with a passive tail, {young:.0e} Pa, error {error:.0e}, times real time"
            if not good:
                yield at_least(what, 0.0, target, f"no step of the list: {min(errors.values()):.1e} at best")
                continue
            run = lambda soft=soft, h=good[0]: jax.block_until_ready(_swim(soft, h))  # noqa: E731
            time = interleaved({"swim": Work(run)}, rounds=3)["swim"]
            how = f"{time.words}, step 1/{round(1 / good[0])} s, compiled in {time.first - time.least:.1f} s"
            yield at_least(what, SECONDS / time.least, target, how)


def gradient_row() -> Row:
    """Gradient of the distance by stiffness, damping and four numbers of the gait, over one swim."""
    step = 1 / 20

    def distance(x):
        law = cosserat.Elastic(x[0] * SOFT, damping_time=x[1])
        soft = cosserat.Soft(cosserat.eel(), cosserat.FreeStrains(START, modes={"K3": 8}), law)
        wave = gaits.TravellingWave(amplitude=x[2], wavelength=x[3], period=x[4], phase=x[5])
        how = {"samples": 2, "method": "implicit", "dt0": step, "throw": False}
        return cosserat.rollout(soft, gaits.planar_bending(wave), hydro.Morison(), 2.0, **how).position[-1, 0]

    x = jnp.asarray([1.0, 0.05, 1.0, 1.0, 1.0, 0.0])
    value, slope = eqx.filter_jit(distance), eqx.filter_jit(jax.grad(distance))
    found = interleaved(
        {"swim": Work(lambda: value(x).block_until_ready()), "gradient": Work(lambda: slope(x).block_until_ready())},
        rounds=3,
    )
    ratio = found["gradient"].least / found["swim"].least
    how = f"{found['gradient'].words}, compiled in {found['gradient'].first:.0f} s"
    return at_most("gradient by 6 parameters of a passive-tail swim, in swims", ratio, 5.0, how)
