"""Postpones the settings of JAX until it is imported, so that `anguilla --help` answers without it."""

import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any


def when_jax_loads(configure: Callable[[], Any]) -> None:
    """Calls a function right after JAX is imported, or immediately if it has been imported already.

    Args:
        configure: the function to call.
    """
    if "jax" in sys.modules:
        configure()
    else:
        sys.meta_path.insert(0, _Finder(configure))


class _Finder:
    """Meta path finder for the package `jax` only, which runs a function after the import."""

    def __init__(self, configure: Callable[[], Any]):
        self._configure = configure

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Called by Python's import."""
        if name != "jax":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_configure(module: ModuleType) -> None:
                sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
                execute(module)
                self._configure()

            spec.loader.exec_module = execute_and_configure  # pyright: ignore[reportAttributeAccessIssue]
        return spec
