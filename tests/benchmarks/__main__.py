"""`make bench`: ratios between variants of the same work, interleaved in one run. Never part of the tests."""

import time
from collections.abc import Callable

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

import cosserat  # noqa: E402
import gaits  # noqa: E402
import hydro  # noqa: E402

ROUNDS = 7


def repeated(f: Callable, count: int) -> Callable:
    """`count` evaluations of f(t) in one compiled loop, so that no call from Python is measured."""

    def body(k, carry):
        return 1e-30 * jnp.sum(f(3.3 + 1e-30 * carry)) + 1e-9 * k

    loop = jax.jit(lambda: jax.lax.fori_loop(0, count, body, 0.0))
    return lambda: loop().block_until_ready()


def interleaved(variants: dict[str, tuple[Callable, int]]) -> dict[str, tuple[float, float, float]]:
    """For each variant: least and greatest time of one evaluation [s] after compilation, and the first call [s]."""
    first, times = {}, {name: [] for name in variants}
    for name, (run, _) in variants.items():
        start = time.perf_counter()
        run()
        first[name] = time.perf_counter() - start
    for _ in range(ROUNDS):
        for name, (run, count) in variants.items():
            start = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - start) / count)
    return {name: (min(times[name]), max(times[name]), first[name]) for name in variants}


def show(title: str, baseline: str, measured: dict[str, tuple[float, float, float]]) -> None:
    """Prints a table of ratios to the baseline."""
    print(f"\n{title}\n{'':34}{'µs':>10}{'spread':>8}{'first call s':>14}{'× baseline':>12}")
    for name, (least, greatest, first) in measured.items():
        ratio = measured[baseline][0] / least
        print(f"{name:34}{least * 1e6:10.1f}{greatest / least:8.2f}{first:14.2f}{ratio:12.1f}")


def main() -> None:
    """Runs every benchmark and prints the tables."""
    beam, fluid, gait = cosserat.eel(), hydro.Morison(), gaits.spiral()
    state = cosserat.HeadState(twist=[-0.3, 0.1, 0.2, 0.1, 0.2, 0.3])
    panels = cosserat.Panels()
    literal = cosserat.Nested(diffrax.Tsit5(), diffrax.ConstantStepSize(), steps=64)
    body = panels.sample(beam, fluid)
    stations = beam.length * jnp.linspace(0.0, 1.0, 81)
    show(
        "eel, one evaluation of the head's acceleration",
        "diffrax along X, 64 Tsit5 steps",
        interleaved(
            {
                "diffrax along X, 64 Tsit5 steps": (
                    repeated(lambda t: literal.head_dynamics(beam, gait, fluid, state, t).twist_rate, 20),
                    20,
                ),
                "panels (default, 1e-6)": (
                    repeated(lambda t: panels.head_dynamics(body, gait, fluid, state, t).twist_rate, 500),
                    500,
                ),
                "panels, both loops (n, M)": (
                    repeated(lambda t: panels.both_loops(body, gait, fluid, state, t, stations).moment, 200),
                    200,
                ),
            }
        ),
    )

    def swim(path):
        run = eqx.filter_jit(lambda: cosserat.rollout(beam, gait, fluid, 10.0, samples=2, path=path).twist)
        return lambda: run().block_until_ready()

    measured = interleaved({"diffrax along X": (swim(literal), 1), "panels": (swim(panels), 1)})
    show("eel, 10 s spiral swim, rtol 1e-6", "diffrax along X", measured)
    print(f"panels: {10.0 / measured['panels'][0]:.0f} times real time")


if __name__ == "__main__":
    main()
