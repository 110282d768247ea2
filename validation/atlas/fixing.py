"""Chooses the shedding rule and the cross-flow drag of the atlas on its first half (`halves.FIXED`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .swimmer import Swimmer
from .swimming import Swum, swim
from .water import RULES

CROSS_FLOWS = (0.25, 0.5, 1.0)  # candidates


@dataclass(frozen=True)
class Candidate:
    """One choice of coefficients, with the results for the first half.

    Attributes:
        rule: shedding rule.
        cross_flow: drag coefficient across the body [-].
        swims: results for the swimmers of the first half.
    """

    rule: str
    cross_flow: float
    swims: tuple[Swum, ...]

    @property
    def misfit(self) -> float:
        """Root mean square of ln(speed / published speed); infinite if a steady swim was not found."""
        away = [row.against_published for row in self.swims]
        if not away or not all(row.converged for row in self.swims) or any(x is None for x in away):
            return float("inf")
        return float(np.sqrt(np.mean(np.log1p(np.asarray(away, float)) ** 2)))


def candidates(half: Sequence[Swimmer]) -> list[Candidate]:
    """All choices, the best one first; `water.CHOSEN_RULE` and `water.CROSS_FLOW` are those of the best."""
    found = [
        Candidate(rule, drag, tuple(swim(swimmer, rule, cross_flow=drag) for swimmer in half))
        for rule in RULES
        for drag in CROSS_FLOWS
    ]
    return sorted(found, key=lambda candidate: candidate.misfit)


def candidate_table(found: Sequence[Candidate]) -> str:
    """One line for each choice: speeds of the first half and misfit."""
    names = [row.swimmer.name for row in found[0].swims]
    lines = [f"{'rule':10}{'cross flow':>11}" + "".join(f"{name:>16}" for name in names) + f"{'misfit':>9}"]
    for candidate in found:
        speeds = "".join(f"{row.speed:16.3f}" for row in candidate.swims)
        lines.append(f"{candidate.rule:10}{candidate.cross_flow:11.2f}{speeds}{candidate.misfit:9.3f}")
    return "\n".join(lines)
