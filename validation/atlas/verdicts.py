"""The atlas as a table: every swimmer with its verdict, and notes."""

from collections.abc import Sequence

from . import animals_over_speed, chains, filament, kern_koumoutsakos, others, two_dimensional
from .curve import Curves, CurveSwimmer, words_of
from .fixing import Candidate, candidates
from .halves import FIXED, JUDGED
from .swimmer import WITHIN, Swimmer
from .swimming import Swum, swim
from .water import CHOSEN_RULE, CROSS_FLOW, INDEPENDENT_CROSS_FLOW, RULES

SWIMMERS: tuple[Swimmer, ...] = (
    kern_koumoutsakos.REFERENCE,
    kern_koumoutsakos.FAST,
    others.EEL,
    others.TYTELL,
    two_dimensional.CARLING,
    two_dimensional.IBAMR,
)
CURVES: tuple[CurveSwimmer, ...] = (
    animals_over_speed.TYTELL_SPEEDS,
    animals_over_speed.LAMPREY_TREND,
    chains.AMPHIBOT,
    chains.SALAMANDRA,
    filament.RAMANANARIVO,
)
CAUTION = f"""\
One set of coefficients: rule of shedding "{CHOSEN_RULE}", cross-flow drag {CROSS_FLOW:g}, laminar friction of a plate
at the swimmer's own Reynolds number on the exact perimeter. Rule and drag are the best of a small grid on the first
half ({", ".join(FIXED)}), named before the second half
({", ".join(JUDGED)}) swam with them;
`anguilla atlas --fix` repeats the search. The reading of the friction was chosen with the independent figures in view.
Speeds under the other rules are shown for comparison."""
MISSING = """\
Not in the atlas: the efficient motion of Kern and Koumoutsakos (its abstract gives only the ratio 1.42 of burst to
efficient speed)."""


def names() -> tuple[str, ...]:
    """All swimmers."""
    return (*(swimmer.name for swimmer in SWIMMERS), *(swimmer.name for swimmer in CURVES))


def chosen(wanted: Sequence[str] = ()) -> tuple[list[Swimmer], list[CurveSwimmer]]:
    """The named swimmers, divided into those compared by speed and those compared by curves; all if no name is given.

    Raises:
        ValueError: for a name that is not in the atlas.
    """
    for name in wanted:
        if name not in names():
            raise ValueError(f"swimmer {name!r}: must be one of {', '.join(names())}")
    asked = lambda swimmer: not wanted or swimmer.name in wanted  # noqa: E731
    return list(filter(asked, SWIMMERS)), list(filter(asked, CURVES))


def swum(swimmers: Sequence[str] = (), rules: Sequence[str] = RULES) -> list[Swum]:
    """Simulates the swimmers compared by speed, all if no name is given, under the given shedding rules.

    Swimmers with results of an independent program are also simulated with the cross-flow drag of that program.
    """
    wanted = chosen(swimmers)[0]
    rows = [swim(swimmer, rule) for rule in rules for swimmer in wanted]
    known = [swimmer for swimmer in wanted if swimmer.independent]
    return rows + [swim(one, rule, cross_flow=INDEPENDENT_CROSS_FLOW) for rule in rules for one in known]


def first_half() -> list[Candidate]:
    """The search for the shedding rule and the cross-flow drag, the best choice first."""
    known = {swimmer.name: swimmer for swimmer in SWIMMERS}
    return candidates([known[name] for name in FIXED])


def table(rows: Sequence[Swum]) -> str:
    """Rows of text: speed, its reference figures, Strouhal number, efficiency and verdict."""
    head = f"{'swimmer':16}{'role':8}{'rule':10}{'Cd':>4}{'U T/L':>8}{'indep.':>8}{'publ.':>8}"
    head = f"{head}{'Re':>10}{'St':>7}{'eff.':>7}  verdict"
    lines = [head, "-" * len(head)]
    for row in rows:
        independent = "-" if row.independent is None else f"{row.independent:.3f}"
        figure = row.swimmer.speed
        published = "-" if figure is None else f"{figure.value:.2f}" + ("*" if figure.from_memory else "")
        why = f": {row.swimmer.misfit}" if row.verdict == "misfit" and row.swimmer.misfit else ""
        lines.append(
            f"{row.swimmer.name:16}{row.swimmer.role:8}{row.water:10}{row.cross_flow:4.1f}{row.speed:8.3f}"
            f"{independent:>8}{published:>8}{row.reynolds:10.0f}{row.strouhal:7.2f}{row.efficiency:7.2f}"
            f"  {row.verdict}{why}"
        )
    lines.append(
        "* quoted from memory. indep.: another program, same theory, cross-flow drag 0.5. eff.: share of power"
    )
    lines.append("not in the wake.")
    return "\n".join(lines)


def curve_table(found: Sequence[Curves]) -> str:
    """The claims on the swimmers compared by curves, with verdicts."""
    known = {swimmer.name: swimmer for swimmer in CURVES}
    return "\n".join(words_of(known[curves.name], curves) for curves in found)


def tally(rows: Sequence[Swum], found: Sequence[Curves]) -> str:
    """Number of values within 15 % and of trends as published, of each half that was simulated."""
    lines = []
    for half, members in (("first", FIXED), ("second", JUDGED)):
        speeds = [row.verdict for row in rows if row.swimmer.name in members and _common(row)]
        claims = [claim for curves in found if curves.name in members for claim in curves.claims]
        numbers = speeds + [claim.verdict for claim in claims if "published" not in claim.verdict]
        trends = [claim.verdict for claim in claims if "published" in claim.verdict]
        if not numbers and not trends:
            continue
        good = sum(verdict.startswith("within") for verdict in numbers)
        line = f"{half} half: {good} of {len(numbers)} figures within {WITHIN:.0%}"
        if trends:
            line += f", {sum(verdict == 'as published' for verdict in trends)} of {len(trends)} trends as published"
        lines.append(line)
    return "\n".join(lines)


def _common(row: Swum) -> bool:
    """Whether it was simulated with the common coefficients of the atlas."""
    return (row.water, row.cross_flow) == (CHOSEN_RULE, CROSS_FLOW)


def notes(rows: Sequence[Swum], found: Sequence[Curves] = ()) -> str:
    """Notes: choices for each swimmer, the ratio of speeds that no rule reproduces, and caveats."""
    known: dict[str, Swimmer | CurveSwimmer] = {row.swimmer.name: row.swimmer for row in rows}
    known |= {swimmer.name: swimmer for swimmer in CURVES if swimmer.name in {curves.name for curves in found}}
    lines = [f"{s.name}: {s.source}. Chosen: {s.chosen}." for s in known.values()]
    by = {(row.swimmer.name, row.water): row.speed for row in rows if row.cross_flow == CROSS_FLOW}
    for rule in RULES:
        fast, reference = by.get(("kern-fast", rule)), by.get(("kern-reference", rule))
        if fast and reference:
            lines.append(f"fast over reference motion, {rule}: {fast / reference:.2f} (published 1.18, from memory)")
    return "\n".join([*lines, CAUTION, MISSING])
