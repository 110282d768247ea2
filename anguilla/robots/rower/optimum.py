"""Gradient-based search for a faster stroke at the same mean power."""

import jax.numpy as jnp
import numpy as np

from gaits import Optimum, optimise, quantity
from multibody.machine_on_hull import Afloat

from .laws import CURVES, RANGE, Stroke
from .orbit import RowingCycle, steady_stroke

SLACK = 1.5  # by how much the curves may exceed `RANGE` [deg]
REACH = 20.0  # allowed change of a value at a knot [deg]

mean_speed = quantity("mean speed", "m/s", lambda speed: speed, "speed")
mean_power = quantity("mean power", "W", lambda power: power, "power")
oar_torque = quantity("torque of an oar", "N m", lambda torque: torque[::4], "oar_torque")
curves = quantity("knee, trunk and oar", "rad", lambda angles: angles[::2].ravel(), "curves")


def better_stroke(
    boat: Afloat,
    stroke: Stroke,
    first: RowingCycle,
    *,
    chosen: tuple[str, ...] = CURVES,
    max_iterations: int = 15,
    steps: int = 100,
    progress: bool = True,
) -> Optimum:
    """Maximises the mean speed over the knot values of a stroke.

    Mean power and peak oar torque must not exceed those of the initial stroke. Knee, trunk and oars stay within
    `RANGE`, with a tolerance of `SLACK`.

    Args:
        boat: result of `scull`.
        stroke: initial stroke.
        first: steady stroke of the initial stroke, which defines the limits of power and torque.
        chosen: curves that may change; stroke rate and drive ratio stay constant.
        max_iterations: maximum number of iterations of sequential quadratic programming.
        steps: time steps per stroke.
        progress: show a progress bar.

    Returns:
        The optimum; its `gait` is the stroke.
    """
    reach = np.deg2rad(REACH)
    bounds = {
        name: (np.asarray(getattr(stroke, name)) - reach, np.asarray(getattr(stroke, name)) + reach) for name in chosen
    }
    samples = len(range(0, steps + 1, 2))
    low, high = (np.tile(np.deg2rad([RANGE[name][end] for name in CURVES]), samples) for end in (0, 1))
    slack = np.deg2rad(SLACK)
    return optimise(
        -mean_speed,
        stroke,
        bounds,
        model=lambda made: steady_stroke(boat, made, steps=steps, speed=first.speed),
        constraints=[
            mean_power.at_most(float(first.power)),
            oar_torque.at_most(float(jnp.max(first.oar_torque))),
            curves.at_most(high + slack),
            curves.at_least(low - slack),
        ],
        max_iterations=max_iterations,
        tolerance=1e-5,
        feasibility=1e-3,
        infeasible_start="accept",
        progress=progress,
    )
