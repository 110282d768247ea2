"""What a stored number depends on: the program that computed it, and the versions of what ran it."""

import hashlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("anguilla", "jax", "jaxlib", "numpy", "equinox", "diffrax")


def versions() -> dict[str, str]:
    """Versions of the installed packages that numbers depend on most."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a checkout that was never installed
            found[name] = "not installed"
    return found


def program_digest(traced: Any) -> str:
    """Fingerprint of a traced function: its operations and every constant in it, to the last bit.

    It is the same in every session and on every platform, and differs when anything that is computed differs: the
    text of the lowered program holds all closed-over numbers. Python code that the program calls back while it runs is
    not part of it.

    Args:
        traced: what `jax.jit(function).trace(...)` returned.
    """
    return hashlib.sha256(traced.lower(lowering_platforms=("cpu",)).as_text().encode()).hexdigest()
