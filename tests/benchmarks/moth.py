"""`python -m tests.benchmarks.moth`: one stroke (0.04 s) of the moth, beside the published 17 s on another machine."""

import time

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

import equinox as eqx  # noqa: E402

import multibody as mb  # noqa: E402
from multibody.robots.moth import Flight, Sagittal, StrokeLaw, cold_guess, flight  # noqa: E402

PUBLISHED = 17.0  # MATLAB on a 2.66 GHz laptop [PBB13, IV.C]: another machine and another language [s]
ROUNDS = 5


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


def main() -> None:
    """Prints wall times after compilation, compile times, and the error of each method."""
    machine = flight()
    unknowns = eqx.filter_jit(cold_guess)(machine)  # wings in full swing
    start = Sagittal.unscaled(unknowns[:-1], machine.frequency)
    adaptive = lambda rtol: diffrax.PIDController(rtol=rtol, atol=1e-2 * rtol)  # noqa: E731
    methods = {
        "RK4, 1e-4 s": (RK4(), diffrax.ConstantStepSize(), 1e-4),
        "Tsit5, 1e-4 s": (diffrax.Tsit5(), diffrax.ConstantStepSize(), 1e-4),
        "Tsit5, rtol 1e-6": (diffrax.Tsit5(), adaptive(1e-6), 1e-4),
        "Tsit5, rtol 1e-10": (diffrax.Tsit5(), adaptive(1e-10), 1e-5),
    }
    calls, first = {}, {}
    for name, options in methods.items():
        calls[name] = stroke(machine, start, unknowns[-1], *options)
        begin = time.perf_counter()
        calls[name]()
        first[name] = time.perf_counter() - begin
    times: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(ROUNDS):  # interleaved: whatever else the machine does falls on all of them
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    exact = calls["Tsit5, rtol 1e-10"]().joints[-1]
    columns = "".join(f"{word:>11}" for word in ("wall s", "spread", "compile s", "steps", "error rad", "17 s /"))
    print(f"{'one stroke, 0.04 s':22}{columns}")
    for name, spent in times.items():
        run = calls[name]()
        error = float(jnp.abs(run.joints[-1] - exact).max())
        least = min(spent)
        cells = [f"{least:.3f}", f"{max(spent) / least:.2f}", f"{first[name] - least:.1f}", f"{int(run.steps.sum())}"]
        cells += [f"{error:.1e}", f"{PUBLISHED / least:.0f}"]
        print(f"{name:22}" + "".join(f"{cell:>11}" for cell in cells))
    print("17 s is the published time, of another machine and language: the last column is no measure of the method")


if __name__ == "__main__":
    main()
