"""Typical mistakes of newcomers give an error that names the argument, its value and the rule."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mistakes import MISTAKES


@pytest.fixture(scope="module")
def messages():
    """The messages, from a process without the run-time checks of types under which the tests run."""
    root = Path(__file__).parents[1]
    environment = os.environ | {"ANGUILLA_CACHE": "off", "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "tests.mistakes"]
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_explained(messages, mistake):
    kind, message = messages[mistake]
    assert kind in ("ValueError", "TypeError", "FileNotFoundError"), (kind, message)
    assert re.search(MISTAKES[mistake][1], message), message
    assert len(message) < 300
