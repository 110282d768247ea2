"""One stroke (0.04 s) of the moth, beside the published 17 s on another machine and in another language."""

from collections.abc import Callable, Iterator

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp

import multibody as mb
from anguilla.robots.moth import Sagittal, StrokeLaw, cold_guess, flight
from tests.benchmarks.table import Row
from tests.benchmarks.timing import Work, interleaved

PUBLISHED = 17.0  # MATLAB on a 2.66 GHz laptop [PBB13, IV.C] [s]
PERIOD, STEP = 0.04, 1e-4  # of a stroke; the paper's [s]


def moth_rows() -> Iterator[Row]:
    """A stroke at the paper's step, adaptively, and by the steps that the moth's hover is found with."""
    machine = flight()
    unknowns = eqx.filter_jit(cold_guess)(machine)  # wings in full swing
    start, amplitude = Sagittal.unscaled(unknowns[:-1], machine.frequency), unknowns[-1]
    joints, rates = start.both_wings
    begin = {"state": start.thorax, "joints": joints, "joint_rates": rates, "gravity": machine.gravity}

    def adaptive(amplitude, rtol):
        law = StrokeLaw(amplitude, machine.frequency)
        how = {"solver": diffrax.Tsit5(), "rtol": rtol, "atol": 1e-2 * rtol, "dt0": STEP, "throw": False}
        return mb.rollout(machine.tree, law, machine.air, PERIOD, samples=2, **how, **begin)

    def paper(amplitude):
        law, every = StrokeLaw(amplitude, machine.frequency), round(PERIOD / STEP)
        return mb.march(machine.tree, law, machine.air, PERIOD, dt=STEP, every=every, **begin)

    methods: dict[str, Callable] = {
        f"RK4, {STEP:g} s": paper,
        "Tsit5, rtol 1e-6": lambda amplitude: adaptive(amplitude, 1e-6),
        f"stiff_march, {PERIOD / machine.steps:g} s": lambda a: machine.fly(a, start.thorax, joints, rates),
    }
    strokes = {name: _waiting(method, amplitude) for name, method in methods.items()}
    exact = _waiting(lambda amplitude: adaptive(amplitude, 1e-10), amplitude)().joints[-1]
    for name, time in interleaved({name: Work(run) for name, run in strokes.items()}).items():
        run = strokes[name]()
        error = float(jnp.abs(run.joints[-1] - exact).max())
        yield Row(
            f"moth, one stroke by {name}: published {PUBLISHED:g} s (other machine) / here",
            PUBLISHED / time.least,
            "≥",
            None if "stiff" in name else 300,  # of the two that the paper's own time is set beside
            f"{time.words}, {int(run.steps.sum())} steps, error {error:.0e} rad, first call {time.first:.0f} s",
        )


def _waiting(method: Callable, amplitude) -> Callable[[], mb.Trajectory]:
    """A compiled stroke; the call waits for its end."""
    fly = eqx.filter_jit(method)
    return lambda: jax.block_until_ready(fly(amplitude))
