"""The atlas as a table: every swimmer under every rule of shedding, with its verdict; and what is missing."""

from collections.abc import Sequence

from . import kern_koumoutsakos, others, two_dimensional
from .swim import RULES, Swum, swim
from .swimmer import Swimmer

SWIMMERS: tuple[Swimmer, ...] = (
    kern_koumoutsakos.REFERENCE,
    kern_koumoutsakos.FAST,
    others.EEL,
    others.TYTELL,
    two_dimensional.CARLING,
    two_dimensional.IBAMR,
)
CHOSEN_RULE = "truncate"  # nearest to the published speed of the swimmers with the role "fixed", before the others swam

CAUTION = """\
The rule of shedding and the cross-flow drag were looked for with the published speeds of the computed eel in view, and
the reading of its skin friction (own Reynolds number, exact perimeter) with the independent figures in view. The role
of each swimmer, "fixed" or "judged", stands in the data and was named before the others swam: the reference motion
fixed the rule; the fast motion (whose speed was in view as well), Tytell and Lauder's eels, Carling's eel and the
lamprey's trend judge it. Only four swimmers have a published speed, so these are not two halves of a large sample."""
MISSING = """\
Not in the atlas, since their numbers could not be had or the model does not reach them: the efficient motion of Kern
and Koumoutsakos (its abstract gives only the ratio 1.42 of burst to efficient speed), Tytell's eels at other speeds
(the abstract of 2004 says that elongated-body theory predicts their wake power and that the cost of the wake grows with
speed to the power 1.48; bodies and amplitudes at each speed are not at hand), AmphiBot and Salamandra (their gaits'
numbers), the passive swimmers of Ramananarivo."""


def swum(names: Sequence[str] = (), rules: Sequence[str] = RULES) -> list[Swum]:
    """Swims swimmers, all when no name is given, under rules of shedding.

    Raises:
        ValueError: for a name that is not in the atlas.
    """
    known = {swimmer.name: swimmer for swimmer in SWIMMERS}
    for name in names:
        if name not in known:
            raise ValueError(f"swimmer {name!r}: must be one of {', '.join(known)}")
    chosen = [known[name] for name in names] or list(SWIMMERS)
    return [swim(swimmer, rule) for rule in rules for swimmer in chosen]


def lamprey_trend() -> list[Swum]:
    """The lamprey at falling viscosities, under the atlas's rule."""
    return [swim(others.LAMPREY, CHOSEN_RULE, viscosity) for viscosity in others.LAMPREY_VISCOSITIES]


def table(rows: Sequence[Swum]) -> str:
    """Rows of text: speed, its reference figures, Strouhal number, efficiency and verdict."""
    head = f"{'swimmer':16}{'role':8}{'rule':10}{'U T/L':>8}{'indep.':>8}{'publ.':>8}{'Re':>10}{'St':>7}{'eff.':>7}"
    head = f"{head}  verdict"
    lines = [head, "-" * len(head)]
    for row in rows:
        known = row.swimmer.independent.get(row.water)
        independent = "-" if known is None else f"{known:.3f}"
        figure = row.swimmer.speed
        published = "-" if figure is None else f"{figure.value:.2f}" + ("*" if figure.from_memory else "")
        lines.append(
            f"{row.swimmer.name:16}{row.swimmer.role:8}{row.water:10}{row.speed:8.3f}{independent:>8}{published:>8}"
            f"{row.reynolds:10.0f}{row.strouhal:7.2f}{row.efficiency:7.2f}  {row.verdict}"
        )
    lines.append("* quoted from memory. indep.: another program, same theory. eff.: share of power not in the wake.")
    return "\n".join(lines)


def notes(rows: Sequence[Swum]) -> str:
    """What was chosen for each swimmer, the ratio of speeds that no rule reproduces, and what to keep in mind."""
    swimmers = {row.swimmer.name: row.swimmer for row in rows}.values()
    lines = [f"{s.name}: {s.source}. Chosen: {s.chosen}." for s in swimmers]
    by = {(row.swimmer.name, row.water): row.speed for row in rows}
    for rule in RULES:
        fast, reference = by.get(("kern-fast", rule)), by.get(("kern-reference", rule))
        if fast and reference:
            lines.append(f"fast over reference motion, {rule}: {fast / reference:.2f} (published 1.18, from memory)")
    return "\n".join([*lines, CAUTION, MISSING])
