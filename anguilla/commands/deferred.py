"""Modules that are imported on first use, so that help and errors in the arguments are shown without delay.

The choices of options that the engines define are repeated here; a test compares them with the originals.
"""

import importlib
from typing import Any

GAITS = ("planar", "turn", "dive", "spiral")  # gaits.PUBLISHED
FORMS = ("paper", "kirchhoff")  # hydro.FORMS
FLUIDS = ("morison", "void")  # robots.robot.FLUIDS
TERRAINS = ("floor", "beach")  # robots.robot.TERRAINS
GOALS = ("faster", "cheaper")  # studies.gait_search.GOALS
READINGS = ("TB8", "TB8m", "BT9", "BT9c")  # robots.moth.READINGS
AXES, SECTION, TWIST = ("x", "y", "z"), ("t1", "t2", "t3"), ("V1", "V2", "V3", "W1", "W2", "W3")
WRENCH, STRAINS = ("f1", "f2", "f3", "c1", "c2", "c3"), ("G1", "G2", "G3", "K1", "K2", "K3")
COLOURS = {  # fields along the beam in the record of cosserat.simulate, with their components
    "internal_moment": SECTION,
    "internal_force": AXES,
    "strain": STRAINS,
    "section_twist": TWIST,
    "position": AXES,
    "orientation": ("w", "x", "y", "z"),
}
WATER_COLOURS = {"fluid_drag": WRENCH, "fluid_added_mass": WRENCH}  # with hydro.Morison
SOFT_COLOURS: dict[str, tuple[str, ...]] = {"elastic_density": ()}  # of a cosserat.Soft
ROBOTS = {  # the help texts of robots.registry.ROBOTS
    "eel": "13 bodies, 36 revolute joints, 2.08 m: swims forward (Khalil and others, 2013, section VI)",
    "moth": "a thorax and two soft wings of passive joints: hovers at 25 Hz (Porez and others, 2013)",
    "natrix": "14 bodies, rolling shells, 1.24 m: undulates on the water (Xie and others, 2023)",
    "rower": "a single scull with its rower, one closed loop, 99.75 kg: rows at 27 a minute (Khalil and Rongere, 2013)",
    "snake": "10 links on passive wheels, 1.4 m: lateral undulation on dry friction (after Liljebäck and others, 2013)",
}


class Deferred:
    """Proxy of a module that imports it on the first attribute access."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


def deferred(*names: str) -> tuple[Any, ...]:
    """One proxy for each module name."""
    return tuple(Deferred(name) for name in names)
