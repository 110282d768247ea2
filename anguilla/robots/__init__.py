"""Published machines, one package each: model, laws, studies, figures, film and command-line entry.

A machine is imported when it is first used: `robots.eel.model()`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import eel as eel, moth as moth, natrix as natrix, rower as rower, snake as snake, vertebra as vertebra

MACHINES = ("eel", "moth", "natrix", "rower", "snake", "vertebra")


def __getattr__(name: str) -> Any:
    if name not in MACHINES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *MACHINES})
