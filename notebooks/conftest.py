"""How `make notebooks` compiles: most notebooks compile for longer than they compute."""

import os

LEVEL = "--xla_backend_optimization_level"
USER_FLAGS = os.environ.get("XLA_FLAGS", "")
# These compute for longer: notebook 08 takes 46 s, or some 200 s without optimisation. The others take less without it:
# notebook 12 takes 76 s instead of 261 s.
LONG_COMPUTATIONS = {
    "08_natrix_on_the_surface.ipynb",
    "10_sweeps_on_many_devices.ipynb",
    "11_the_passive_tail.ipynb",
    "18_learning.ipynb",
}


def pytest_runtest_setup(item):
    """Sets the option of XLA that the notebook's kernel inherits, unless the user has set it."""
    if LEVEL not in USER_FLAGS:
        fast_compilation = "" if item.path.name in LONG_COMPUTATIONS else f"{LEVEL}=0"
        os.environ["XLA_FLAGS"] = f"{USER_FLAGS} {fast_compilation}".strip()
