"""The continuous eel: the fast path against diffrax along X and against C; gradients; the second space loop."""

from collections.abc import Iterator
from typing import Any

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import cosserat
import gaits
import hydro
from tests.benchmarks.metal import Metal
from tests.benchmarks.table import Row, at_least, at_most
from tests.benchmarks.timing import Work, called, interleaved, looped

BATCH, SWIMS, LANES = 1024, 64, 16  # lanes: members of a batch side by side, which the cache holds
TWIST = np.array([-0.3, 0.1, 0.2, 0.1, 0.2, 0.3])
WAVE: dict[str, Any] = dict(offset2=0.5, offset3=0.5, amplitude=(1.0, -0.75, 1.0), wavelength=1.0, period=1.0)
PARAMETERS = np.array([1.0, -0.75, 1.0, 1.0, 1.0, 0.5])  # α1, α2, α3, λ, T, K2 offset


def evaluation_rows() -> Iterator[Row]:
    """One evaluation of the head's acceleration in a 3-D swim."""
    beam, fluid, gait = cosserat.eel(), hydro.Morison(), gaits.spiral(**WAVE)
    state = cosserat.HeadState(twist=TWIST)
    panels, literal = cosserat.Panels(), literal_path()
    body = panels.sample(beam, fluid)
    metal = Metal(body, fluid, WAVE)
    stations = panels.stations(body, beam.length * jnp.linspace(0.0, 1.0, 81))
    first = lambda t, body: panels.head_dynamics(body, gait, fluid, state, t).twist_rate  # noqa: E731
    second = lambda t, body, where: panels.both_loops(body, gait, fluid, state, t, where).moment  # noqa: E731
    # Times spread over a period, and twists over their own size: no two members of the batch do the same.
    t = jnp.linspace(2.0, 3.0, BATCH)
    twists = jnp.asarray(TWIST) * jnp.linspace(0.5, 1.5, BATCH)[:, None]

    def many(t, twists):
        def one(t, twist):
            moving = eqx.tree_at(lambda s: s.twist, state, twist)
            return panels.head_dynamics(body, gait, fluid, moving, t).twist_rate

        return jax.lax.map(lambda point: one(*point), (t, twists), batch_size=LANES)

    exact = cosserat.head_acceleration(beam, gait, fluid, state, 3.3, cosserat.Nested())
    error = lambda value: float(jnp.max(jnp.abs(value - exact)) / jnp.max(jnp.abs(exact)))  # noqa: E731
    wake = hydro.Lighthill(edge=1.95)
    with_wake = panels.sample(beam, wake)
    in_wake = lambda t, body: panels.head_dynamics(body, gait, wake, state, t).twist_rate  # noqa: E731
    same = np.max(np.abs(metal.acceleration(TWIST, 3.3) - first(jnp.asarray(3.3), body))) / np.max(np.abs(exact))
    if same > 1e-10:
        raise AssertionError(f"the C kernel and the fast path differ by {same:.1e}: they are not the same work")
    times = interleaved(
        {
            "literal": looped(lambda t: literal.head_dynamics(beam, gait, fluid, state, t).twist_rate, 10),
            "fast": looped(first, 400, body),
            "wake": looped(in_wake, 400, with_wake),
            "both": looped(second, 200, body, stations),
            "metal": Work(metal.repeat(TWIST, 3.3, 400), 400),
            "batch": Work(called(many, t, twists).run, BATCH),
        }
    )
    literal_time, fast, lighthill, both, in_c, batch = times.values()
    yield at_least(
        "eel, one evaluation: diffrax along X (64 steps) / fast path",
        literal_time.least / fast.least,
        70,
        f"{literal_time.words} / {fast.words}; error of the fast path {error(first(jnp.asarray(3.3), body)):.0e}",
    )
    yield at_most(
        "eel, fast path / C on the same nodes, single",
        fast.least / in_c.least,
        1.5,
        f"{fast.words} / {in_c.words}; {body.X.size} smooth and {body.load_X.size} load nodes, equal to {same:.0e}",
    )
    yield at_most(
        "eel, one evaluation: Lighthill's water / Morison's",
        lighthill.least / fast.least,
        1.1,
        f"{lighthill.words} / {fast.words}",
    )
    yield at_most(
        f"eel, fast path / C on the same nodes, batch of {BATCH}",
        batch.least / in_c.least,
        1.2,
        f"{batch.words} each / {in_c.words}",
    )
    yield at_most(
        "eel, both space loops (n, M) / the first", both.least / fast.least, 1.7, f"{both.words} / {fast.words}"
    )


