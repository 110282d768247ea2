"""Gait optimisation of the eel: its steady swim as a model, goals, and a simulation from rest as a check."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
import xarray as xr

import cosserat
import gaits
from hydro import AbstractFluid
from spatial import matrix_from_quaternion, quaternion_multiply

from ..robots import vertebra

PERIODS = 40  # number of periods from rest before the motion counts as steady
SAMPLES = 48  # per period
STEPS, STATIONS, PATH = 24, 41, cosserat.Panels()  # settings of the optimiser's steady swims
BOUNDS: dict[str, tuple[float, float]] = {"amplitude": (-3.0, 3.0), "wavelength": (0.7, 2.5), "period": (0.4, 2.5)}
GOALS = ("faster", "cheaper")
PUBLISHED_CURVATURE = 3.5  # maximum curvature of the published gait, at the tail: α(2 m) [1/m]


def coarse(beam: cosserat.Beam) -> cosserat.Beam:
    """The body with about half the load panels, for the many evaluations of an optimiser."""
    panels = tuple(max(1, round(0.53 * count)) if count > 2 else 1 for count in beam.load_panels)
    return cosserat.Beam(beam.profile, beam.density, beam.nose_radius, panels, beam.masses or ())


def steady_model(beam: cosserat.Beam, fluid: AbstractFluid) -> Callable[[Any], gaits.Cycle]:
    """Steady swim of a gait on a coarse grid: accurate to 1e-5 in speed, a few 1e-4 in torque."""
    body = coarse(beam)
    return lambda gait: cosserat.steady_swim(body, gait, fluid, path=PATH, steps=STEPS, stations=STATIONS, throw=False)


def with_workspace(
    model: Callable[[Any], gaits.Cycle], length: float, vertebrae: int
) -> Callable[[Any], dict[str, Any]]:
    """Adds the workspace margins of every vertebra to the results of a model.

    Args:
        model: function from a gait to its steady swim.
        length: length of the body [m].
        vertebrae: number of vertebrae along the body.
    """
    wrist, limits = vertebra.prototype(), vertebra.Limits()
    layout = vertebra.Layout.spanning(length, vertebrae)

    def both(gait):
        cycle = model(gait)
        margins = vertebra.gait_margins(wrist, limits, layout, gait, cycle.time)
        return vars(cycle) | {"workspace": -gaits.peak_over_period(-margins)}

    return both


workspace_margin = gaits.quantity("workspace margin of each vertebra", "1", jnp.ravel, "workspace")


def swim_from_rest(
    beam: cosserat.Beam, gait: Any, fluid: AbstractFluid, *, progress: bool = False
) -> tuple[xr.Dataset, dict[str, Any]]:
    """Forty periods from rest at full accuracy: the dataset, and the arrays of the last period for objectives."""
    period = float(gaits.wave_period(gait))
    dataset = cosserat.simulate(
        beam,
        gait,
        fluid,
        t1=PERIODS * period,
        samples=PERIODS * SAMPLES + 1,
        rtol=1e-8,
        atol=1e-10,
        progress=progress,
    )
    return dataset, last_period(dataset, beam, period)


def last_period(dataset: xr.Dataset, beam: cosserat.Beam, period: float) -> dict[str, Any]:
    """The arrays that objectives need, from the last `SAMPLES` samples of a swim with even output times."""
    last = slice(-SAMPLES - 1, -1)
    position, quaternion = dataset["head_position"].values, dataset["head_quaternion"].values
    first = -SAMPLES - 1
    to_head = np.asarray(matrix_from_quaternion(jnp.asarray(quaternion[first]))).T
    back = jnp.asarray(quaternion[first] * np.array([1.0, -1.0, -1.0, -1.0]))
    return {
        "period": jnp.asarray(period),
        "position": jnp.asarray((position[last] - position[first]) @ to_head.T),
        "displacement": jnp.asarray(to_head @ (position[-1] - position[first])),
        "turn": quaternion_multiply(back, jnp.asarray(quaternion[-1])),
        "power": jnp.asarray(dataset["actuator_power"].values[last]),
        "torque": jnp.asarray(dataset["internal_moment"].values[last]),
        "curvature": jnp.asarray(dataset["strain"].values[last, :, 3:]),
        "mass": cosserat.mass(beam),
    }


@dataclass(frozen=True)
class Goal:
    """An optimisation goal.

    Attributes:
        words: one-sentence description.
        objective: quantity to minimise.
        constraints: constraints.
    """

    words: str
    objective: gaits.Objective
    constraints: list[gaits.Constraint]


def goal(
    name: str,
    reference: dict[str, Any],
    margin: float,
    torque_limit: float | None = None,
    curvature_limit: float | None = None,
) -> Goal:
    """Builds a goal relative to a reference swim.

    Args:
        name: one of `GOALS`.
        reference: arrays of a period of the reference swim.
        margin: relative tightening of the constraints, because the optimiser's grid is coarse.
        torque_limit: maximum torque of any section [N·m]; that of the reference when None.
        curvature_limit: maximum curvature of any section [1/m]; that of the reference when None.
    """
    torque = torque_limit or float(gaits.peak_torque(reference))
    curvature = curvature_limit or float(gaits.peak_curvature(reference))
    speed = float(gaits.steady_speed(reference))
    limits = [
        gaits.section_torque.at_most((1.0 - margin) * torque),
        gaits.section_curvature.at_most((1.0 - margin) * curvature),
    ]
    bounds = f"no more than {torque:.4f} N m and {curvature:.4f} 1/m anywhere"
    if name == "faster":
        return Goal(f"faster than {speed:.4f} m/s, with {bounds}", -gaits.steady_speed, limits)
    as_fast = gaits.steady_speed.at_least((1.0 + margin) * speed)
    return Goal(f"cheaper at {speed:.4f} m/s, with {bounds}", gaits.cost_of_transport, [as_fast, *limits])


def cost_at_speed(limit: float | None = PUBLISHED_CURVATURE, weight: float = 10.0) -> gaits.Objective:
    """Cost of transport at 1 m/s, with a penalty on excess curvature; needs no constraints.

    All forces of the model are proportional to the square of the speed, so that the cost of a gait at another
    frequency is known, and no constraint on the speed is needed.

    Args:
        limit: curvature above which the penalty acts [1/m]; no penalty when None.
        weight: relative weight of the squared excess curvature.
    """
    cost = gaits.cost_of_transport / gaits.steady_speed / gaits.steady_speed
    if limit is not None:
        excess = lambda K: jnp.maximum(jnp.max(gaits.section_curvature(curvature=K)) / limit - 1.0, 0.0)  # noqa: E731
        cost = cost * gaits.quantity("penalty", "1", lambda K: 1.0 + weight * excess(K) ** 2, "curvature")
    return gaits.Objective("cost of transport at 1 m/s", "1", cost.arrays, cost.function)


def compared_problems() -> dict[str, tuple[gaits.Objective, dict[str, tuple[float, float]]]]:
    """Objectives and bounds for the comparison of optimisers: curvature limited by a penalty, or by the bounds only.

    The second has two optima; the one reached from the published gait is 4 % above the other.
    """
    wave = {name: BOUNDS[name] for name in ("amplitude", "wavelength")}
    return {"limited": (cost_at_speed(), wave), "box": (cost_at_speed(limit=None), wave | {"amplitude": (-1.5, 1.5)})}


QUANTITIES = (gaits.steady_speed, gaits.mean_power, gaits.cost_of_transport, gaits.peak_torque, gaits.peak_curvature)


def as_the_optimiser_saw(optimum: gaits.Optimum) -> dict[str, float]:
    """Values of the optimum on the optimiser's grid, by name of the quantity."""
    seen = {optimum.objective: optimum.value, optimum.objective.removeprefix("-"): abs(optimum.value)}
    return seen | {limit.name.removesuffix(" of each section"): float(limit.after.max()) for limit in optimum.limits}


def compare(before: dict[str, Any], after: dict[str, Any], seen: dict[str, float]) -> str:
    """Table of the reference and the optimum, both simulated from rest, and the values on the optimiser's grid."""
    lines = [f"{'':18}{'published':>12}{'optimum':>12}{'ratio':>9}{'optimiser saw':>16}{'differs by':>12}"]
    for quantity in QUANTITIES:
        old, new = float(quantity(before)), float(quantity(after))
        line = f"{quantity.name:18}{old:12.6g}{new:12.6g}{new / old:9.4f}"
        known = seen.get(quantity.name)
        line += f"{'':28}" if known is None else f"{known:16.6g}{known / new - 1.0:12.1e}"
        lines.append(line + ("" if quantity.unit == "1" else f"  {quantity.unit}"))
    return "\n".join(lines)
