"""`anguilla atlas`: published swimmers in Lighthill's water, each with its figure and a verdict."""

import argparse
from pathlib import Path
from typing import Any

from . import VERBS

EXAMPLES = """\
examples:
  anguilla atlas                                    every swimmer under every rule of shedding, some minutes
  anguilla atlas --swimmer kern-fast --rule hold    one swimmer, one rule
  anguilla atlas --trend                            the lamprey's Strouhal number over Reynolds numbers
  anguilla atlas --out out                          also out/atlas.txt and out/atlas.png

exit codes: 0 done, 1 the run failed, 2 bad arguments
"""


def register(subparsers: argparse._SubParsersAction) -> None:
    """Adds the verb to the command line."""
    parser = subparsers.add_parser(
        "atlas",
        help=VERBS["atlas"],
        description="Swims published swimmers with one set of coefficients, beside their published speeds.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--swimmer", action="append", default=[], metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help="tail, truncate or hold; repeated")
    parser.add_argument("--trend", action="store_true", help="the lamprey over Reynolds numbers, instead of the table")
    parser.add_argument("--out", metavar="DIR", help="directory for the table and its figure")
    parser.set_defaults(run=execute, parser=parser)


def execute(chosen: argparse.Namespace) -> int:
    """Runs the verb; returns its exit code."""
    from validation import atlas

    rows = atlas.lamprey_trend() if chosen.trend else atlas.swum(chosen.swimmer, chosen.rule or atlas.RULES)
    text = atlas.table(rows)
    if chosen.trend:
        falls = all(a.strouhal > b.strouhal for a, b in zip(rows, rows[1:], strict=False))
        text += (
            f"\nStrouhal number falls with the Reynolds number: {'yes, as published (from memory)' if falls else 'no'}"
        )
    print(text + "\n" + atlas.notes(rows))
    if chosen.out:
        out = Path(chosen.out)
        out.mkdir(parents=True, exist_ok=True)
        (out / "atlas.txt").write_text(text + "\n" + atlas.notes(rows) + "\n")
        _figure(rows, out / "atlas.png")
        print(f"written: {out / 'atlas.txt'}, {out / 'atlas.png'}")
    return 0


def _figure(rows: list[Any], path: Path) -> None:
    """Speeds of all swimmers under all rules, beside the independent and the published ones."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 0.35 * len(rows) + 1.4), layout="constrained")
    for k, row in enumerate(rows):
        axes.plot(row.speed, k, "o", color="C0", label="this code" if k == 0 else None)
        known = row.swimmer.independent.get(row.water)
        if known is not None:
            axes.plot(known, k, "|", color="k", ms=14, label="independent program, same theory" if k == 0 else None)
        if row.swimmer.speed is not None:
            axes.plot(row.swimmer.speed.value, k, "x", color="C3", label="published" if k == 0 else None)
    axes.set_yticks(range(len(rows)), [f"{row.swimmer.name}, {row.water}" for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("speed [lengths per period]")
    axes.set_xlim(left=0.0)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150)
    plt.close(figure)
