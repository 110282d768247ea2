"""`anguilla bench`: speed measurements on this machine. The benchmarks are part of the source tree."""

import argparse
import subprocess
import sys
from pathlib import Path

import anguilla

from . import VERBS
from .arguments import directory

DESCRIPTION = """\
Measures the engines against a C kernel, pinocchio, mujoco, PyElastica, SoRoMoX and their own plain variants,
interleaved in one run, and marks missed targets. Takes about ten minutes on an otherwise idle machine.
"""
EPILOG = """\
examples:
  anguilla bench                                    all of it; out/bench/bench.json and bench.png
  anguilla bench --only evaluation trees            some groups

The benchmarks and their peers are not part of the installed packages: this needs a clone, set up by `make bench`.

exit codes: 0 done (missed targets are marked), 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "bench",
        help=VERBS["bench"],
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="GROUP", help="groups to run; default: all")
    parser.add_argument("--out", type=directory, default=Path("out/bench"), metavar="DIR", help="output directory")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Runs the benchmarks of the source tree."""
    root = Path(anguilla.__file__).resolve().parent.parent
    if not (root / "tests" / "benchmarks" / "__main__.py").is_file():
        raise RuntimeError("the benchmarks are not installed with the packages: clone the sources and use `make bench`")
    words = ["--out", str(Path(arguments.out).resolve()), *(["--only", *arguments.only] if arguments.only else [])]
    return subprocess.run([sys.executable, "-m", "tests.benchmarks", *words], cwd=root).returncode
