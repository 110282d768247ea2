"""The README's example runs as it stands, and prints what the README says it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def first_block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
    assert found, f"the README has no ```{language} block"
    return found.group(1)


def first_output() -> str:
    """The first block without a language; blocks are read in order, so that a closing fence never opens one."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
    return next(text for language, text in blocks if not language)


def test_the_first_example_prints_what_the_readme_says(tmp_path):
    script = tmp_path / "example.py"
    script.write_text(first_block("python"), encoding="utf-8")
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    run = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n") == first_output().split("\n"), run.stdout
    assert (tmp_path / "turn.nc").stat().st_size > 0
    assert (tmp_path / "turn.png").stat().st_size > 0


def test_the_readme_stays_short():
    assert len(README.splitlines()) <= 120
