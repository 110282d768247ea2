"""Selects XLA's older emitter of fused loops, which compiles twice as fast at the same run-time speed.

Enabled when `anguilla` is imported, before JAX starts its backend, unless `XLA_FLAGS` already names the option
(`XLA_FLAGS=--xla_cpu_use_fusion_emitters=true` keeps XLA's default).
"""

import os

from jaxlib.version import __version_info__ as JAXLIB

VARIABLE, OPTION = "XLA_FLAGS", "xla_cpu_use_fusion_emitters"
# XLA terminates the process on an unknown option. These versions of jaxlib have it: from the first that this package
# supports up to the last that was tested.
FIRST, BEYOND = (0, 6), (0, 11)


def switch_on() -> None:
    """Adds the option to the environment if this jaxlib supports it."""
    flags = os.environ.get(VARIABLE, "")
    if OPTION not in flags and FIRST <= JAXLIB < BEYOND:
        os.environ[VARIABLE] = f"{flags} --{OPTION}=false".strip()
