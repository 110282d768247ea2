"""Refusal of computations in a process forked after JAX had started: without JAX's threads, they would hang."""

import os
import sys

_forked_after_start = False


def refuse_forked() -> None:
    """Raises in a child process that was forked from one in which JAX had started."""
    if _forked_after_start:
        raise RuntimeError(
            "this process was forked after JAX had started. JAX's threads do not exist in it, and a computation would "
            "hang. Start processes by multiprocessing.get_context('spawn'), for instance "
            "ProcessPoolExecutor(mp_context=multiprocessing.get_context('spawn'))."
        )


def _remember_fork() -> None:
    global _forked_after_start
    bridge = sys.modules.get("jax._src.xla_bridge")
    started = getattr(bridge, "backends_are_initialized", lambda: True)  # if unknown, assume that JAX has started
    _forked_after_start = _forked_after_start or (bridge is not None and started())


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_remember_fork)
