"""What a row of the atlas says: a swimmer as its source gives it, and what had to be chosen to swim it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cosserat

from .halves import role

WITHIN = 0.15  # of a published figure: the verdict "within 15 %"


def judgement(away: float) -> str:
    """Verdict on a relative difference from a published figure."""
    return f"within {WITHIN:.0%}" if abs(away) <= WITHIN else "misfit"


@dataclass(frozen=True)
class Figure:
    """A published or independently computed number.

    Attributes:
        value: the number.
        unit: its unit.
        source: where it stands.
        from_memory: whether it is quoted from memory, unchecked against the source.
    """

    value: float
    unit: str
    source: str
    from_memory: bool = False


@dataclass(frozen=True)
class Swimmer:
    """A published swimmer.

    Attributes:
        name: short, unique.
        title: what swims.
        source: paper that gives body and motion.
        body: makes the body.
        gait: makes its strain law, periodic.
        period: T of the gait [s].
        density: of the water [kg/m³].
        viscosity: kinematic, of the water [m²/s].
        edge: abscissa of the shedding edge that the rules "truncate" and "hold" take [m].
        speed: published speed, in lengths per period; None where none is known.
        independent: speeds of an independent program with the same theory, by rule, in lengths per period.
        chosen: what the source does not say and was chosen here.
        misfit: why the model differs from the source, where it does.
    """

    name: str
    title: str
    source: str
    body: Callable[[], cosserat.Beam]
    gait: Callable[[], Any]
    period: float
    density: float
    viscosity: float
    edge: float
    speed: Figure | None
    independent: dict[str, float]
    chosen: str
    misfit: str = ""

    @property
    def role(self) -> str:
        """Half of the atlas it belongs to, see `halves`."""
        return role(self.name)
