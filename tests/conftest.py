"""Double precision, no silent broadcasting, one place for compiled programs between runs."""

import os
from pathlib import Path

import jax
import pytest

os.environ["ANGUILLA_CACHE"] = "off"  # no test rests on programs of an earlier run but those that JAX knows by content
# Compiling dominates the time of the tests; without optimisation it takes half the processor time. Rounding differs,
# which no result may depend on. Processes started by tests inherit the option.
LEVEL = "--xla_backend_optimization_level"
if LEVEL not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {LEVEL}=0".strip()

import anguilla  # noqa: E402, F401  its compiler flags

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_compilation_cache_dir", str(Path(__file__).parents[1] / ".pytest_cache" / "jax"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)  # small programs too: there are thousands
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)

LONGEST = ("test_howto_pages.py", "test_validation.py", "test_moth.py", "test_orbits.py", "test_multibody_pinocchio.py")


def pytest_collection_modifyitems(items):
    """Long files first: a file stays with one worker, and the last one should not run alone."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture(scope="module", autouse=True)
def _few_memory_maps():
    """Forgets compiled programs when they take up a third of the memory maps that Linux grants a process (65 530)."""
    yield
    maps = Path("/proc/self/maps")
    if not maps.exists() or maps.read_bytes().count(b"\n") > 20_000:
        jax.clear_caches()
