"""Releases unused compiled programs before the process runs out of memory maps.

Linux allows a process 65530 maps by default (`vm.max_map_count`), and the compiler aborts when there are no more. Each
program that XLA compiles for a CPU takes some dozens.
"""

import gc
import warnings
from pathlib import Path

import jax

COUNTED_EVERY = 16  # compilations
RELEASED_AT, ANNOUNCED_AT = 0.5, 0.85  # of the limit
COMPILED = "/jax/core/compile/backend_compile_duration"


class MemoryMaps:
    """Counts the memory maps of this process after every few compilations.

    Attributes:
        crowded: whether programs should be released.
    """

    def __init__(self, limit: int | None = None, every: int = COUNTED_EVERY):
        """Starts counting.

        Args:
            limit: maximum number of maps of a process; that of the system when None.
            every: number of compilations between two counts.
        """
        self.crowded = False
        self._compiled = 0
        self._every = every
        self._limit = _limit() if limit is None else limit
        if self._limit:
            jax.monitoring.register_event_duration_secs_listener(self._on_event)

    def release(self) -> None:
        """Drops all compiled programs without references; those used again are recompiled."""
        self.crowded = False
        jax.clear_caches()
        gc.collect()

    def _on_event(self, event: str, duration_secs: float, **about: str | int) -> None:
        del duration_secs, about
        if event != COMPILED:
            return
        self._compiled += 1
        if self._compiled % self._every:
            return
        used = count() / self._limit
        self.crowded = used > RELEASED_AT
        if used > ANNOUNCED_AT:
            warnings.warn(
                f"this process has used {used:.0%} of its {self._limit} memory maps, most of them for compiled "
                "programs, and the compiler aborts when there are no more. Call jax.clear_caches() to release those "
                "that are not used any more, or raise the limit (sysctl vm.max_map_count).",
                RuntimeWarning,  # Python does not show a ResourceWarning unless asked to
                stacklevel=2,
            )


def count() -> int:
    """Memory maps of this process."""
    with open("/proc/self/maps", "rb") as maps:
        return maps.read().count(b"\n")


def _limit() -> int:
    try:
        return int(Path("/proc/sys/vm/max_map_count").read_text())
    except (OSError, ValueError):
        return 0  # not Linux: no such limit
