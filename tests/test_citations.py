"""Every source cited in the code is in REFERENCES.md, and every one there is a source."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("spatial", "stepping", "hydro", "gaits", "cosserat", "multibody", "validation", "anguilla")
CITATION = re.compile(r"\[([A-Z][A-Za-z]{1,5}\d{2})[,\]]")


def test_every_citation_has_an_entry():
    known = set(re.findall(r"^\| ([A-Z]\w+\d{2}) \|", (ROOT / "REFERENCES.md").read_text(), re.MULTILINE))
    assert {"BPK06", "KR13", "PBB13", "CHA08"} <= known
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            unknown = set(CITATION.findall(path.read_text())) - known
            assert not unknown, f"{path.relative_to(ROOT)} cites {unknown}"
