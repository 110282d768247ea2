"""`anguilla optimise --compare-cma`: gradients against CMA-ES on two problems."""

from __future__ import annotations  # names of modules that are not imported yet

import argparse
import json
from pathlib import Path
from typing import Any

STARTS, SCREEN, RACE = 3, 8, 5  # of each gradient search: the same for every problem and seed


def starts_and_screen(arguments: argparse.Namespace) -> tuple[int, int]:
    """Numbers of starts and of screened gaits; the comparison of optimisers uses more of both."""
    starts = arguments.starts or (STARTS if arguments.compare_cma else 1)
    usual = SCREEN if arguments.compare_cma and starts > 1 else 0
    return starts, usual if arguments.screen is None else arguments.screen


def compare_with_cma(arguments: argparse.Namespace, beam: Any, fluid: Any, say: Any) -> list[Path]:
    """Runs the comparison, draws the figures and prints the table; returns the files written."""
    import gaits
    from anguilla import view

    from ..studies.cma_comparison import against_cma
    from ..studies.gait_search import compared_problems, steady_model
    from ..whole_files import write_whole

    starts, screen = starts_and_screen(arguments)
    model, comparisons = steady_model(beam, fluid), []
    for name, (objective, bounds) in compared_problems().items():
        say(f"{name}: gradients, then CMA-ES (the first run compiles) ...")
        comparison = against_cma(
            name,
            objective,
            gaits.planar(),
            bounds,
            model,
            budget=arguments.budget,
            seeds=arguments.seeds,
            starts=starts,
            screen=screen,
            race=RACE if starts > 1 else 0,
            logs=arguments.out,
            progress=not arguments.quiet,
        )
        say(f"\n{comparison}\n")
        comparisons.append(comparison)
    figure, record = arguments.out / "cma.png", arguments.out / "cma.json"
    view.optimisers_compared(comparisons).savefig(figure, dpi=150)
    write_whole(record, (json.dumps({one.name: _account(one) for one in comparisons}, indent=1) + "\n").encode())
    return [figure, record, *sorted(arguments.out.glob("*_[0-9]*.jsonl"))]


def _account(comparison: Any) -> dict[str, Any]:
    """The comparison as a nested mapping for JSON."""
    runs = lambda several: [  # noqa: E731
        {
            "seed": run.seed,
            "value": run.value,
            "rollouts": len(run.history),
            "reached": run.reached(comparison.least),
            "parameters": dict(zip(comparison.names, run.best.tolist(), strict=True)),
            "how it ended": run.message,
        }
        for run in several
    ]
    return {
        "best value": comparison.least,
        "ratio of rollouts": comparison.ratio(),
        "ratio with derivatives counted": comparison.ratio(comparison.price),
        "price of derivatives": comparison.price,
        "gradients": runs(comparison.gradients),
        "cma": runs(comparison.strategy),
    }
