"""A process forked after JAX started is refused with advice; others work."""

import subprocess
import sys

import pytest

SCRIPT = """
import multiprocessing, sys
import anguilla, gaits, jax.numpy as jnp

def work(k):
    return float(gaits.planar(period=1.0 + k)(jnp.asarray(0.5), jnp.asarray(0.1))[5])

if __name__ == "__main__":
    if "started" in sys.argv:
        jnp.zeros(2)
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        try:
            print(pool.map_async(work, [0.0, 1.0]).get(timeout=60))
        except RuntimeError as error:
            print("refused:", error)
"""


@pytest.mark.parametrize(
    "words, expected",
    [(["fork", "started"], "refused: this process was forked after JAX had started"), (["fork"], "[")],
)
def test_fork(tmp_path, words, expected):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py"), *words], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.startswith(expected)
    assert ("spawn" in done.stdout) == ("started" in words)
