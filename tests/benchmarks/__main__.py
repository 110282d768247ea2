"""`make bench`: every target of speed, measured here and now; ratios taken in one run. Never part of the tests."""

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

GROUPS = (
    "first_swim",
    "sweep",
    "estimate",
    "evaluation",
    "swim",
    "gradient",
    "own_gait",
    "soft",
    "soft_peers",
    "profile",
    "trees",
    "growth",
    "elastica",
    "crawling",
    "soromox",
    "moth",
    "natrix",
    "rower",
    "learning",
)


def main() -> int:
    """Prints the table; writes it, and a figure, to the folder; 1 if a group raised, not if a target is missed."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", choices=GROUPS, nargs="+", default=GROUPS, help="groups to run")
    parser.add_argument("--out", type=Path, default=Path("out/bench"), help="folder of bench.json and bench.png")
    options = parser.parse_args()

    cores = sorted(os.sched_getaffinity(0))
    from tests.benchmarks import first_swim, swims, table

    rows, curves, failed = [], [], []
    print(table.machine())

    def show(name: str, found: Callable[[], Iterator]) -> None:
        try:
            for row in found():
                if isinstance(row, tuple) and not isinstance(row, table.Row):
                    row, curve = row
                    curves.append(curve)
                rows.append(row)
                print(row.words, flush=True)
        except Exception:  # the other groups are still worth their time; the exit code tells
            failed.append(name)
            traceback.print_exc()

    everywhere: dict[str, Callable[[], Iterator]] = {
        "first_swim": first_swim.first_swim_rows,
        "sweep": swims.sweep_rows,
        "learning": learning_rows,
    }
    for name in options.only:
        if name in everywhere:
            show(name, everywhere[name])
    # The rest is one process on one core, from before its threads are born.
    os.sched_setaffinity(0, {cores[-1]})
    import jax

    import anguilla  # noqa: F401  double precision, and its compiler flags

    jax.config.update("jax_compilation_cache_dir", None)  # what a row compiles is what it says it compiles
    for name in options.only:
        if name not in everywhere:
            show(name, _group(name))

    options.out.mkdir(parents=True, exist_ok=True)
    table.write_json(rows, options.out / "bench.json")
    if curves:
        from tests.benchmarks.figure import growth_figure

        growth_figure(curves).savefig(options.out / "bench.png", dpi=150)
    missed = [row for row in rows if not row.met]
    print(
        f"{len(rows) - len(missed)} of {len(rows)} within their targets; ✗ marks the others. {options.out}/bench.json"
    )
    if failed:
        print(f"Stopped by an error: {', '.join(failed)}.")
    return 1 if failed else 0


def learning_rows() -> Iterator:
    """Each in a process of its own."""
    from tests.benchmarks import learning

    yield from learning.learning_rows()


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


if __name__ == "__main__":
    sys.exit(main())
