"""The checks themselves, and what the command makes of one that fails."""

import functools
import math
import re
from pathlib import Path

import pytest

import validation
from validation import command, headlines, mutants, published, report, running
from validation.html import page
from validation.pictures import figures

ROOT = Path(__file__).parent.parent
CHECKS = validation.all_checks()
# More than a few seconds of processor time each, and not in the table of the README.
LONG = {
    "chain_on_friction_is_second_order",
    "friction_power_balance",
    "friction_tends_to_wheels",
    "inchworm_with_anchors",
    "inertia_of_a_triangular_prism",
    "lighthill_power_identity",
    "moth_energy",
    "natrix_energy",
    "point_masses_on_a_rod",
    "reference_other_fluids",
    "rower_energy",
    "soft_stress",
    "soft_swim",
    "tail_condition_six_strains",
    "thread_power",
    "wheels_do_no_work",
    "wheels_leave_the_tail_free",
}


made_once = functools.cache(running._make)


def result(check):
    return made_once(check).check


def _marked(check):
    return pytest.param(check, marks=[pytest.mark.slow] if check.__name__ in LONG else [])


def test_the_long_checks_exist():
    assert {check.__name__ for check in CHECKS} >= LONG


@pytest.mark.parametrize("check", map(_marked, CHECKS), ids=lambda check: check.__name__)
def test_physics(check):
    made = result(check)
    assert made.passed, made
    assert made.unit and made.source and made.meaning


def test_the_table_of_the_readme_is_the_one_the_checks_make():
    """Titles, units and tolerances to the letter; a measured round-off within a factor of thirty, others to 1 %."""
    written = headlines.marked((ROOT / "README.md").read_text())[1].splitlines()
    made = [check for check in CHECKS if check.__name__ in headlines.HEADLINES]
    assert len(made) == len(headlines.HEADLINES)
    fresh = headlines.table([result(check) for check in made]).splitlines()
    assert len(written) == len(fresh)
    for old, new in zip(written[2:], fresh[2:], strict=True):
        (title, then, allowed), (_, now, _) = (line.strip("| ").split(" | ") for line in (old, new))
        assert new == f"| {title} | {now} | {allowed} |"
        a, b = (abs(float(text.split()[0])) for text in (then, now))
        assert then.split()[1:] == now.split()[1:]
        assert (1 / 30 < a / b < 30) if "±" not in allowed else abs(a - b) < 1e-2 * b


def test_marks_are_asked_for():
    with pytest.raises(ValueError, match="must occur exactly once each"):
        headlines.marked("no table here")


def fake(name, measure):
    """A registered check that lives for one test."""
    measure.__name__ = name
    return report.check(group="fake", title="a fake", unit="m", source="none", meaning="the fake is broken")(measure)


@pytest.fixture
def registry(monkeypatch):
    empty = {}
    monkeypatch.setattr(report, "_REGISTRY", empty)
    return empty


def test_a_broken_check_is_named_and_turns_the_exit_code(registry, capsys):
    fake("sound", lambda: (1.0, 1.0, 1e-9))
    assert command.main([]) == 0
    fake("wrong_reference", lambda: (1.0, 2.0, 1e-9))
    assert command.main([]) == 1
    assert "FAILED fake/wrong_reference: the fake is broken" in capsys.readouterr().out


def test_an_error_inside_a_check_is_a_failure_that_is_shown(registry, capsys):
    def breaks():
        raise RuntimeError("no such water")

    fake("breaks", breaks)
    fake("undefined", lambda: (math.nan, 0.0, 1.0))
    fake("careless", lambda: (0.0, 0.0, math.inf))
    assert command.main([]) == 1
    out = capsys.readouterr().out
    assert "RuntimeError: no such water" in out and "Traceback" in out
    assert "FAILED fake/undefined" in out and "FAILED fake/careless" in out
    assert "0 of 3 checks passed" in out


