"""Groups of rows that are measured on one core, each in a process of its own."""

import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection


def alone(name: str, core: int) -> Iterator:
    """Rows of a group, from a process of its own on one core: no row depends on what ran before it."""
    rows, end = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=_measure, args=(name, core, end))
    process.start()
    end.close()  # the process holds the other copy: `recv` raises when that one is closed
    try:
        while True:
            yield rows.recv()
    except EOFError:
        process.join()
    if process.exitcode:
        raise RuntimeError(f"the process of the group {name} ended with {process.exitcode}")


def _measure(name: str, core: int, rows: Connection) -> None:
    os.sched_setaffinity(0, {core})  # before JAX starts its threads
    with tempfile.TemporaryDirectory() as folder:  # what a row compiles is what it says it compiles
        os.environ["ANGUILLA_CACHE"] = folder
        import jax

        import anguilla  # noqa: F401  double precision, and its compiler flags

        jax.config.update("jax_compilation_cache_dir", None)
        for row in _group(name)():
            rows.send(row)


def _group(name: str) -> Callable[[], Iterator]:
    from tests.benchmarks import (
        eel,
        elastica,
        first_swim,
        growth,
        moth,
        natrix,
        profile,
        rower,
        snake,
        soft,
        soft_peers,
        soromox_rod,
        trees,
    )

    return {
        "estimate": first_swim.estimate_rows,
        "evaluation": eel.evaluation_rows,
        "swim": eel.swim_rows,
        "gradient": eel.gradient_rows,
        "own_gait": eel.own_gait_rows,
        "soft": soft.soft_rows,
        "soft_peers": soft_peers.peer_rows,
        "profile": profile.profile_rows,
        "trees": trees.tree_rows,
        "growth": growth.growth_rows,
        "elastica": elastica.elastica_rows,
        "crawling": snake.crawling_rows,
        "soromox": soromox_rod.soromox_rows,
        "moth": moth.moth_rows,
        "natrix": natrix.natrix_rows,
        "rower": rower.rower_rows,
    }[name]
