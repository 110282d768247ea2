"""Published swimmers that are compared by curves: computed curves, statements of the source, and verdicts."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .halves import role
from .swimmer import Figure, judgement


@dataclass(frozen=True)
class Claim:
    """One statement of a source on its swimmer.

    Attributes:
        words: statement of the source.
        found: computed result, as text.
        verdict: "as published", "not as published", "within 15%" or "misfit".
        from_memory: whether the statement is quoted from memory.
    """

    words: str
    found: str
    verdict: str
    from_memory: bool

    @property
    def holds(self) -> bool:
        """Whether the model agrees with the source."""
        return self.verdict not in ("not as published", "misfit")


@dataclass(frozen=True)
class Panel:
    """One curve: a quantity over a parameter.

    Attributes:
        parameter: name and unit.
        quantity: name and unit.
        x: values of the parameter.
        y: values of the quantity.
        marks: abscissae to mark, such as natural frequencies.
        published: published maximum of the quantity, to be marked; None if there is none.
    """

    parameter: str
    quantity: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    marks: tuple[float, ...] = ()
    published: float | None = None


@dataclass(frozen=True)
class Curves:
    """Computed curves of one swimmer.

    Attributes:
        name: name of the swimmer.
        panels: the curves.
        claims: the source's statements with verdicts.
    """

    name: str
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class CurveSwimmer:
    """A published swimmer that is compared by curves.

    Attributes:
        name: short, unique name.
        title: description of the swimmer.
        source: paper.
        chosen: parameters that the source does not give, or that were not available, and were chosen here.
        compute: function that simulates the swimmer and returns its curves.
        misfit: reason for differences between the model and the source.
    """

    name: str
    title: str
    source: str
    chosen: str
    compute: Callable[[], Curves]
    misfit: str = ""

    @property
    def role(self) -> str:
        """Half of the atlas to which it belongs, see `halves`."""
        return role(self.name)


def trend(words: str, found: str, holds: bool, from_memory: bool = True) -> Claim:
    """A qualitative statement, which holds or does not."""
    return Claim(words, found, "as published" if holds else "not as published", from_memory)


def value(words: str, computed: float, figure: Figure) -> Claim:
    """A statement about a number, judged by the tolerance of 15 %."""
    found = f"{computed:.3g} against {figure.value:g} {figure.unit}".rstrip()
    return Claim(words, found, judgement(computed / figure.value - 1.0), figure.from_memory)


def rises(values: ArrayLike) -> bool:
    """Whether the values are strictly increasing."""
    return bool(np.all(np.diff(np.asarray(values, float)) > 0))


def peaks(at: ArrayLike, values: ArrayLike) -> list[float]:
    """Abscissae of the interior maxima, each from the parabola through three points."""
    x, y = np.asarray(at, float), np.asarray(values, float)
    found = []
    for k in range(1, len(x) - 1):
        if y[k] > y[k - 1] and y[k] > y[k + 1]:
            a, b, _ = np.polyfit(x[k - 1 : k + 2] - x[k], y[k - 1 : k + 2], 2)
            found.append(float(x[k] - 0.5 * b / a))
    return found


def words_of(swimmer: CurveSwimmer, curves: Curves) -> str:
    """Text with the claims on one swimmer, one line each, and the reason for differences."""
    lines = [f"{swimmer.name} ({swimmer.role}): {swimmer.title}"]
    for claim in curves.claims:
        memory = " *" if claim.from_memory else ""
        lines.append(f"  {claim.verdict:17}{claim.words}{memory}: {claim.found}")
    if swimmer.misfit and not all(claim.holds for claim in curves.claims):
        lines.append(f"  why: {swimmer.misfit}")
    return "\n".join(lines)
