"""Registry of the machines of `anguilla robot NAME`."""

from .eel.entry import EEL
from .moth.entry import MOTH
from .natrix.entry import NATRIX
from .robot import Robot
from .rower.entry import ROWER
from .snake.entry import SNAKE

ROBOTS: dict[str, Robot] = {"eel": EEL, "moth": MOTH, "natrix": NATRIX, "rower": ROWER, "snake": SNAKE}
