"""Rows of the benchmark: a ratio, its target, and whether it is met."""

import json
import os
import platform
import subprocess
import time
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One target.

    Attributes:
        what: is compared.
        value: measured here, in this run.
        relation: "≥" or "≤", which the value should have to the target.
        target: None for a figure that has none.
        how: the figures behind the ratio.
    """

    what: str
    value: float
    relation: str
    target: float | None
    how: str

    @property
    def met(self) -> bool:
        """Whether the target is met; true where there is none."""
        if self.target is None:
            return True
        return self.value >= self.target if self.relation == "≥" else self.value <= self.target

    @property
    def words(self) -> str:
        """The row on one line, marked where it misses."""
        target = "" if self.target is None else f"{self.relation} {self.target:g}"
        return f"{' ' if self.met else '✗'} {self.what:72}{self.value:>9.3g}  {target:8} {self.how}"


def at_least(what: str, value: float, target: float, how: str) -> Row:
    """A row whose value should be great."""
    return Row(what, value, "≥", target, how)


def at_most(what: str, value: float, target: float, how: str) -> Row:
    """A row whose value should be small."""
    return Row(what, value, "≤", target, how)


def machine() -> str:
    """What the figures were taken on."""
    return f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def _commit() -> str:
    """The commit that was measured, where there is one; marked if files differ from it."""
    try:
        found = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()


def write_json(rows: list[Row], place: Path) -> None:
    """The rows as a file, for the documentation and for comparisons over time."""
    place.write_text(
        json.dumps(
            {
                "date": time.strftime("%Y-%m-%d", time.gmtime()),
                "commit": _commit(),
                "machine": machine(),
                "rows": [row._asdict() | {"value": float(row.value), "met": bool(row.met)} for row in rows],
            },
            indent=1,
        )
    )
