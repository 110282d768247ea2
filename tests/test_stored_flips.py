"""A flipped bit in a stored file: the right answer or a refusal, in a process that lives on."""

import subprocess
import sys

import pytest

from tests.bit_flips import KINDS


@pytest.mark.slow
def test_no_flipped_bit_is_silent():
    """A hundred in each kind of file, in a process of its own, which must end well."""
    done = subprocess.run([sys.executable, "-m", "tests.bit_flips"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(KINDS) and all(line.endswith("     0 silent") for line in lines), done.stdout
