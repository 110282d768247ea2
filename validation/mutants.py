"""`python -m validation.mutants`: reintroduces the papers' misprints one at a time and shows that a check fails.

Each mutant is a substitution in a temporary copy of the packages; the checks named with it then run in a separate
process. A surviving mutant is a gap in the checks. The unmodified copy is run first, and must pass all of them.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from .running import processors
from .wrong_terms import MUTANTS as OF_THE_PAPERS, Mutant
from .wrong_terms_added import MUTANTS as ADDED

MUTANTS = OF_THE_PAPERS + ADDED
PACKAGES = ("spatial", "stepping", "hydro", "gaits", "cosserat", "multibody", "validation", "anguilla")
CACHE = "JAX_COMPILATION_CACHE_DIR"


class Verdict(NamedTuple):
    """Result of the checks on a mutant.

    Attributes:
        killers: the checks that failed with a wrong number.
        words: text for the table.
        seconds: duration [s].
        trouble: output of checks that could not be run; empty otherwise.
    """

    killers: tuple[str, ...]
    words: str
    seconds: float
    trouble: str


def sources() -> Path:
    """The directory that holds the packages."""
    found = importlib.util.find_spec("validation")
    if found is None or found.origin is None:
        raise RuntimeError("the packages are not importable from files")
    return Path(found.origin).parent.parent


def mutate(mutant: Mutant, root: Path) -> None:
    """Applies a substitution to a copy of the packages.

    Raises:
        ValueError: the text does not occur exactly once.
    """
    path = root / mutant.file
    text = path.read_text(encoding="utf-8")
    count = text.count(mutant.old)
    if count != 1:
        raise ValueError(f"mutant {mutant.name!r}: {mutant.old!r} occurs {count} times in {mutant.file}: must be once")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def trial(origin: Path, checks: Sequence[str], cache: str, mutant: Mutant | None = None) -> Verdict:
    """Runs checks in a copy of the packages.

    A check that ends in an error does not count as a killer, because the mutant may simply not run.

    Args:
        origin: directory of the packages.
        checks: names of the checks.
        cache: directory of compiled programs; those that the mutant does not affect are reused.
        mutant: the substitution; None for none.
    """
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        root = copied(origin, Path(place))
        if mutant is not None:
            mutate(mutant, root)
        words = [word for name in checks for word in ("--check", name)]
        environment = {
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.3",
            **os.environ,
            "PYTHONPATH": str(root),
            "PYTHONDONTWRITEBYTECODE": "1",
            CACHE: cache,
        }
        done = subprocess.run(
            [sys.executable, "-m", "validation", "--jobs", "1", *words],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
        )
    seconds, said = time.perf_counter() - begin, done.stdout + done.stderr
    if done.returncode not in (0, 1) or "Traceback" in said:
        return Verdict((), "NO VERDICT: a check could not be made", seconds, said)
    found = tuple(name for name in checks if f"/{name}: " in done.stdout)
    return Verdict(found, "killed by " + ", ".join(found) if found else "SURVIVED", seconds, "")


def copied(origin: Path, root: Path) -> Path:
    """A copy of the packages in an empty directory."""
    for package in PACKAGES:
        shutil.copytree(origin / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the mutants; returns 1 if one survives."""
    parser = argparse.ArgumentParser(prog="python -m validation.mutants", description=__doc__)
    names = [mutant.name for mutant in MUTANTS]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--jobs", type=int, default=processors(), metavar="N", help="mutants at a time")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in MUTANTS if options.only is None or mutant.name in options.only]
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(max(1, options.jobs)) as pool:
        # All mutants start from one snapshot, because the sources may be edited meanwhile.
        origin = Path(place) / "snapshot"
        origin.mkdir()
        copied(sources(), origin)
        cache = os.environ.get(CACHE) or str(Path(place) / "cache")
        needed = list(dict.fromkeys(name for mutant in chosen for name in mutant.checks))
        clean = trial(origin, needed, cache)
        if clean.killers or clean.trouble:
            print(f"untouched: {clean.words}\n{clean.trouble}")
            return 1
        print(f"{'untouched':36} {f'{len(needed)} checks':56} all pass  {clean.seconds:.0f} s", flush=True)
        survivors = 0
        verdicts = pool.map(lambda mutant: trial(origin, mutant.checks, cache, mutant), chosen)
        for mutant, verdict in zip(chosen, verdicts, strict=True):
            survivors += not verdict.killers
            words = f"{verdict.words}  {verdict.seconds:.0f} s"
            print(f"{mutant.name:36} {mutant.where:56} {words}", flush=True)
            if verdict.trouble:
                print(verdict.trouble, flush=True)
    passed = len(chosen) - survivors
    print(f"{passed} of {len(chosen)} mutants killed in {time.perf_counter() - begin:.0f} s, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
