"""`anguilla vertebra`: actuation of a chain of vertebrae in a recorded swim."""

from __future__ import annotations  # names of modules that are not imported yet

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import VERBS
from .arguments import at_least, directory
from .recipe import with_recipe, write_recipe

if TYPE_CHECKING:
    import xarray as xr

DESCRIPTION = """\
Converts a recorded swim of the beam to angles, rates and torques of the three motors of every parallel vertebra
(Chablat, 2008), with the limits of the mechanism, its workspace and figures.
"""

EPILOG = """\
examples:
  anguilla swim --gait planar --t1 10 --out out
  anguilla vertebra out/planar.nc --out out/vertebra
      with as many vertebrae of 0.1 m as fit the body
  anguilla vertebra out/planar.nc --out out/vertebra --vertebrae 40
      shorter vertebrae: smaller angles

files in DIR:
  vertebra_*.png    motors, feasibility, mechanism, workspace, joint space, conditioning, branches
  vertebra.nc       motor angles, rates, torques, power and margins over time and vertebra
  vertebra.json     peaks, feasibility, ranges
  vertebra.recipe   the options; `anguilla @DIR/vertebra.recipe --out AGAIN` repeats the run

exit codes: 0 done (also when the swim is not feasible: the summary says so), 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "vertebra",
        help=VERBS["vertebra"],
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("swim", type=Path, metavar="SWIM.nc", help="a file written by `anguilla swim`")
    parser.add_argument("--out", type=directory, required=True, metavar="DIR", help="output directory")
    parser.add_argument("--vertebrae", type=at_least(1), metavar="N", help="number of vertebrae; default: 0.1 m each")
    parser.add_argument("--no-gain", action="store_true", help="skip the search for the largest feasible amplitude")
    parser.add_argument("--quiet", action="store_true", help="no summary")
    parser.set_defaults(run=run, check=check)


def check(arguments: argparse.Namespace) -> str | None:
    """Checks combinations of arguments; returns an error message or None."""
    if not arguments.swim.is_file():
        return f"argument SWIM.nc: {arguments.swim}: no such file; `anguilla swim --out DIR` writes one"
    return None


def run(arguments: argparse.Namespace) -> int:
    """Reads a swim, computes the actuation, draws the figures and prints the summary."""
    import xarray as xr

    from anguilla.results import load
    from anguilla.view.record import check_record
    from stepping.provenance import ATTRIBUTE

    begin = time.perf_counter()
    dataset = load(arguments.swim)
    check_record(dataset, ("time", "X"), name=str(arguments.swim), made_by="anguilla swim")

    from anguilla.robots.vertebra import (
        Layout,
        figures as vertebra_figures,  # draws with pyplot: only when it is needed
    )

    layout = None
    if arguments.vertebrae is not None:
        layout = Layout.spanning(float(dataset["X"][-1] - dataset["X"][0]), arguments.vertebrae)
    gait = None if arguments.no_gain else _gait(dataset)
    made = with_recipe(xr.Dataset(), arguments.recipe).attrs | {"swim": dataset.attrs.get(ATTRIBUTE, "")}
    summary = vertebra_figures.report(dataset, arguments.out, layout=layout, gait=gait, attributes=made)
    write_recipe(arguments.recipe, arguments.out / "vertebra.recipe")
    if not arguments.quiet:
        for name, value in summary.items():
            print(f"{name.replace('_', ' '):28} {_words(value)}")
        print(f"{'files':28} {arguments.out}/vertebra*")
        print(f"{'wall time':28} {time.perf_counter() - begin:.1f} s")
    return 0


def _gait(dataset: xr.Dataset) -> Callable | None:
    """The gait recorded in the file by `anguilla swim`; None for a swim of another origin."""
    import gaits

    attributes = dataset.attrs
    if attributes.get("gait") not in gaits.PUBLISHED or "period" not in attributes:
        return None
    law = gaits.PUBLISHED[attributes["gait"]]
    return law(period=float(attributes["period"]), wavelength=float(attributes["wavelength"]))


def _words(value: Any) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(_words(part) for part in value) + ")"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
