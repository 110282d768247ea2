"""The report as one self-contained page: table, ledger, figures."""

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .engines import LINKS, chain_errors
from .published import COLUMNS, ledger
from .report import Outcome, cells
from .slender_bodies import SLENDERNESS, lamb_errors
from .subjects import swim

STYLE = """
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 78em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; width: 100%; margin: 1em 0 2em }
th, td { border-bottom: 1px solid #ccc; padding: .3em .6em; text-align: left; vertical-align: top }
th { background: #f2f2f2; position: sticky; top: 0 }
td.number { text-align: right; font-family: monospace; white-space: nowrap }
.pass { color: #1a7f37 } .FAIL, .error { color: #b42318; font-weight: bold }
figure { display: inline-block; width: 31%; min-width: 20em; margin: 0 1% 0 0; vertical-align: top }
figure img { width: 100% } figcaption { font-size: 90%; color: #555 }
pre { background: #fbeaea; padding: 1em; overflow: auto }
"""


def write_report(outcome: Outcome, directory: Path) -> Path:
    """Writes DIR/validation.html and returns its path.

    Args:
        outcome: the checks that were made.
        directory: where the page goes; made when it does not exist.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "validation.html"
    path.write_text(page(outcome, figures(outcome)), encoding="utf-8")
    return path


def page(outcome: Outcome, pictures: Sequence[tuple[str, Figure]]) -> str:
    """The page as text.

    Args:
        outcome: the checks that were made.
        pictures: captions and figures.
    """
    passed = len(outcome.checks) - len(outcome.failed)
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>anguilla: validation</title>",
        f"<style>{STYLE}</style><h1>Validation</h1>",
        f"<p>{passed} of {len(outcome.checks)} checks passed in {sum(outcome.seconds):.0f} s.</p>",
        *(_failure(check) for check in outcome.failed),
        _table_of_checks(outcome),
        *(_picture(caption, figure) for caption, figure in pictures),
        "<h2>What the papers claim</h2>",
        _table(COLUMNS, [[html.escape(cell) for cell in claim.cells()] for claim in ledger()]),
        "</html>",
    ]
    return "\n".join(parts)


def figures(outcome: Outcome) -> list[tuple[str, Figure]]:
    """Pictures of what was measured; those whose checks were not made are left out."""
    made = {check.name for check in outcome.checks if not check.error}
    pictures = []
    if {"chain_order_in_vacuum", "chain_order_in_water"} <= made:
        pictures.append(("Chains of rigid links tend to the beam at second order.", _chain_figure()))
    if "lamb_order" in made:
        pictures.append(("Slices tend to Lamb's ellipsoid as it becomes slender.", _lamb_figure()))
    if "head_after_ten_seconds" in made:
        pictures.append(("Head of the eel in the four published gaits, 10 s, from above.", _swim_figure()))
    return pictures


def _failure(check):
    trace = f"<pre>{html.escape(check.error)}</pre>" if check.error else ""
    return f"<p class='FAIL'>{html.escape(f'{check.group}/{check.name}: {check.meaning}')}</p>{trace}"


def _table_of_checks(outcome):
    names = ("check", "measured", "reference", "tolerance", "unit", "verdict", "group", "source", "failure would mean")
    rows = []
    for check in outcome.checks:
        name, *numbers, unit, verdict = cells(check)
        rows.append(
            [
                html.escape(name),
                *((number, "number") for number in numbers),
                html.escape(unit),
                (verdict, verdict),
                *(html.escape(text) for text in (check.group, check.source, check.meaning)),
            ]
        )
    return _table(names, rows)


def _table(names, rows):
    def cell(value):
        text, kind = value if isinstance(value, tuple) else (value, "")
        return f"<td class='{kind}'>{text}</td>" if kind else f"<td>{text}</td>"

    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "\n".join("<tr>" + "".join(cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _picture(caption, figure):
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    code = base64.b64encode(data.getvalue()).decode()
    text = html.escape(caption)
    return f"<figure><img alt='{text}' src='data:image/png;base64,{code}'><figcaption>{text}</figcaption></figure>"


def _axes(xlabel, ylabel):
    with matplotlib.rc_context({"font.size": 10}):
        figure = Figure(figsize=(4.6, 3.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot(xlabel=xlabel, ylabel=ylabel)
        axes.grid(alpha=0.3)
    return figure, axes


def _chain_figure():
    figure, axes = _axes("links", "relative error of the head acceleration")
    for fluid, marker in (("vacuum", "o"), ("water", "s")):
        axes.loglog(LINKS, chain_errors(fluid), marker + "-", label=fluid)
    links = np.array(LINKS, float)
    axes.loglog(links, chain_errors("water")[0] * (links[0] / links) ** 2, "k:", label="slope -2")
    axes.legend(frameon=False)
    return figure


def _lamb_figure():
    figure, axes = _axes("C/A", "relative difference")
    errors = np.abs(lamb_errors())
    for k, label in enumerate(("m2", "m3", "I1", "I2", "I3", "m1 / displaced mass")):
        axes.loglog(SLENDERNESS, errors[:, k], "o-", ms=3, label=label)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _swim_figure():
    figure, axes = _axes("x [m]", "y [m]")
    for name in ("planar", "turn", "dive", "spiral"):
        position = np.asarray(swim(name).position)
        axes.plot(position[:, 0], position[:, 1], lw=1.2, label=name)
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(frameon=False)
    return figure
