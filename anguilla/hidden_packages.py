"""Detects user modules that hide packages installed with `anguilla`, such as a `gaits.py` next to a script."""

import importlib.util
import sys
import warnings
from pathlib import Path

NEEDED = ("spatial", "stepping", "hydro", "gaits", "cosserat", "multibody")
OTHER = ("validation",)  # needed by a few commands only


def check_packages() -> None:
    """Reports a file that Python would import instead of a package of this project.

    Raises:
        ImportError: a required package is hidden; for optional packages a warning is issued instead.
    """
    root = Path(__file__).resolve().parent.parent
    for name in (*NEEDED, *OTHER):
        found = _origin(name)
        if found is None or found.resolve().is_relative_to(root):
            continue
        here = found.parent if found.name == "__init__.py" else found
        message = (
            f"{here} hides the package `{name}` that belongs to anguilla ({root / name}), since its folder comes first "
            "on sys.path: rename it, or run from another folder."
        )
        if name in NEEDED:
            raise ImportError(message)
        warnings.warn(message, stacklevel=3)


def _origin(name: str) -> Path | None:
    """The file that `import name` executes, or has executed."""
    loaded = sys.modules.get(name)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
    else:
        spec = importlib.util.find_spec(name)
        file = None if spec is None else spec.origin
    return None if file is None else Path(file)
