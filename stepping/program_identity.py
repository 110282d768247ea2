"""Identity of stored results: the program that computed them, and the versions of its dependencies."""

import hashlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("anguilla", "jax", "jaxlib", "numpy", "equinox", "diffrax")


def versions() -> dict[str, str]:
    """Versions of the installed packages that affect results most."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a checkout that was never installed
            found[name] = "not installed"
    return found


def program_digest(traced: Any) -> str:
    """Fingerprint of a traced function: its operations and every constant in it, to the last bit.

    It is the same in every session and on every platform, and changes whenever the computation changes, because the
    text of the lowered program contains all closed-over numbers. Python code called back at run time is not included.

    Args:
        traced: result of `jax.jit(function).trace(...)`.
    """
    return hashlib.sha256(traced.lower(lowering_platforms=("cpu",)).as_text().encode()).hexdigest()
