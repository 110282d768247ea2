"""Published machines, one package each: model, laws, studies, figures, film and command-line entry.

A package is imported on first use, as in `robots.eel.model()`. `robots.ROBOTS["rower"].run(robots.Settings(...))` runs
the same simulation as the command `anguilla robot rower`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import eel as eel, moth as moth, natrix as natrix, rower as rower, snake as snake, vertebra as vertebra
    from .registry import ROBOTS as ROBOTS
    from .robot import Robot as Robot, Settings as Settings

MACHINES = ("eel", "moth", "natrix", "rower", "snake", "vertebra")
_HOME = {"ROBOTS": ".registry", "Robot": ".robot", "Settings": ".robot"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name], __name__), name)
    if name not in MACHINES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*MACHINES, *_HOME})
