"""Batches sharded over two devices: a stand-in for machines with accelerators."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_public_functions_on_two_devices():
    """Every device computes its rows, without calls back to Python in loops, and the rows equal those of one device.

    Steps are those of each row in either case; sums may be ordered differently, so round-off grown by some steps is
    allowed: 1e-10.
    """
    worker = Path(__file__).with_name("device_worker.py")
    done = subprocess.run([sys.executable, str(worker)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(found)
    assert len(found) == 7
    for name, figures in found.items():
        assert figures["calls_in_loops"] == 0, name
        assert figures["devices"] == 2, name
        assert figures["difference"] < 1e-10, name
