"""Double precision, no silent broadcasting, one place for compiled programs between runs."""

import os
from pathlib import Path

import jax
import pytest

os.environ["ANGUILLA_CACHE"] = "off"  # no test rests on programs of an earlier run but those that JAX knows by content

import anguilla  # noqa: E402, F401  its compiler flags

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_compilation_cache_dir", str(Path(__file__).parents[1] / ".pytest_cache" / "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)

LONGEST = ("test_howto_pages.py", "test_validation.py", "test_moth.py", "test_orbits.py", "test_multibody_pinocchio.py")


def pytest_collection_modifyitems(items):
    """Long files first: a file stays with one worker, and the last one should not run alone."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture(scope="module", autouse=True)
def _forget_programs():
    """Programs of one file serve no other: kept, they would use up the pieces of memory a process may map."""
    yield
    jax.clear_caches()
