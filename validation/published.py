"""Ledger of published claims: the claim, the result of this code, and the verdict."""

import string
import textwrap
from collections.abc import Callable, Mapping
from typing import NamedTuple

REPRODUCED = "reproduced"
CORRECTED = "reproduced with a corrected equation"
FITTED = "fitted"
CANNOT = "cannot be reproduced"
NOT_TESTED = "not tested"
WITHIN = 0.1  # relative difference up to which a published number counts as reproduced
RULE = (
    f"A published number is reproduced within {WITHIN:.0%}, a published behaviour when a test or check finds it; a "
    "number that was used to choose an unpublished parameter is fitted."
)
VERDICTS = (REPRODUCED, CORRECTED, FITTED, CANNOT, NOT_TESTED)


class Claim(NamedTuple):
    """One claim of a paper.

    Attributes:
        claim: the statement.
        where: paper and section or equation.
        published: the published value or result.
        ours: result of this code; a function if it is cheap to compute. Fields such as `{speed_planar:.4f}` are filled
            with the numbers that the checks measure or record (`report.quoted`).
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

    def quotes(self) -> tuple[str, ...]:
        """Names of the numbers that are filled in."""
        if not isinstance(self.ours, str):
            return ()
        return tuple(name for _, name, _, _ in string.Formatter().parse(self.ours) if name)

    def cells(self, numbers: Mapping[str, float] | None = None) -> tuple[str, ...]:
        """The seven cells as text.

        Args:
            numbers: the numbers that `ours` quotes; if they are missing, the cell names the check to run.
        """
        if not isinstance(self.ours, str):
            ours = self.ours()
        elif all(name in (numbers or {}) for name in self.quotes()):
            ours = self.ours.format_map(numbers or {})
        else:
            ours = f"computed by python -m validation --check {self.evidence}"
        return (self.claim, self.where, self.published, ours, self.evidence, self.verdict, self.why)


COLUMNS = ("claim", "where", "published", "ours", "evidence", "verdict", "why")


def ledger() -> tuple[Claim, ...]:
    """All claims, paper by paper."""
    from .claims_eel import CLAIMS as eel
    from .claims_flight_and_surface import CLAIMS as flight_and_surface
    from .claims_machines import CLAIMS as machines

    return eel + machines + flight_and_surface


def quoted_checks(claims: tuple[Claim, ...]) -> set[str]:
    """Names of the checks whose numbers the claims quote."""
    return {claim.evidence for claim in claims if claim.quotes()}


def print_ledger(claims: tuple[Claim, ...], numbers: Mapping[str, float]) -> None:
    """Prints the claims one by one, then the number of each verdict.

    Args:
        claims: the ledger.
        numbers: the numbers that the claims quote.
    """
    for k, claim in enumerate(claims, 1):
        name, where, published, ours, evidence, verdict, why = claim.cells(numbers)
        print(f"{k:2}. {name}  {where}")
        rows = (("published", published), ("ours", ours), ("evidence", evidence), ("verdict", verdict), ("why", why))
        for word, text in rows:
            wrapped = textwrap.fill(text, 110, initial_indent=f"    {word:10} ", subsequent_indent=" " * 15)
            print(wrapped)
    print(RULE)
    for verdict in VERDICTS:
        print(f"{sum(claim.verdict == verdict for claim in claims):3} {verdict}")
