"""Command-line entry of the wheeled snake: lateral undulation on dry friction, compared with ideal wheels."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.special import j0

import hydro
import multibody
from anguilla import view

from ..power_budget import with_power_budget
from ..robot import Robot, Settings
from ..summary_lines import mean_speed, motion_lines, power_lines
from . import beach, figures as drawn
from .beach_pictures import shore
from .film import snake_film
from .study import speed_map
from .tree import AMPLITUDE, LAG, LINK, PERIOD, model, profile, terrain, undulation


def run(settings: Settings) -> xr.Dataset:
    """Simulates the undulation from a straight body at rest; on a floor, also computes the speed map of the beam."""
    if settings.terrain == "beach":
        return _labelled(beach.run(settings))
    tree, around = model(), _surroundings(settings)
    dataset = multibody.simulate(
        tree,
        undulation(),
        around,
        settings.t1,
        samples=settings.samples,
        rtol=settings.rtol,
        atol=settings.atol,
        progress=settings.progress,
    )
    dataset = with_power_budget(dataset, tree, around)
    if settings.fluid is None:
        dataset = dataset.assign(speed_map())
    return _labelled(dataset)


def _labelled(dataset: xr.Dataset) -> xr.Dataset:
    dataset.attrs |= {"robot": "snake", "period": PERIOD, "amplitude": AMPLITUDE, "lag": LAG}
    return dataset


def _surroundings(settings: Settings) -> hydro.AbstractFluid:
    """The ground; with the option --fluid, water around the same machine, or no surroundings."""
    return terrain() if settings.fluid is None else settings.medium()


def body(dataset: xr.Dataset) -> xr.Dataset:
    """Sections of the links along one body, with the attributes of the terrain."""
    found = view.chain_body(dataset, model(), profile())
    found.attrs |= {name: dataset.attrs[name] for name in ("terrain", "level") if name in dataset.attrs}
    return found


def _amphibious(dataset: xr.Dataset) -> bool:
    return dataset.attrs.get("terrain") == "beach"


def figures(dataset: xr.Dataset) -> dict[str, Callable[[], Figure]]:
    """Tracks on the ground, velocity, torques, power, and the speed map; on the beach, a side view."""
    names = [str(name) for name in dataset["freedom"].values]
    found = {
        "tracks": lambda: drawn.tracks(body(dataset), PERIOD),
        "head_velocity": lambda: view.forward_velocity(dataset, PERIOD),
        "joints": lambda: view.joint_maps(dataset, names, "joint"),
    }
    if _amphibious(dataset):
        return found | {"shore": lambda: shore(body(dataset), PERIOD)}
    found |= {"power": lambda: drawn.friction_power(dataset)}
    return found | ({"speeds": lambda: drawn.speeds(dataset)} if "speed" in dataset else {})


def lines(dataset: xr.Dataset) -> list[str]:
    """Speed compared with ideal wheels, distance, torques, power; on the beach, when the snake is afloat."""
    if _amphibious(dataset):
        return [*motion_lines(dataset, PERIOD), *_shore_lines(dataset)]
    ideal = 2 * np.pi * LINK / LAG * j0(AMPLITUDE / LAG) / PERIOD
    share = mean_speed(dataset, PERIOD)[0] / ideal
    peak = float(np.abs(dataset["torque"].values).max())
    return [
        *motion_lines(dataset, PERIOD),
        f"ideal wheels    {ideal:.4f} m/s for the same wave on a continuous body, λ J0(α)/T: reached {share:.2f} of it",
        f"peak torque     {peak:.2f} N m",
        *power_lines(dataset, PERIOD),
    ]


def _shore_lines(dataset: xr.Dataset) -> list[str]:
    """Times at which the body enters the water and at which it leaves the sand."""
    sections, time = body(dataset), dataset["time"].values
    wet, gap = beach.wet_length(sections), beach.clearance(sections)
    afloat = np.flatnonzero(gap > 0.0)
    enters = f"{time[np.argmax(wet > 0.0)]:.1f} s" if wet.max() > 0.0 else "not in this run"
    leaves = f"{time[afloat[0]]:.1f} s" if afloat.size else "not in this run"
    return [f"in the water    from {enters} on", f"off the sand    from {leaves} on"]


SNAKE = Robot(
    help="10 links on passive wheels, 1.4 m: lateral undulation on dry friction (after Liljebäck and others, 2013)",
    duration=16.0,
    period=PERIOD,
    rate=20.0,
    processor=40.0,
    run=run,
    figures=figures,
    body=body,
    lines=lines,
    film=snake_film,
)
