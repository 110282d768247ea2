"""Validation: measured numbers against references; conservation, agreement, closed forms, claims of the papers."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .catalogue import all_checks as all_checks
    from .groups import GROUPS as GROUPS
    from .report import Check as Check, check as check
    from .running import run as run

# Where each name is defined. The checks, and with them the engines, are imported with the first name that needs them.
_HOME = {"GROUPS": "groups", "all_checks": "catalogue", "Check": "report", "check": "report", "run": "running"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(_HOME)