def swim_rows() -> Iterator[Row]:
    """A swim of ten seconds in space."""
    swim = lambda path: eqx.filter_jit(lambda p: distance(p, path=path))  # noqa: E731
    literal, fast = swim(literal_path()), swim(None)
    start = jnp.asarray(PARAMETERS)
    run = lambda f: Work(lambda: f(start).block_until_ready())  # noqa: E731
    times = interleaved({"literal": run(literal), "fast": run(fast)}, rounds=2)
    least = min(times["fast"].least, interleaved({"fast": run(fast)})["fast"].least)
    yield at_least("eel, 10 s 3-D swim, rtol 1e-6: times real time", 10.0 / least, 600, f"{least * 1e3:.3g} ms")
    yield at_least(
        "eel, 10 s 3-D swim: diffrax along X / fast path",
        times["literal"].least / least,
        30,
        f"{times['literal'].words} / {least * 1e3:.3g} ms",
    )


def gradient_rows() -> Iterator[Row]:
    """The gradient of the distance swum in 10 s by six parameters of the gait, against the swim itself."""
    start = jnp.asarray(PARAMETERS)
    starts = start * jnp.linspace(0.95, 1.05, SWIMS)[:, None]
    forward = jax.jacfwd(lambda p: distance(p, adjoint=diffrax.ForwardMode()))
    run = lambda f, p, count=1: Work(called(f, p).run, count)  # noqa: E731
    one = interleaved(
        {"swim": run(distance, start), "forward": run(forward, start), "reverse": run(jax.grad(distance), start)}
    )
    in_lanes = lambda f: lambda p: jax.lax.map(f, p, batch_size=LANES)  # noqa: E731
    many = interleaved(
        {
            "swim": run(in_lanes(distance), starts, SWIMS),
            "forward": run(in_lanes(forward), starts, SWIMS),
            "reverse": run(in_lanes(jax.grad(distance)), starts, SWIMS),
        },
        rounds=2,
    )
    for name, times, compiled in (("single", one, 6.0), (f"batch of {SWIMS}", many, 8.0)):
        mode = min((m for m in times if m != "swim"), key=lambda m: times[m].least)
        others = ", ".join(f"{m} mode {times[m].words}" for m in times if m != "swim")
        yield at_most(
            f"eel, gradient of the distance by 6 parameters / the swim, {name}",
            times[mode].least / times["swim"].least,
            3,
            f"{others} / {times['swim'].words}",
        )
        first = times[mode].first - times[mode].least * (SWIMS if times is many else 1)
        yield at_most(f"eel, compile time of that gradient, {name} [s]", first, compiled, f"{mode} mode")


def own_gait_rows() -> Iterator[Row]:
    """A gait that a user writes as a plain function of X and t, beside the same one of the vocabulary."""
    vocabulary = gaits.planar_bending(gaits.TravellingWave(amplitude=(1.0, -0.75, 1.0), wavelength=1.0, period=1.0))

    def own(X, t):
        K3 = (X**2 - 0.75 * X + 1.0) * jnp.sin(2.0 * jnp.pi * (X - t))
        return jnp.array([1.0, 0.0, 0.0, 0.0, 0.0, K3])

    swim = lambda gait: lambda: cosserat.rollout(cosserat.eel(), gait, hydro.Morison(), 10.0).twist.block_until_ready()  # noqa: E731
    there, here = interleaved({"vocabulary": Work(swim(vocabulary)), "own": Work(swim(own))}, rounds=5).values()
    words = f"{here.words} / {there.words}"
    yield at_most("eel, 10 s by a user-written gait / by one of the vocabulary", here.least / there.least, 1.1, words)
    compiled = (here.first - here.least) / (there.first - there.least)
    words = f"{here.first:.3g} / {there.first:.3g} s; the vocabulary's runs first and compiles what both share"
    yield at_most("eel, compile time of the same two", compiled, 1.5, words)


def distance(parameters, path=None, adjoint=None):
    """Distance from the start after a spiral swim of 10 s [m]."""
    gait = gait_of(parameters)
    run = cosserat.rollout(
        cosserat.eel(), gait, hydro.Morison(), 10.0, samples=2, path=path, adjoint=adjoint, throw=False, max_steps=1024
    )
    return jnp.linalg.norm(run.position[-1])


def gait_of(parameters):
    """The spiral of six parameters."""
    return gaits.spiral(parameters[5], 0.5, parameters[:3], parameters[3], parameters[4])


def literal_path() -> cosserat.Nested:
    """The two space loops as the paper writes them: diffrax along X, 64 steps."""
    return cosserat.Nested(diffrax.Tsit5(), diffrax.ConstantStepSize(), steps=64)
