"""`anguilla optimise`: a better gait for the continuous eel."""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import cosserat
import gaits
import hydro
from anguilla import view
from anguilla.gait_search import (
    BOUNDS,
    GOALS,
    QUANTITIES,
    as_the_optimiser_saw,
    compare,
    cost_at_speed,
    goal,
    steady_model,
    swim_from_rest,
)
from anguilla.results import save

from .arguments import at_least, directory, positive

DESCRIPTION = """\
The planar gait of Boyer, Porez and Khalil (2006) is improved by gradients: amplitude, wavelength and period of its
curvature wave change until the steady swim is best. What is found is swum again from rest, at full accuracy.

goals:
  faster    the greatest steady speed, with no more torque and no more curvature anywhere than the published gait
  cheaper   the least cost of transport, at no less speed, torque and curvature as above
"""

EPILOG = """\
examples:
  anguilla optimise --goal faster --out out
  anguilla optimise --goal faster --torque-limit 1.5 --out out
      the same with another limit [N m]
  anguilla optimise --goal cheaper --out out
  anguilla optimise --compare-cma --out out
      gradients against CMA-ES (needs the package cma): cost of transport at one speed, curvature held by a penalty

The search can be killed: the same command with the same DIR goes on where it ended (DIR/GOAL_log.jsonl).

files in DIR, named after the goal:
  GOAL.json          parameters, quantities before and after
  GOAL_log.jsonl     every evaluation: parameters, values, derivatives
  GOAL_path.png      the way to the optimum
  GOAL_gaits.png     both gaits: body, torque, curvature
  GOAL.nc            the optimised gait, swum from rest
  cma.png, cma.json  the comparison

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "optimise",
        help="a faster or cheaper gait for the eel, by gradients; checked by a swim from rest",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--goal", choices=GOALS, help="what to look for")
    what.add_argument("--compare-cma", action="store_true", help="gradients against CMA-ES instead")
    parser.add_argument("--out", type=directory, required=True, metavar="DIR", help="where the files go")
    parser.add_argument(
        "--added-mass", choices=hydro.FORMS, default="kirchhoff", help="default: kirchhoff (conserves energy)"
    )
    search = parser.add_argument_group("the search")
    search.add_argument("--torque-limit", type=positive, metavar="NM", help="default: that of the published gait")
    search.add_argument("--curvature-limit", type=positive, metavar="K", help="[1/m]; default: that of the same")
    search.add_argument("--margin", type=positive, default=3e-3, metavar="R", help="of the constraints; default: 3e-3")
    search.add_argument("--starts", type=at_least(1), default=1, metavar="N", help="searched at once; default: 1")
    search.add_argument("--iterations", type=at_least(1), default=100, metavar="N", help="at most; default: 100")
    search.add_argument("--method", choices=("slsqp", "trust-constr"), default="slsqp", help="of SciPy; default: slsqp")
    search.add_argument("--budget", type=at_least(12), default=1200, metavar="N", help="of CMA-ES; default: 1200")
    parser.add_argument("--quiet", action="store_true", help="no progress bars, no table")
    parser.set_defaults(run=run, check=check)


def check(arguments: argparse.Namespace) -> str | None:
    """What is wrong with arguments that are good one by one; None when nothing is."""
    if arguments.margin >= 0.5:
        return f"argument --margin: {arguments.margin:g}: must be below 0.5"
    if arguments.compare_cma:
        for name in ("torque_limit", "curvature_limit"):
            if getattr(arguments, name) is not None:
                return f"argument --{name.replace('_', '-')}: the comparison has no constraints"
        try:
            import cma  # noqa: F401
        except ImportError:
            return "argument --compare-cma: needs the package cma: pip install 'anguilla[cma]'"
    return None


def run(arguments: argparse.Namespace) -> int:
    """Searches, swims, draws, and tells."""
    begin = time.perf_counter()
    beam, fluid = cosserat.eel(), hydro.Morison(added_mass=arguments.added_mass)
    arguments.out.mkdir(parents=True, exist_ok=True)
    say = (lambda text: None) if arguments.quiet else (lambda text: print(text, flush=True))
    job = _compare if arguments.compare_cma else _search
    written = job(arguments, beam, fluid, say)
    say("files      " + f"\n{'':11}".join(str(path) for path in written))
    say(f"wall time  {time.perf_counter() - begin:.0f} s")
    return 0


def _search(arguments, beam, fluid, say) -> list[Path]:
    published = gaits.planar()
    say("the published gait swims from rest ...")
    swim, reference = swim_from_rest(beam, published, fluid, progress=not arguments.quiet)
    wanted = goal(arguments.goal, reference, arguments.margin, arguments.torque_limit, arguments.curvature_limit)
    say(f"goal: {wanted.words}")
    say("searching (the first run compiles: a minute or two) ...")
    model = steady_model(beam, fluid)
    optimum = gaits.optimise(
        wanted.objective,
        published,
        BOUNDS,
        model=model,
        constraints=wanted.constraints,
        method=arguments.method,
        starts=arguments.starts,
        max_iterations=arguments.iterations,
        infeasible_start="accept",  # by the margin: the published gait is at the limits
        log=arguments.out / f"{arguments.goal}_log.jsonl",
        progress=not arguments.quiet,
    )
    say(f"\n{optimum}\n")
    say("the optimised gait swims from rest ...")
    after, arrays = swim_from_rest(beam, optimum.gait, fluid, progress=not arguments.quiet)
    say("\n" + compare(reference, arrays, as_the_optimiser_saw(optimum)) + "\n")
    limit = arguments.torque_limit or float(gaits.peak_torque(reference))
    periods = (float(gaits.wave_period(published)), float(gaits.wave_period(optimum.gait)))
    record, path, both, data, log = (
        arguments.out / f"{arguments.goal}{end}" for end in (".json", "_path.png", "_gaits.png", ".nc", "_log.jsonl")
    )
    record.write_text(json.dumps(_record(optimum, reference, arrays), indent=1) + "\n")
    view.optimum_path(optimum).savefig(path, dpi=150)
    view.gaits_compared(swim, after, periods, limit).savefig(both, dpi=150)
    return [record, path, both, save(after, data), log]


def _compare(arguments, beam, fluid, say) -> list[Path]:
    from anguilla.cma_comparison import against_cma

    objective = cost_at_speed()
    say("gradients, then CMA-ES (the first run compiles: some minutes) ...")
    comparison = against_cma(
        objective,
        gaits.planar(),
        {name: BOUNDS[name] for name in ("amplitude", "wavelength")},
        steady_model(beam, fluid),
        budget=arguments.budget,
        log=arguments.out / "cma_log.jsonl",
        progress=not arguments.quiet,
    )
    say(f"\n{comparison.optimum}\n\n{comparison}\n")
    figure, record = arguments.out / "cma.png", arguments.out / "cma.json"
    view.optimisers_compared(comparison).savefig(figure, dpi=150)
    names = comparison.optimum.names
    found = {
        "gradients": {"value": comparison.optimum.value, "rollouts": comparison.optimum.evaluations}
        | {"parameters": dict(zip(names, comparison.optimum.best.tolist(), strict=True))},
        "cma": {"value": comparison.value, "rollouts": len(comparison.history), "reached": comparison.reached}
        | {"parameters": dict(zip(names, comparison.best.tolist(), strict=True))},
    }
    record.write_text(json.dumps(found, indent=1) + "\n")
    return [figure, record, arguments.out / "cma_log.jsonl"]


def _record(optimum: gaits.Optimum, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    quantities = {
        quantity.name: {"unit": quantity.unit, "published": float(quantity(before)), "optimum": float(quantity(after))}
        for quantity in QUANTITIES
    }
    parameters = {
        name: {"start": start, "best": best}
        for name, start, best in zip(optimum.names, optimum.start.tolist(), optimum.best.tolist(), strict=True)
    }
    how = {"method": optimum.method, "success": optimum.success, "evaluations": optimum.evaluations}
    return {"from rest": quantities, "parameters": parameters, "violation": optimum.violation, **how}
