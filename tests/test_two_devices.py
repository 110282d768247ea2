"""Batches sharded over two devices: a stand-in for machines with accelerators."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

GROUPS = (
    ("swim", "wrench", "slope"),
    ("soft_swim", "tendons", "soft_contact"),
    ("torques", "accelerations", "tree_swim", "cables"),
    ("lighthill", "crawl", "feedback"),
    ("steady", "objective"),
    ("episode", "episodes", "sweep"),
)


@pytest.mark.slow
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: names[0])
def test_public_functions_on_two_devices(names):
    """Every device computes its rows, in double precision, without calls back to Python in loops, as one device does.

    Steps are those of each row in either case; sums may be ordered differently, so round-off grown by some steps is
    allowed: 1e-10.
    """
    worker = Path(__file__).with_name("device_worker.py")
    done = subprocess.run([sys.executable, str(worker), *names], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(found)
    assert tuple(found) == names
    for name, figures in found.items():
        assert figures["calls_in_loops"] == figures["singles"] == 0, name
        assert figures["devices"] == 2, name
        assert figures["difference"] < 1e-10, name
