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
    from tests.benchmarks import first_swim, learning, swims, table
    from tests.benchmarks.groups import alone

    rows, curves, failed = [], [], []
    print(table.machine())

    def show(name: str, found: Iterator) -> None:
        try:
            for row in found:
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
        "learning": learning.learning_rows,
    }
    for name in sorted(options.only, key=lambda name: name not in everywhere):
        show(name, everywhere[name]() if name in everywhere else alone(name, cores[-1]))

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


if __name__ == "__main__":
    sys.exit(main())
