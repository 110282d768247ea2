"""One stroke (0.04 s) of the moth, beside the published 17 s on another machine and in another language."""

from collections.abc import Iterator

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import multibody as mb
from multibody.robots.moth import Flight, Sagittal, StrokeLaw, cold_guess, flight

from .table import Row, at_least
from .timing import Work, interleaved

PUBLISHED = 17.0  # MATLAB on a 2.66 GHz laptop [PBB13, IV.C] [s]


class RK4(diffrax.AbstractERK):
    """The classical method of order four, with constant steps."""

    tableau = diffrax.ButcherTableau(
        c=np.array([0.5, 0.5, 1.0]),
        b_sol=np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6]),
        b_error=np.zeros(4),
        a_lower=(np.array([0.5]), np.array([0.0, 0.5]), np.array([0.0, 0.0, 1.0])),
    )
    interpolation_cls = diffrax.ThirdOrderHermitePolynomialInterpolation.from_k

    def order(self, terms):
        """Of accuracy."""
        return 4


def stroke(machine: Flight, start: Sagittal, amplitude, solver, controller, dt0):
    """A compiled stroke from a start in full swing; returns a call that waits for its end."""
    joints, rates = start.both_wings

    @eqx.filter_jit
    def fly(amplitude):
        return mb.rollout(
            machine.tree,
            StrokeLaw(amplitude, machine.frequency),
            machine.air,
            0.04,
            state=start.thorax,
            joints=joints,
            joint_rates=rates,
            gravity=machine.gravity,
            samples=2,
            solver=solver,
            controller=controller,
            dt0=dt0,
            throw=False,
        )

    return lambda: jax.block_until_ready(fly(amplitude))


def moth_rows() -> Iterator[Row]:
    """A stroke at the paper's step, and adaptively."""
    machine = flight()
    unknowns = eqx.filter_jit(cold_guess)(machine)  # wings in full swing
    start = Sagittal.unscaled(unknowns[:-1], machine.frequency)
    adaptive = lambda rtol: diffrax.PIDController(rtol=rtol, atol=1e-2 * rtol)  # noqa: E731
    methods = {
        "RK4, 1e-4 s": (RK4(), diffrax.ConstantStepSize(), 1e-4),
        "Tsit5, rtol 1e-6": (diffrax.Tsit5(), adaptive(1e-6), 1e-4),
    }
    strokes = {name: stroke(machine, start, unknowns[-1], *options) for name, options in methods.items()}
    exact = stroke(machine, start, unknowns[-1], diffrax.Tsit5(), adaptive(1e-10), 1e-5)().joints[-1]
    for name, time in interleaved({name: Work(run) for name, run in strokes.items()}).items():
        run = strokes[name]()
        error = float(jnp.abs(run.joints[-1] - exact).max())
        yield at_least(
            f"moth, one stroke by {name}: published {PUBLISHED:g} s (other machine) / here",
            PUBLISHED / time.least,
            150,
            f"{time.words}, {int(run.steps.sum())} steps, error {error:.0e} rad, first call {time.first:.0f} s",
        )
