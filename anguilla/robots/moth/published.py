"""Published figures of the hover [PBB13, IV.C] next to computed ones."""

import math
from dataclasses import dataclass

import numpy as np

from .energy_budget import Figures

DEGREE = math.pi / 180.0


@dataclass(frozen=True)
class Row:
    """One published number.

    Attributes:
        field: name of the field of `Figures`.
        words: description.
        value: published value, in `unit`.
        unit: unit of the table.
        size: value of that unit in SI.
        digits: number of decimals.
    """

    field: str
    words: str
    value: float
    unit: str
    size: float
    digits: int


# Published values, row by row, with units.
PUBLISHED = (
    Row("amplitude", "stroke amplitude (Table I; ours is trimmed)", 41.3, "deg", DEGREE, 1),
    Row("forward", "thorax along n, +-", 2.0, "mm", 1e-3, 2),
    Row("upward", "thorax along a, +-", 0.5, "mm", 1e-3, 2),
    Row("pitch", "pitch, +-", 7.0, "deg", DEGREE, 1),
    Row("twist", "twist of the wing tip, +-", 79.0, "deg", DEGREE, 0),
    Row("twist_lag", "its lag behind the stroke", 58.0, "deg", DEGREE, 0),
    Row("bend", "bend of the wing tip, +-", 68.0, "deg", DEGREE, 0),
    Row("bend_lag", "its lag behind the stroke", 36.0, "deg", DEGREE, 0),
    Row("torque", "peak stroke torque", 12.1, "mN m", 1e-3, 1),
    Row("power", "mean power of one wing", 0.42, "W", 1.0, 3),
    Row("specific_power", "power of both over the mass", 120.0, "W/kg", 1.0, 0),
)

REASON = (
    "The paper's own numbers do not fit together (a twist that is largest at zero stroke, as its text says, lags the "
    "stroke by 90 deg, not 58),\nand no reading reproduces them all: TB8 is nearest to its text, BT9c to its numbers."
)


def published_lines(figures: dict[str, Figures]) -> list[str]:
    """Table of published and computed values, one column per reading, and the reason for the differences."""
    head = f"{'':46}{'unit':>6}{'published':>11}" + "".join(f"{name:>9}" for name in figures)
    lines = [head]
    for row in PUBLISHED:
        ours = [float(np.asarray(getattr(found, row.field))) / row.size for found in figures.values()]
        cells = "".join(f"{value:9.{row.digits}f}" for value in ours)
        lines.append(f"{row.words:46}{row.unit:>6}{row.value:11g}{cells}")
    return [*lines, *REASON.splitlines()]
