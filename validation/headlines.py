"""The table of the README: the main checks, each with its measured value and its tolerance."""

from collections.abc import Sequence
from pathlib import Path

from .report import Check, registered

BEGIN, END = "<!-- validation table: made by `python -m validation --readme README.md` -->", "<!-- end of the table -->"
HEADLINES = (
    "beam_momentum_in_vacuum",
    "tail_condition_planar",
    "power_identity_paper",
    "kirchhoff_energy",
    "kirchhoff_impulse",
    "tree_momentum_in_vacuum",
    "reference_acceleration",
    "reference_internal_moment",
    "reference_fast_path",
    "head_after_ten_seconds",
    "gradient_of_the_distance",
    "chain_order_in_vacuum",
    "tree_against_pinocchio",
    "tree_against_mujoco",
    "straight_coasting",
    "euler_poinsot_tree",
)


def table(checks: Sequence[Check]) -> str:
    """The headline checks as a Markdown table.

    Raises:
        ValueError: a headline check was not run, for instance because a peer library is not installed.
    """
    titles = {function.__name__: function.title for function in registered()}
    made = {check.name: check for check in checks}
    rows = ["| check | measured | allowed |", "|---|---|---|"]
    for name in HEADLINES:
        if name not in made:
            raise ValueError(f"the headline {name!r} was not made")
        check = made[name]
        unit = "" if check.unit in ("-", "rel.") else f" {check.unit}"
        exact = check.reference == 0.0
        measured = f"{check.measured:.0e}" if exact else f"{check.measured:.4g}"
        allowed = f"{check.tolerance:.0e}" if exact else f"{check.reference:.4g} ± {check.tolerance:.0e}"
        rows.append(f"| {titles[name]} | {measured}{unit} | {allowed} |")
    return "\n".join(rows)


def marked(text: str) -> tuple[str, str, str]:
    """Splits a text at the marks: before the table, the table, after it.

    Raises:
        ValueError: the marks do not occur exactly once each.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"the marks {BEGIN!r} and {END!r} must occur exactly once each")
    before, rest = text.split(BEGIN)
    inside, after = rest.split(END)
    return before + BEGIN, inside.strip(), END + after


def write_table(path: Path, checks: Sequence[Check]) -> None:
    """Rewrites the table between the marks of a file."""
    before, _, after = marked(path.read_text(encoding="utf-8"))
    path.write_text(f"{before}\n{table(checks)}\n{after}", encoding="utf-8")
