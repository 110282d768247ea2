"""`anguilla atlas`: published swimmers simulated with Lighthill's model, each with a comparison and a verdict."""

import argparse
from pathlib import Path

from . import VERBS

EXAMPLES = """\
examples:
  anguilla atlas                                    every swimmer, speeds under every rule of shedding, some minutes
  anguilla atlas --swimmer kern-fast --rule hold    one swimmer, one rule
  anguilla atlas --swimmer amphibot --out out       a robot over frequency, amplitude and phase lag
  anguilla atlas --trend                            only the swimmers that are compared by curves
  anguilla atlas --fix                              repeats the choice of rule and cross-flow drag on the first half
  anguilla atlas --out out                          also out/atlas.txt and a figure for each comparison

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "atlas",
        help=VERBS["atlas"],
        description="Swims published swimmers with one set of coefficients, beside their published figures.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--swimmer", action="append", default=[], metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help="tail, truncate or hold; repeated")
    parser.add_argument("--trend", action="store_true", help="only swimmers compared by curves")
    parser.add_argument("--fix", action="store_true", help="only the choice of coefficients on the first half")
    parser.add_argument("--out", metavar="DIR", help="directory for the table and the figures")
    parser.set_defaults(run=execute, parser=parser)


def execute(chosen: argparse.Namespace) -> int:
    """Runs the verb; returns its exit code."""
    from validation import atlas

    if chosen.fix:
        print(atlas.candidate_table(atlas.first_half()))
        return 0
    _, over_curves = atlas.chosen(chosen.swimmer)
    rows = [] if chosen.trend else atlas.swum(chosen.swimmer, chosen.rule or atlas.RULES)
    parts = [atlas.table(rows)] if rows else []
    if parts:
        print(parts[0], flush=True)
    found = []
    for swimmer in over_curves:
        found.append(swimmer.compute())
        parts.append(atlas.curve_table(found[-1:]))
        print(parts[-1], flush=True)
    rest = "\n".join(filter(None, [atlas.tally(rows, found), atlas.notes(rows, found)]))
    print(rest)
    if chosen.out:
        out = Path(chosen.out)
        out.mkdir(parents=True, exist_ok=True)
        (out / "atlas.txt").write_text("\n".join([*parts, rest, ""]))
        written = [out / "atlas.txt", *_figures(rows, over_curves, found, out)]
        print(f"written: {', '.join(map(str, written))}")
    return 0


def _figures(rows, swimmers, found, out: Path) -> list[Path]:
    """Draws the speeds and each swimmer's curves."""
    import matplotlib.pyplot as plt

    from validation.atlas import pictures

    drawn = {out / "atlas.png": pictures.speeds_figure(rows)} if rows else {}
    for swimmer, curves in zip(swimmers, found, strict=True):
        drawn[out / f"atlas-{swimmer.name}.png"] = pictures.curves_figure(swimmer, curves)
    for path, figure in drawn.items():
        figure.savefig(path, dpi=150)
        plt.close(figure)
    return list(drawn)
