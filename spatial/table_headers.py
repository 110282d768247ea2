"""First lines of tables in text files: names of the columns and their units, which are converted to SI."""

import re
from collections.abc import Sequence
from pathlib import Path

PER_SI = {  # how many of each unit make one SI unit
    "m": {"m": 1.0, "cm": 100.0, "mm": 1000.0},
    "s": {"s": 1.0, "ms": 1000.0},
    "kg/m3": {"kg/m3": 1.0, "g/cm3": 0.001},
}


def column_names(path: Path, cells: Sequence[str]) -> list[tuple[str, str | None]]:
    """Name and unit of each column, from the cells of the first line: `X [cm]` or `X (cm)`; None for no unit.

    Raises:
        ValueError: the columns are not separated by commas, or the line contains numbers instead of names.
    """
    if len(cells) == 1 and re.search(r"[;\t]", cells[0]):
        raise ValueError(f"{path}: the first line is {cells[0]!r}: separate columns by commas")
    if all(_is_number(cell) for cell in cells):
        raise ValueError(f"{path}: the first line is {','.join(cells)!r}: the first line must name the columns")
    found = [re.fullmatch(r"\s*([^\[(]*?)\s*(?:[\[(]\s*(.*?)\s*[\])]?\s*)?", cell) for cell in cells]
    return [(match[1], match[2]) if match else (cell.strip(), None) for match, cell in zip(found, cells, strict=True)]


def units_per_si(path: Path, name: str, unit: str | None, si: str) -> float:
    """Number by which to divide a column to get SI units; 1 for a column without a unit.

    Args:
        path: path of the file, for the message.
        name: name of the column.
        unit: its unit in the file, or None.
        si: its SI unit, a key of `PER_SI`.

    Raises:
        ValueError: the unit is unknown.
    """
    known = PER_SI[si]
    plain = si if unit is None else re.sub(r"[\s^*]", "", unit).replace("³", "3")
    if plain not in known:
        raise ValueError(f"{path}: column {name!r} has the unit {unit!r}: must be in {' or '.join(known)}")
    return known[plain]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
