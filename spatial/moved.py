"""Names that have moved to another module keep their old place for one release, with a warning."""

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def moved(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` that finds names which have moved.

    Args:
        package: name of the old module.
        homes: new place of each name, "module:name", or "module" where the name was a module.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, new = homes[name].partition(":")
        place = f"{module}.{new}" if new else module
        warnings.warn(
            f"{package}.{name} has moved to {place}; the old name goes with 0.3", DeprecationWarning, stacklevel=2
        )
        found = importlib.import_module(module)
        return getattr(found, new) if new else found

    return find
