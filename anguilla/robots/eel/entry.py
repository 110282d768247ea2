"""Command-line entry of the eel robot of [KR13, VI]: 13 bodies, 36 revolute joints, thirty seconds of swimming."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

import multibody
from anguilla import view

from ..power_budget import with_power_budget
from ..robot import Robot, Settings
from ..summary_lines import motion_lines, power_lines, torque_lines
from .tree import EEL_TORQUE_LIMITS, eel_law, eel_robot_profile, model

PERIOD = 2.0  # period of the law (43) [s]
START = 2.0  # duration of the smooth start of the law [s]
FAMILIES = {"yaw": "joints 3j-2", "pitch": "joints 3j-1", "roll": "joints 3j"}


def run(settings: Settings) -> xr.Dataset:
    """Simulates the paper's law from rest and adds actuator limits and the power budget to the record."""
    tree, fluid = model(), settings.medium()
    dataset = multibody.simulate(
        tree,
        eel_law(period=PERIOD, t_f=START),
        fluid,
        settings.t1,
        samples=settings.samples,
        rtol=settings.rtol,
        atol=settings.atol,
        progress=settings.progress,
    )
    dataset = with_power_budget(dataset, tree, fluid)
    labels = {"units": "N m", "long_name": "maximum torque of the actuators, as published"}
    dataset = dataset.assign(torque_limit=("freedom", EEL_TORQUE_LIMITS, labels))
    dataset.attrs |= {"robot": "eel", "period": PERIOD, "start": START}
    return dataset


def body(dataset: xr.Dataset) -> xr.Dataset:
    """Sections of the robot: half spheroid, elliptic cylinders, half ellipsoid, each on its rigid link."""
    return view.chain_body(dataset, model(), eel_robot_profile())


def figures(dataset: xr.Dataset) -> dict[str, Callable[[], Figure]]:
    """Trajectory, configurations, velocity, torques, maps over joints and time, power."""
    families = {f"{name} ({which})": _freedoms(dataset, name) for name, which in FAMILIES.items()}
    yaw = _freedoms(dataset, "yaw")
    sections = body(dataset)
    return {
        "trajectory": lambda: view.head_path(sections, dataset),
        "configurations": lambda: view.configurations(sections),
        "head_velocity": lambda: view.forward_velocity(dataset, PERIOD),
        "torques": lambda: view.joint_torques(dataset, families),
        "joints": lambda: view.joint_maps(dataset, yaw, "yaw joint"),
        "power": lambda: view.power_budget(dataset),
    }


def lines(dataset: xr.Dataset) -> list[str]:
    """Speed, distance, torques against their limits, power and momentum."""
    families = {name: _freedoms(dataset, name) for name in FAMILIES}
    return [
        *motion_lines(dataset, PERIOD),
        *torque_lines(dataset, families, START),
        *power_lines(dataset, PERIOD),
    ]


def _freedoms(dataset: xr.Dataset, family: str) -> list[str]:
    """Names of the joints of one family, from head to tail."""
    return [name for name in np.asarray(dataset["freedom"].values, str).tolist() if name.startswith(family)]


EEL = Robot(
    help="13 bodies, 36 revolute joints, 2.08 m: swims forward (Khalil and others, 2013, section VI)",
    duration=30.0,
    period=PERIOD,
    rate=20.0,
    processor=35.0,
    run=run,
    figures=figures,
    body=body,
    lines=lines,
)
