"""Deprecated location of the eel's vertebra, now `anguilla.robots.vertebra`; removed in 0.3."""

import importlib
from typing import Any

from spatial.moved_names import moved

HOME = "anguilla.robots.vertebra"


def __getattr__(name: str) -> Any:
    if name.startswith("__") or not hasattr(importlib.import_module(HOME), name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return moved(__name__, {name: f"{HOME}:{name}"})(name)
