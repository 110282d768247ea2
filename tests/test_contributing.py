"""The table of concepts in CONTRIBUTING.md names files that exist and define what it says."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| `([^`]+\.py)` \| `(\w+)` \|$", TEXT, re.MULTILINE)
FILES = re.findall(
    r"`((?:anguilla|cosserat|docs|gaits|hydro|multibody|spatial|stepping|tests|validation)/[\w/.]+)`", TEXT
)
PLANNED = ("tests/test_NAME.py", "anguilla/robots/NAME/")  # what a contributor creates


def definitions(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


@pytest.mark.parametrize(("concept", "file", "name"), ROWS, ids=[row[0] for row in ROWS])
def test_the_file_defines_the_concept(concept, file, name):
    assert name in definitions(ROOT / file)


def test_the_list_is_long_and_has_no_repetition():
    assert len(ROWS) >= 20
    assert len({file for _, file, _ in ROWS}) == len(ROWS)


def test_every_file_that_the_page_names_exists():
    assert len(FILES) > 40
    assert [file for file in FILES if file not in PLANNED and not (ROOT / file).exists()] == []
