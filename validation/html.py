"""The report as one self-contained HTML page: table, figures, ledger."""

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from .pictures import figures
from .published import COLUMNS, RULE, VERDICTS, ledger
from .report import quoted, registered
from .running import Outcome, cells, summary

STYLE = """
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 96em; padding: 0 1em; color: #222 }
h1 { margin-bottom: .2em } h2 { margin-top: 2em; border-bottom: 2px solid #0b6e8a; padding-bottom: .2em }
table { border-collapse: collapse; width: 100%; margin: 1em 0 2em }
th, td { border-bottom: 1px solid #ddd; padding: .35em .6em; text-align: left; vertical-align: top }
th { background: #eef4f6; position: sticky; top: 0; white-space: nowrap }
th.number, td.number { text-align: right } td.number { font-family: monospace; white-space: nowrap }
td.name { min-width: 20em } code { font-size: 85%; color: #666; overflow-wrap: anywhere }
.small { font-size: 87%; color: #444; min-width: 13em; overflow-wrap: anywhere }
.pass, .reproduced { color: #1a7f37 } .FAIL, .error, .cannot { color: #b42318 } .FAIL, .error { font-weight: bold }
.corrected { color: #0b6e8a } .not { color: #777 }
.sum { font-size: 120% }
figure { display: inline-block; width: 32%; min-width: 20em; margin: 0 1% 1em 0; vertical-align: top }
figure img { width: 100% } figcaption { font-size: 90%; color: #555 }
pre { background: #fbeaea; padding: 1em; overflow: auto }
"""
MEANINGS = {  # of the groups
    "conservation": "Conservation laws: momentum, energy, impulse, power, the free tail.",
    "agreement": "Independent computations of the same quantity: the other engine, another library, separate code.",
    "closed forms": "Formulas.",
}


def write_report(outcome: Outcome, directory: Path) -> Path:
    """Writes DIR/validation.html and returns its path.

    Args:
        outcome: the results of the checks.
        directory: output directory; created if missing.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "validation.html"
    path.write_text(page(outcome, figures(outcome)), encoding="utf-8")
    return path


def page(outcome: Outcome, pictures: Sequence[tuple[str, Figure]]) -> str:
    """The page as text.

    Args:
        outcome: the results of the checks.
        pictures: captions and figures.
    """
    claims, numbers = ledger(), quoted(outcome.checks, outcome.exhibits)
    verdicts = [f"{sum(claim.verdict == verdict for claim in claims)} {verdict}" for verdict in VERDICTS]
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>anguilla: validation</title>",
        f"<style>{STYLE}</style><h1>Validation of anguilla</h1>",
        f"<p class='sum {'FAIL' if outcome.failed else 'pass'}'>{html.escape(summary(outcome))}.</p>",
        *(_failure(check) for check in outcome.failed),
        "<p>A check measures one number and holds it against a reference; it passes when they differ by no more than "
        "the tolerance. The last column says what a failure would mean.</p>",
        *(_picture(caption, figure) for caption, figure in pictures),
        *_tables_of_checks(outcome),
        f"<h2>What the papers claim</h2><p>{len(claims)} claims: {html.escape(', '.join(verdicts))}. "
        f"{html.escape(RULE)}</p>",
        _table(COLUMNS, [_claim(claim, numbers) for claim in claims]),
        "</html>",
    ]
    return "\n".join(parts)


def _failure(check):
    trace = f"<pre>{html.escape(check.error)}</pre>" if check.error else ""
    return f"<p class='FAIL'>{html.escape(f'{check.group}/{check.name}: {check.meaning}')}</p>{trace}"


def _tables_of_checks(outcome):
    names = ("check", "measured", "reference", "tolerance", "unit", "verdict", "time", "source", "failure would mean")
    titles = {function.__name__: function.title for function in registered()}
    groups: dict[str, list] = {}
    for check, seconds in zip(outcome.checks, outcome.seconds, strict=True):
        name, *numbers, unit, verdict = cells(check)
        groups.setdefault(check.group, []).append(
            [
                (f"{html.escape(titles.get(name, name))}<br><code>{html.escape(name)}</code>", "name"),
                *((number, "number") for number in numbers),
                html.escape(unit),
                (verdict, verdict),
                (f"{seconds:.1f} s", "number"),
                *((html.escape(text), "small") for text in (check.source, check.meaning)),
            ]
        )
    for group, rows in groups.items():
        passed = sum(row[5][0] == "pass" for row in rows)
        yield f"<h2>{html.escape(group.capitalize())}: {passed} of {len(rows)}</h2><p>{MEANINGS.get(group, '')}</p>"
        yield _table(names, rows, numbers=(1, 2, 3, 6))


def _claim(claim, numbers):
    name, where, published, ours, evidence, verdict, why = (html.escape(cell) for cell in claim.cells(numbers))
    colour = {"reproduced": "reproduced", "cannot be reproduced": "cannot", "not tested": "not"}
    return [
        name,
        (where, "small"),
        published,
        ours,
        f"<code>{evidence}</code>",
        (verdict, colour.get(claim.verdict, "corrected")),
        (why, "small"),
    ]


def _table(names, rows, numbers=()):
    def cell(value):
        text, kind = value if isinstance(value, tuple) else (value, "")
        return f"<td class='{kind}'>{text}</td>" if kind else f"<td>{text}</td>"

    mark = lambda k: " class='number'" if k in numbers else ""  # noqa: E731
    head = "".join(f"<th{mark(k)}>{html.escape(name)}</th>" for k, name in enumerate(names))
    body = "\n".join("<tr>" + "".join(cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _picture(caption, figure):
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=130)
    code = base64.b64encode(data.getvalue()).decode()
    text = html.escape(caption)
    return f"<figure><img alt='{text}' src='data:image/png;base64,{code}'><figcaption>{text}</figcaption></figure>"
