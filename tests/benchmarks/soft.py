"""Soft beams: the cost of free strains beside imposed ones, of swims with a passive tail, and of their gradient.

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
from cosserat.soft.mechanism import SoftMechanism
from cosserat.soft.sampled_soft import sample_soft
from cosserat.soft.soft_beam import unchecked_soft_state
from cosserat.soft.soft_loop import soft_loop
from cosserat.state import unchecked_state
from stepping.implicit import implicit_step
from tests.benchmarks.growth import grown
from tests.benchmarks.table import Row, at_least, at_most
from tests.benchmarks.timing import Work, interleaved, looped, seconds

SECONDS, START, SOFT, STIFF = 10.0, 1.0, 1e5, 1e8
FINE = 1.0 / 800.0  # s: the step of the converged swims
EVALUATIONS = 400
# error relative to the distance, and speed over real time that it should reach
ASKED = {SOFT: ((1e-3, 60.0), (1e-5, 30.0)), STIFF: ((1e-3, 40.0), (1e-5, 15.0))}
COMPILED = 1 / 24  # s: a step of its own, so that nothing has compiled that swim before
MODES, PANELS = (4, 8, 16, 32), (1, 2, 4)
STEPS = (1 / 10, 1 / 15, 1 / 20, 1 / 25, 1 / 30, 1 / 40, 1 / 50, 1 / 80, 1 / 100, 1 / 150, 1 / 200)


def _tail(modes=8, young=SOFT):
    law = cosserat.Elastic(young, damping_time=0.05)
    return cosserat.Soft(cosserat.eel(), cosserat.FreeStrains(START, modes={"K3": modes}), law)


def soft_rows() -> Iterator:
    """All rows of the soft beam."""
    yield from evaluation_rows()
    yield from growth_rows()
    yield compile_row()
    yield from swim_rows()
    yield from gradient_rows()


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


def growth_rows() -> Iterator[tuple[Row, tuple[str, list[int], list[float]]]]:
    """How the cost of one implicit step grows with modes and with nodes: exponents, without a target."""
    fluid, gait = hydro.Morison(), gaits.planar()
    head = cosserat.HeadState(twist=[-0.3, 0.02, 0.0, 0.0, 0.0, -0.04])

    def step(modes, panels):
        soft = _tail(modes)
        sampled = sample_soft(soft, fluid, 32, panels)
        state = unchecked_soft_state(head, jnp.full(modes, 0.1), jnp.full(modes, 0.1))

        def one(t, sampled):
            mechanism = SoftMechanism(sampled, gait, fluid)
            return implicit_step(mechanism, t, mechanism.start(state), jnp.asarray(1e-3)).velocity

        return looped(one, 50, sampled)

    name = "soft beam, growth of an implicit step with"
    yield grown(f"{name} modes: exponent", "modes", list(MODES), {str(n): step(n, 1) for n in MODES}, None)
    # Two panels where the tail begins to be free: its knots cut the grid.
    nodes = [64 * k for k in PANELS]
    yield grown(f"{name} nodes (8 modes): exponent", "smooth nodes", nodes, {str(k): step(8, k) for k in PANELS}, None)


def compile_row() -> Row:
    """What the first passive-tail swim takes beyond the second: tracing and compiling the swim and its grids."""
    swim = _swim(_tail(), COMPILED)
    run = lambda: jax.block_until_ready(swim())  # noqa: E731
    first, second = seconds(run), seconds(run)
    how = f"first {first:.3g} s, then {second:.3g} s, step 1/{round(1 / COMPILED)} s"
    return at_most("compile time of a swim with a passive tail [s]", first - second, 6.0, how)


def _swim(soft, step):
    """A compiled swim; outside `jax.jit` its error would be estimated besides."""
    how = {"samples": 2, "method": "implicit", "dt0": step, "throw": False}
    return jax.jit(lambda: cosserat.rollout(soft, gaits.planar(), hydro.Morison(), SECONDS, **how).position)


def swim_rows() -> Iterator[Row]:
    """Ten seconds with a passive tail, at the coarsest step of a list that is exact enough, over real time."""
    for young, goals in ASKED.items():
        soft = _tail(young=young)
        exact = np.asarray(_swim(soft, FINE)()[-1])
        swum = np.linalg.norm(exact)
        errors = {h: np.linalg.norm(np.asarray(_swim(soft, h)()[-1]) - exact) / swum for h in STEPS}
        for error, target in goals:
            good = [h for h in STEPS if errors[h] <= error and all(errors[k] <= error for k in STEPS if k <= h)]
            what = f"swim with a passive tail, {young:.0e} Pa, error {error:.0e}, times real time"
            if not good:
                yield at_least(what, 0.0, target, f"no step of the list: {min(errors.values()):.1e} at best")
                continue
            run = _swim(soft, good[0])
            time = interleaved({"swim": Work(lambda run=run: run().block_until_ready())}, rounds=3)["swim"]
            how = f"{time.words}, step 1/{round(1 / good[0])} s, error {errors[good[0]]:.1e}"
            yield at_least(what, SECONDS / time.least, target, how)


def gradient_rows() -> Iterator[Row]:
    """Gradient of the distance by stiffness, damping and numbers of the gait, over one swim; its compile time."""
    step = 1 / 20

    def distance(x):
        law = cosserat.Elastic(x[0] * SOFT, damping_time=x[1])
        soft = cosserat.Soft(cosserat.eel(), cosserat.FreeStrains(START, modes={"K3": 8}), law)
        wave = gaits.TravellingWave(amplitude=x[5:], wavelength=x[2], period=x[3], phase=x[4])
        how = {"samples": 2, "method": "implicit", "dt0": step, "throw": False}
        return cosserat.rollout(soft, gaits.planar_bending(wave), hydro.Morison(), 2.0, **how).position[-1, 0]

    for parameters in (6, 20):  # the others are coefficients of the amplitude along the body
        x = jnp.asarray([1.0, 0.05, 1.0, 1.0, 0.0, *[0.0] * (parameters - 6), 1.0])
        value, slope = (eqx.filter_jit(f) for f in (distance, jax.grad(distance)))
        work = {
            name: Work(lambda f=f, x=x: f(x).block_until_ready()) for name, f in (("swim", value), ("slope", slope))
        }
        here, there = interleaved(work, rounds=3).values()
        how = f"{there.words} / {here.words}, 2 s swum by steps of 1/{round(1 / step)} s"
        what = f"gradient by {parameters} parameters of a passive-tail swim, in swims"
        yield at_most(what, there.least / here.least, 5.0, how)
        how = f"first {there.first:.3g} s"
        yield at_most(
            f"compile time of that gradient, {parameters} parameters [s]", there.first - there.least, 20.0, how
        )
