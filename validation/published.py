"""Ledger of published claims: the claim, the result of this code, and the verdict."""

import textwrap
from collections.abc import Callable
from typing import NamedTuple

REPRODUCED = "reproduced"
CORRECTED = "reproduced with a corrected equation"
FITTED = "fitted"
CANNOT = "cannot be reproduced"
NOT_TESTED = "not tested"
VERDICTS = (REPRODUCED, CORRECTED, FITTED, CANNOT, NOT_TESTED)


class Claim(NamedTuple):
    """One claim of a paper.

    Attributes:
        claim: the statement.
        where: paper and section or equation.
        published: the published value or result.
        ours: result of this code; a function if it is cheap to compute.
        evidence: the check, or the test as file::function, that computes it.
        verdict: one of `VERDICTS`.
        why: the correction, or the reason; "-" if none.
    """

    claim: str
    where: str
    published: str
    ours: str | Callable[[], str]
    evidence: str
    verdict: str
    why: str

    def cells(self) -> tuple[str, ...]:
        """The seven cells as text; cheap results are computed now."""
        ours = self.ours if isinstance(self.ours, str) else self.ours()
        return (self.claim, self.where, self.published, ours, self.evidence, self.verdict, self.why)


COLUMNS = ("claim", "where", "published", "ours", "evidence", "verdict", "why")


def ledger() -> tuple[Claim, ...]:
    """All claims, paper by paper."""
    from .claims_eel import CLAIMS as eel
    from .claims_flight_and_surface import CLAIMS as flight_and_surface
    from .claims_machines import CLAIMS as machines

    return eel + machines + flight_and_surface


def print_ledger(claims: tuple[Claim, ...]) -> None:
    """Prints the claims one by one, then the number of each verdict."""
    for k, claim in enumerate(claims, 1):
        name, where, published, ours, evidence, verdict, why = claim.cells()
        print(f"{k:2}. {name}  {where}")
        rows = (("published", published), ("ours", ours), ("evidence", evidence), ("verdict", verdict), ("why", why))
        for word, text in rows:
            wrapped = textwrap.fill(text, 110, initial_indent=f"    {word:10} ", subsequent_indent=" " * 15)
            print(wrapped)
    for verdict in VERDICTS:
        print(f"{sum(claim.verdict == verdict for claim in claims):3} {verdict}")