def test_processes_that_share_the_checks_make_the_same_rows(capsys):
    """Two bundles in two processes: every row arrives, in the order that was asked for."""
    names = ["mass_of_the_eel", "start_is_smooth"]
    functions = [check for check in CHECKS if check.__name__ in names]
    outcome = running.run(functions, jobs=2)
    assert [check.name for check in outcome.checks] == [check.__name__ for check in functions] and outcome.jobs == 2
    assert not outcome.failed and all(seconds > 0 for seconds in (*outcome.seconds, *outcome.processor))
    assert "2 of 2 checks passed" in capsys.readouterr().out


def test_bundles_keep_together_what_shares_programs():
    bundles = running.bundled(CHECKS)
    assert sorted(check.__name__ for bundle in bundles for check in bundle) == sorted(c.__name__ for c in CHECKS)
    words = [{check.shares for check in bundle} for bundle in bundles]
    assert all(len(word) == 1 for word in words) and len(set.union(*words)) == len(bundles)


@pytest.mark.parametrize("jobs", ["0", "two", "-1"])
def test_a_number_of_processes_is_asked_for(jobs, capsys):
    with pytest.raises(SystemExit) as end:
        command.main(["--jobs", jobs])
    assert end.value.code == 2 and "must be a positive integer" in capsys.readouterr().err


def test_exhibits_of_checks_become_figures(registry):
    def drawn():
        report.exhibit("lamb", slenderness=[0.2, 0.1], error=[[0.1] * 6, [0.05] * 6])
        return 0.0, 0.0, 1.0

    fake("drawn", drawn)
    outcome = running.run(report.registered())
    (caption, _), *others = figures(outcome)
    assert "Lamb" in caption and not others
    assert page(outcome, figures(outcome)).count("data:image/png") == 1


def test_names_are_unique(registry):
    fake("twin", lambda: (0.0, 0.0, 1.0))
    with pytest.raises(ValueError, match="check 'twin': name used twice"):
        fake("twin", lambda: (0.0, 0.0, 1.0))


def test_unknown_group_exits_with_two(capsys):
    with pytest.raises(SystemExit) as end:
        command.main(["--group", "alchemy"])
    assert end.value.code == 2
    assert "alchemy" in capsys.readouterr().err
    with pytest.raises(ValueError, match="group 'alchemy': unknown, must be one of "):
        validation.all_checks(["alchemy"])


def test_groups_and_list(capsys):
    assert {check.group for check in CHECKS} == set(validation.GROUPS)
    assert command.main(["--list", "--group", "closed forms"]) == 0
    out = capsys.readouterr().out
    assert "straight_coasting" in out and "tail_condition_planar" not in out


def test_ledger_has_no_empty_cell_and_its_evidence_exists():
    names = {check.__name__ for check in CHECKS}
    claims = published.ledger()
    assert len(claims) >= 45
    for claim in claims:
        cells = claim.cells({name: 0.0 for name in claim.quotes()})
        assert len(cells) == len(published.COLUMNS) and all(cell.strip() for cell in cells), claim
        assert claim.verdict in published.VERDICTS
        if claim.verdict in (published.CORRECTED, published.CANNOT):
            assert claim.why != "-", claim
        if "::" in claim.evidence:
            path, function = claim.evidence.split("::")
            assert re.search(rf"^def {function}\(", (ROOT / path).read_text(), re.M), claim
        else:
            assert claim.evidence in names or (claim.evidence == "-" and claim.verdict == published.NOT_TESTED), claim
        assert not claim.quotes() or claim.evidence in names, f"{claim}: only a check can be quoted"
        number = isinstance(claim.ours, str) and re.search(r"\d(e-\d+|\.\d)", re.sub(r"{.*?}", "", claim.ours))
        assert not number or "::" in claim.evidence or claim.evidence == "-", f"{claim}: the number is not computed"


def test_numbers_of_the_ledger_are_in_the_test_that_computes_them():
    for claim in published.ledger():
        if "::" in claim.evidence and isinstance(claim.ours, str):
            text = (ROOT / claim.evidence.split("::")[0]).read_text()
            for number in re.findall(r"\d+\.?\d*(?:e-?\d+)?", claim.ours):
                assert re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", text), f"{number} of {claim}"


