"""Data of a swimmer of the atlas: body and motion of its source, and the parameters that had to be chosen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cosserat

from .halves import role

WITHIN = 0.15  # relative difference up to which the verdict is "within 15 %"


def judgement(away: float) -> str:
    """Verdict on a relative difference from a published figure."""
    return f"within {WITHIN:.0%}" if abs(away) <= WITHIN else "misfit"


@dataclass(frozen=True)
class Figure:
    """A published or independently computed number.

    Attributes:
        value: the number.
        unit: its unit.
        source: where it is published.
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
        name: short, unique name.
        title: description of the swimmer.
        source: paper that gives body and motion.
        body: function that builds the body.
        gait: function that builds its periodic strain law.
        period: period T of the gait [s].
        density: density of the water [kg/m³].
        viscosity: kinematic viscosity of the water [m²/s].
        edge: abscissa of the shedding edge for the rules "truncate" and "hold" [m].
        speed: published speed, in lengths per period; None if unknown.
        independent: speeds of an independent program with the same theory, by rule, in lengths per period.
        chosen: parameters that the source does not give and were chosen here.
        misfit: reason for differences between the model and the source.
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
        """Half of the atlas to which it belongs, see `halves`."""
        return role(self.name)
