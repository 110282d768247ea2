"""A file of the user's that has the name of one of our packages is named as the cause."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def imported(folder, script="import anguilla"):
    """Runs a script that lies in a folder, as a user would: its folder comes first on sys.path."""
    (folder / "mine.py").write_text(script)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "ANGUILLA_CACHE": "off"}
    return subprocess.run([sys.executable, folder / "mine.py"], capture_output=True, text=True, env=environment)


def test_a_module_that_hides_a_package_is_named(tmp_path):
    stray = tmp_path / "gaits.py"
    stray.write_text("")
    found = imported(tmp_path)
    assert found.returncode == 1
    assert f"ImportError: {stray} hides the package `gaits`" in found.stderr


def test_a_folder_that_hides_the_checks_is_a_warning(tmp_path):
    (tmp_path / "validation").mkdir()
    (tmp_path / "validation" / "__init__.py").write_text("")
    found = imported(tmp_path)
    assert found.returncode == 0
    assert f"{tmp_path / 'validation'} hides the package `validation`" in found.stderr


def test_a_folder_of_data_hides_nothing(tmp_path):
    (tmp_path / "validation").mkdir()
    (tmp_path / "validation" / "data.csv").write_text("")
    found = imported(tmp_path)
    assert found.returncode == 0 and found.stderr == ""