def test_a_published_number_is_reproduced_within_the_stated_threshold():
    """Rows that print one number and a unit on both sides."""
    one, compared = re.compile(r"±?([\d.]+)( ?[^\d,;]{1,6})"), 0
    for claim in published.ledger():
        ours = claim.ours if isinstance(claim.ours, str) else claim.ours()
        there, here = one.fullmatch(claim.published), one.fullmatch(ours)
        if there and here and there[2] == here[2] and claim.verdict in (published.REPRODUCED, published.CANNOT):
            near = abs(float(here[1]) / float(there[1]) - 1) <= published.WITHIN
            assert near == (claim.verdict == published.REPRODUCED), claim
            compared += 1
    assert compared >= 3


@pytest.mark.slow
def test_the_ledger_is_filled_by_the_checks_it_quotes(capsys, monkeypatch):
    claims = published.ledger()
    monkeypatch.setattr(running, "_make", made_once)
    assert command.main(["--ledger", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert f"{sum(c.verdict == published.REPRODUCED for c in claims):3} reproduced" in out
    assert "0.3451 m/s over 9-10 s" in out and "computed by python -m validation" not in out


def test_page_is_self_contained(registry):
    fake("sound", lambda: (1.0, 1.0, 1e-9))
    fake("broken<", lambda: (1.0, 2.0, 1e-9))
    text = page(running.run(report.registered()), [])
    assert "broken&lt;" in text and "1 of 2 checks passed" in text
    assert "http" not in text and "<script" not in text


def test_a_mutant_is_killed_by_its_check(tmp_path):
    """One of them, in a process of its own; `python -m validation.mutants` runs them all."""
    mutant = next(mutant for mutant in mutants.MUTANTS if mutant.name == "start_from_rest")
    verdict = mutants.trial(ROOT, mutant.checks, str(tmp_path / "cache"), mutant)
    assert verdict.killers == ("start_is_smooth",) and not verdict.trouble, verdict


def test_survivors_are_named_and_turn_the_exit_code(monkeypatch, capsys):
    killed = mutants.Verdict(("some_check",), "killed by some_check", 1.0, "")
    survived, broken = killed._replace(killers=(), words="SURVIVED"), killed._replace(killers=(), trouble="no program")
    calls = []

    def trial(origin, checks, cache, mutant=None):
        calls.append(mutant)
        if mutant is None:
            return killed._replace(killers=())
        return {"perimeter": killed, "rotors": survived, "buoyancy": broken}[mutant.name]

    monkeypatch.setattr(mutants, "trial", trial)
    assert mutants.main(["--only", "perimeter"]) == 0
    assert mutants.main(["--only", "perimeter", "--only", "rotors", "--only", "buoyancy"]) == 1
    out = capsys.readouterr().out
    assert "SURVIVED" in out and "no program" in out and "1 of 3 mutants killed" in out and calls[0] is None
    monkeypatch.setattr(mutants, "trial", lambda *_: killed)  # a check that fails without any mutant proves nothing
    assert mutants.main(["--only", "perimeter"]) == 1


def test_names_of_mutants_are_unique():
    names = [mutant.name for mutant in mutants.MUTANTS]
    assert len(set(names)) == len(names) >= 28


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda mutant: mutant.name)
def test_mutants_still_find_their_place(mutant, tmp_path):
    """Each substitution matches the source exactly once, and names checks that exist."""
    path = tmp_path / mutant.file
    path.parent.mkdir(parents=True)
    before = (ROOT / mutant.file).read_text()
    path.write_text(before)
    mutants.mutate(mutant, tmp_path)
    assert path.read_text() != before
    assert mutant.checks and set(mutant.checks) <= {check.__name__ for check in CHECKS}
    with pytest.raises(ValueError, match="occurs 0 times"):
        mutants.mutate(mutant, tmp_path)
