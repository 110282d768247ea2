"""`anguilla optimise`: optimises the gait of the continuous eel."""

from __future__ import annotations  # names of modules that are not imported yet

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..whole_files import write_whole
from . import VERBS
from .arguments import at_least, directory, positive
from .compare_cma import compare_with_cma, starts_and_screen
from .deferred import FORMS, GOALS, deferred
from .recipe import with_recipe, write_recipe

if TYPE_CHECKING:
    import cosserat
    import gaits
    import hydro
    from anguilla import view

    from ..studies import co_design, gait_search
else:
    cosserat, gaits, hydro, view = deferred("cosserat", "gaits", "hydro", "anguilla.view")
    co_design, gait_search = deferred("anguilla.studies.co_design", "anguilla.studies.gait_search")

DESCRIPTION = """\
Optimises the planar gait of Boyer, Porez and Khalil (2006) by gradients: amplitude, wavelength and period of its
curvature wave are varied for the best steady swim. The result is checked by a full-accuracy swim from rest.

goals:
  faster    maximum steady speed, with torque and curvature nowhere above those of the published gait
  cheaper   minimum cost of transport, at the same speed or more; torque and curvature as above
"""

EPILOG = """\
examples:
  anguilla optimise --goal faster --out out
  anguilla optimise --goal faster --torque-limit 1.5 --out out
      the same with another limit [N m]
  anguilla optimise --goal cheaper --out out
  anguilla optimise --goal cheaper --co-design --out out
      radius, tail and length of the body change with the gait, at the same mass
  anguilla optimise --goal faster --vertebrae 12 --curvature-limit 6 --out out
      with the workspace of twelve vertebrae (`anguilla vertebra`) as a constraint
  anguilla optimise --compare-cma --out out
      gradients against CMA-ES (needs the package cma): cost of transport at 1 m/s, on two problems: curvature
      limited by a penalty, or by the bounds only

The search can be interrupted: the same command with the same DIR resumes it (DIR/*.jsonl).

files in DIR, named after the goal:
  GOAL.json          parameters, quantities before and after
  GOAL_log.jsonl     every evaluation: parameters, values, derivatives
  GOAL_path.png      history of the optimisation
  GOAL_gaits.png     both gaits: body, torque, curvature
  GOAL.nc            the optimised gait, swum from rest
  GOAL.recipe        the options; `anguilla @DIR/GOAL.recipe --out AGAIN` searches again
  cma.png, cma.json  the comparison

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "optimise",
        help=VERBS["optimise"],
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--goal", choices=GOALS, help="objective")
    what.add_argument("--compare-cma", action="store_true", help="gradients against CMA-ES instead")
    parser.add_argument("--out", type=directory, required=True, metavar="DIR", help="output directory")
    parser.add_argument(
        "--added-mass", choices=FORMS, default="kirchhoff", help="default: kirchhoff (conserves energy)"
    )
    search = parser.add_argument_group("the search")
    search.add_argument(
        "--co-design", action="store_true", help="also vary the dimensions of the body, at constant mass"
    )
    search.add_argument("--vertebrae", type=at_least(1), metavar="N", help="constrain N vertebrae to their workspace")
    search.add_argument("--torque-limit", type=positive, metavar="NM", help="[N m]; default: as in the published gait")
    search.add_argument(
        "--curvature-limit", type=positive, metavar="K", help="[1/m]; default: as in the published gait"
    )
    search.add_argument(
        "--margin", type=positive, default=3e-3, metavar="R", help="relative margin of the constraints; default: 3e-3"
    )
    search.add_argument(
        "--starts",
        type=at_least(1),
        metavar="N",
        help="the first is the published gait; default: 1 (3 with --compare-cma)",
    )
    search.add_argument(
        "--screen",
        type=at_least(0),
        metavar="N",
        help="number of screened gaits, the best of which are the other starts; default: 0 (8 with --compare-cma)",
    )
    search.add_argument("--iterations", type=at_least(1), default=100, metavar="N", help="maximum number; default: 100")
    search.add_argument(
        "--method", choices=("slsqp", "trust-constr"), default="slsqp", help="SciPy method; default: slsqp"
    )
    search.add_argument(
        "--budget", type=at_least(12), default=1200, metavar="N", help="rollouts of CMA-ES; default: 1200"
    )
    search.add_argument("--seeds", type=at_least(1), default=3, metavar="N", help="runs of CMA-ES; default: 3")
    parser.add_argument("--quiet", action="store_true", help="no progress bars, no table")
    parser.set_defaults(run=run, check=check, resolve=resolve, name=name_of)


def check(arguments: argparse.Namespace) -> str | None:
    """Checks combinations of arguments; returns an error message or None."""
    if arguments.margin >= 0.5:
        return f"argument --margin: {arguments.margin:g}: must be below 0.5"
    if arguments.co_design and arguments.vertebrae is not None:
        return "argument --vertebrae: the layout of the vertebrae is that of the published body, not of a co-design"
    starts, screen = starts_and_screen(arguments)
    if screen and not 1 <= starts - 1 <= screen:
        return f"argument --screen: {screen}: must be 0, or at least --starts less one with more than one start"
    if arguments.compare_cma:
        for name in ("torque_limit", "curvature_limit", "vertebrae", "co_design"):
            if getattr(arguments, name) not in (None, False):
                return f"argument --{name.replace('_', '-')}: the comparison has no constraints, and the published body"
        try:
            import cma  # noqa: F401
        except ImportError:
            return "argument --compare-cma: needs the package cma: pip install 'anguilla[cma]'"
    return None


def resolve(arguments: argparse.Namespace) -> None:
    """Sets the default values that depend on other options."""
    arguments.starts, arguments.screen = starts_and_screen(arguments)


def name_of(arguments: argparse.Namespace) -> str:
    """Common prefix of the names of all files of a run."""
    return "cma" if arguments.compare_cma else arguments.goal


def run(arguments: argparse.Namespace) -> int:
    """Optimises, simulates the result, draws figures and prints the table."""
    begin = time.perf_counter()
    beam, fluid = cosserat.eel(), hydro.Morison(added_mass=arguments.added_mass)
    arguments.out.mkdir(parents=True, exist_ok=True)
    say = (lambda text: None) if arguments.quiet else (lambda text: print(text, flush=True))
    job = compare_with_cma if arguments.compare_cma else _search
    recipe = arguments.out / f"{name_of(arguments)}.recipe"
    written = [*job(arguments, beam, fluid, say), write_recipe(arguments.recipe, recipe)]
    say("files      " + f"\n{'':11}".join(str(path) for path in written))
    say(f"wall time  {time.perf_counter() - begin:.0f} s")
    return 0


def _search(arguments, beam, fluid, say) -> list[Path]:
    from stepping.provenance import circumstances, now

    from ..results import save

    published, (starts, screen) = gaits.planar(), starts_and_screen(arguments)
    say("the published gait swims from rest ...")
    swim, reference = gait_search.swim_from_rest(beam, published, fluid, progress=not arguments.quiet)
    limits = (arguments.torque_limit, arguments.curvature_limit)
    wanted = gait_search.goal(arguments.goal, reference, arguments.margin, *limits)
    constraints, words = list(wanted.constraints), wanted.words
    start, bounds, model = published, dict(gait_search.BOUNDS), gait_search.steady_model(beam, fluid)
    if arguments.co_design:
        start, model = co_design.Design(published, co_design.EelBody()), co_design.design_model(fluid)
        bounds |= co_design.BODY_BOUNDS
        constraints.append(co_design.body_mass.equal_to(float(reference["mass"])))
        words += f", with a body of {float(reference['mass']):.2f} kg"
    if arguments.vertebrae is not None:
        model = gait_search.with_workspace(model, float(beam.length), arguments.vertebrae)
        constraints.append(gait_search.workspace_margin.at_least(0.0))
        words += f", within the workspace of {arguments.vertebrae} vertebrae"
    say(f"goal: {words}")
    say("searching (the first run compiles) ...")
    optimum = gaits.optimise(
        wanted.objective,
        start,
        bounds,
        model=model,
        constraints=constraints,
        method=arguments.method,
        starts=starts,
        screen=screen,
        max_iterations=arguments.iterations,
        infeasible_start="accept",  # the published gait is at the limits, so it violates them by the margin
        log=arguments.out / f"{arguments.goal}_log.jsonl",
        progress=not arguments.quiet,
    )
    say(f"\n{optimum}\n")
    say("the optimum swims from rest ...")
    gait = optimum.gait.gait if arguments.co_design else optimum.gait
    beam = optimum.gait.body.checked_beam() if arguments.co_design else beam
    after, arrays = gait_search.swim_from_rest(beam, gait, fluid, progress=not arguments.quiet)
    say("\n" + gait_search.compare(reference, arrays, gait_search.as_the_optimiser_saw(optimum)) + "\n")
    limit = arguments.torque_limit or float(gaits.peak_torque(reference))
    periods = (float(gaits.wave_period(published)), float(gaits.wave_period(gait)))
    record, path, both, data, log = (
        arguments.out / f"{arguments.goal}{end}" for end in (".json", "_path.png", "_gaits.png", ".nc", "_log.jsonl")
    )
    found = _record(optimum, reference, arrays) | {"recipe": arguments.recipe, "date": now(), **circumstances()}
    write_whole(record, (json.dumps(found, indent=1) + "\n").encode())
    view.optimum_path(optimum).savefig(path, dpi=150)
    view.gaits_compared(swim, after, periods, limit).savefig(both, dpi=150)
    return [record, path, both, save(with_recipe(after, arguments.recipe), data), log]


def _record(optimum: gaits.Optimum, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    quantities = {
        quantity.name: {"unit": quantity.unit, "published": float(quantity(before)), "optimum": float(quantity(after))}
        for quantity in gait_search.QUANTITIES
    }
    parameters = {
        name: {"start": start, "best": best}
        for name, start, best in zip(optimum.names, optimum.start.tolist(), optimum.best.tolist(), strict=True)
    }
    how = {"method": optimum.method, "success": optimum.success, "evaluations": optimum.evaluations}
    return {"from rest": quantities, "parameters": parameters, "violation": optimum.violation, **how}
