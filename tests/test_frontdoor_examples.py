"""Every command that help, README and documentation show is one that the command line takes."""

import re
import shlex
from pathlib import Path

import pytest

from anguilla.cli import EPILOG, build_parser
from anguilla.commands import VERBS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "docs" / "index.md", ROOT / "docs" / "validation.md"]
PAGES += sorted((ROOT / "docs" / "howto").glob("*.md"))
NAMES = list(VERBS)


def commands(text):
    """Lines that begin with `anguilla`, and commands in backquotes, without the explanation beside them."""
    lines = re.findall(r"^ *(anguilla [^ ].*)$", text, re.MULTILINE) + re.findall(r"`(anguilla [^` ]+ [^`]+)`", text)
    return [re.split(r"  +|  #", line)[0] for line in lines]


def helps():
    chosen = next(action for action in build_parser()._actions if action.dest == "verb").choices
    assert chosen is not None
    return {"anguilla": EPILOG, **{f"anguilla {name}": chosen[name].epilog for name in NAMES}}


EXAMPLES = {(where, line) for where, text in helps().items() for line in commands(text)}
EXAMPLES |= {(page.name, line) for page in PAGES for line in commands(page.read_text(encoding="utf-8"))}


@pytest.fixture(scope="module")
def recipes(tmp_path_factory):
    """A folder with the files that the examples read."""
    folder = tmp_path_factory.mktemp("examples")
    names = re.findall(r"@(\S+\.recipe)", " ".join(line for _, line in EXAMPLES))
    for name in (*names, "out/planar.nc"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("swim\n--gait planar\n" if path.suffix == ".recipe" else "")
    return folder


@pytest.mark.parametrize(("where", "line"), sorted(EXAMPLES))
def test_the_command_line_takes_the_example(where, line, recipes, monkeypatch, capsys):
    monkeypatch.chdir(recipes)
    monkeypatch.setattr("shutil.which", lambda program: f"/bin/{program}")  # an example may need ffmpeg
    words = shlex.split(line)[1:]
    if words[-1] in ("--help", "VERB", "...") or words == ["VERB", "..."]:
        words = [*words[:-1], "--help"]
    try:
        chosen = build_parser().parse_args(words)
    except SystemExit as end:
        assert end.code == 0 and words[-1] in ("--help", "--version"), (where, capsys.readouterr().err)
        return
    assert chosen.check(chosen) is None if hasattr(chosen, "check") else True


def test_every_verb_shows_examples_of_itself():
    for name in NAMES:
        own = [line for where, line in EXAMPLES if where == f"anguilla {name}" and line.split()[1] == name]
        assert len(own) >= 2, name
