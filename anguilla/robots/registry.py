"""Registry of the machines of `anguilla robot NAME`."""

from .eel.entry import EEL
from .moth.entry import MOTH
from .natrix.entry import NATRIX
from .robot import Robot
from .rower.entry import ROWER

ROBOTS: dict[str, Robot] = {"eel": EEL, "moth": MOTH, "natrix": NATRIX, "rower": ROWER}
