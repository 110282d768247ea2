"""Roll of NATRIX over frequency and amplitude of undulation: Figure 6 of [XHLB23], by `anguilla.sweep`."""

from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np
import xarray as xr

from anguilla.sweeps import sweep
from hydro import FreeSurface

from .roll import initial_rolls, rest_states, roll_response, undulating
from .tree import model

FREQUENCIES = np.round(np.arange(0.5, 3.0 + 1e-9, 0.125), 6)  # as published: 0.5 to 3 Hz
AMPLITUDES = np.round(np.arange(0.05, 0.4 + 1e-9, 0.05), 6)  # as published: 0.05 to 0.4 rad
LABELS = {
    "amplitude": ("rad", "amplitude Q of the joints"),
    "frequency": ("Hz", "frequency F"),
    "peak": ("rad", "largest roll of the head"),
    "deviation": ("rad", "standard deviation of the roll of the head"),
    "modulation": ("1", "modulation of the amplitude of the roll"),
    "regime": ("1", "0 nonlinear, 1 beat, 2 capsize"),
    "capsized": ("1", "probability of capsizing over the initial rolls"),
}


def roll_map(
    amplitudes: Sequence[float] | np.ndarray = AMPLITUDES,
    frequencies: Sequence[float] | np.ndarray = FREQUENCIES,
    *,
    rolls: int = 16,
    reach: float = 5.0,
    t1: float = 22.0,
    dt: float = 0.005,
    surface: FreeSurface | None = None,
    store: str | Path | None = None,
    chunk: int = 8,
    progress: bool = True,
) -> xr.Dataset:
    """Roll of the undulating robot over amplitude and frequency, from several initial rolls.

    Every run starts at rest, from the equilibrium of the straight robot plus one of the initial rolls; the undulation
    grows over two seconds. The initial rolls, the smooth start, the duration of the runs and the masses of the robot
    are not published. The edge of the capsizing band depends irregularly on all of them, so the probability of
    capsizing over the initial rolls is given.

    Args:
        amplitudes: Q [rad].
        frequencies: F [Hz].
        rolls: number of initial rolls, evenly spaced from -reach to reach.
        reach: largest initial roll [degrees].
        t1: last time [s].
        dt: step of the classical Runge-Kutta method [s].
        surface: the water; buoyancy only when None, as published.
        store: directory of the Zarr store, so that a long sweep can be resumed; in memory when None.
        chunk: number of grid points computed at a time.
        progress: show a progress bar.

    Returns:
        `peak`, `deviation`, `modulation`, `regime` over amplitude, frequency and run; `capsized` over the first two.
    """
    tree, water = model(), FreeSurface() if surface is None else surface
    angles = initial_rolls(rolls, np.deg2rad(reach))
    states = rest_states(tree, water, angles)

    def respond(amplitude, frequency):
        run = undulating(tree, water, states, amplitude, frequency, t1=t1, dt=dt, every=round(0.04 / dt))
        found = roll_response(run)
        return {
            "peak": found.peak,
            "deviation": found.deviation,
            "modulation": found.modulation,
            "regime": found.regime,
            "capsized": found.capsized,
        }

    grid = {"amplitude": np.asarray(amplitudes, float), "frequency": np.asarray(frequencies, float)}
    dims = {name: ("run",) for name in ("peak", "deviation", "modulation", "regime")}
    found = sweep(
        respond,
        grid,
        store=store,
        chunk=chunk,
        labels=LABELS,
        dims=dims,
        title="roll of NATRIX over amplitude and frequency",
        progress=progress,
    )
    start = {"units": "deg", "long_name": "initial roll"}
    return found.assign_coords(run=("run", np.rad2deg(np.asarray(jax.device_get(angles))), start))
