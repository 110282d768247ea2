"""Deprecated names: a name that has moved still works at its old place for one release, with a warning."""

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def moved(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Returns a module-level `__getattr__` that resolves moved names and emits a DeprecationWarning.

    Args:
        package: name of the old module.
        homes: new location of each name, "module:name", or "module" if the name was a module.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, new = homes[name].partition(":")
        place = f"{module}.{new}" if new else module
        warnings.warn(f"{package}.{name} has moved to {place}; removed in 0.3", DeprecationWarning, stacklevel=2)
        found = importlib.import_module(module)
        return getattr(found, new) if new else found

    return find
