"""The published machines at the front door: how each is run, drawn and summed up, one entry each."""

from .eel import EEL
from .entry import Robot as Robot, Settings as Settings
from .moth import MOTH
from .natrix import NATRIX
from .rower import ROWER

ROBOTS: dict[str, Robot] = {"eel": EEL, "moth": MOTH, "natrix": NATRIX, "rower": ROWER}
