"""The log of an optimisation under attack: other problems, flipped bits, cuts, two runs at once."""

import json

import jax.numpy as jnp
import numpy as np
import pytest

import gaits
from gaits.search import problem as problems
from gaits.search.evaluation_log import EvaluationLog

WAVE = gaits.TravellingWave([1.0, 2.0], 1.0, 1.0)
BOUNDS = {"wavelength": (0.1, 2.0)}
FLIPS = 100


def bowl(depth):
    """Objectives of one name with different minima."""
    return gaits.quantity("bowl", "1", lambda a, w: (w - 0.7) ** 2 * jnp.sum(a) + depth, "amplitude", "wavelength")


def search(log, objective=None, wave=WAVE, **options):
    return gaits.optimise(objective or bowl(0.3), wave, BOUNDS, log=log, progress=False, **options)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The log of a whole run."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    assert search(path).value == pytest.approx(0.3, abs=1e-6)
    return path


@pytest.mark.parametrize(
    "other",
    [
        {"objective": bowl(0.9)},
        {"objective": bowl(0.3 + 1e-12)},
        {"wave": gaits.TravellingWave([1.0, 2.5], 1.0, 1.0)},
        {"model": lambda wave: {"amplitude": 2.0 * wave.amplitude, "wavelength": wave.wavelength}},
    ],
)
def test_the_log_of_another_problem_is_refused(log, other):
    """Another objective of the same name, a number that is no parameter, another model."""
    before = log.read_bytes()
    with pytest.raises(ValueError, match="its model, objective, constraints, or a number they use, was another"):
        search(log, **other)
    assert log.read_bytes() == before


def test_the_same_run_is_replayed(log):
    before = log.read_bytes()
    again = search(log)
    assert again.replayed == again.evaluations > 2 and log.read_bytes() == before


def test_other_versions_are_refused(log, monkeypatch):
    monkeypatch.setattr(problems, "versions", lambda: {"jax": "0.0.1"})
    with pytest.raises(ValueError, match=r"versions was .* now \{'jax': '0.0.1'\}"):
        search(log)


def test_the_first_point_is_evaluated_again(log, monkeypatch):
    """A difference that the program does not show, such as Python code that it calls back."""
    program = json.loads(log.read_text().splitlines()[0])["program"]
    monkeypatch.setattr(problems, "program_digest", lambda traced: program)
    with pytest.raises(ValueError, match=r"its first point had the values \[0.57\S+\] and now has \[1.17\S*\]"):
        search(log, bowl(0.9))


def test_flipped_bits_are_refused_or_dropped(log, tmp_path):
    whole, path = log.read_bytes(), tmp_path / "flipped.jsonl"
    description = {k: v for k, v in json.loads(whole.splitlines()[0]).items() if k not in ("seal",)}

    def known(content):
        path.write_bytes(content)
        opened = EvaluationLog(path, lambda: description)
        opened.close()
        return {key: record["values"].tobytes() for key, record in opened.known.items()}

    right, refused = known(whole), 0
    for bit in np.random.default_rng(3).choice(8 * len(whole), FLIPS, replace=False):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << int(bit) % 8
        try:
            assert known(bytes(content)).items() <= right.items()
        except ValueError as error:
            assert "nothing was changed" in str(error) and path.read_bytes() == content
            refused += 1
    assert refused > 0.9 * FLIPS


@pytest.mark.parametrize("harm", ["lost", "exchanged"])
def test_lines_that_are_lost_or_exchanged_are_refused(log, tmp_path, harm):
    lines = log.read_bytes().split(b"\n")
    lines[2:4] = lines[3:4] if harm == "lost" else lines[3:1:-1]
    (tmp_path / "log").write_bytes(b"\n".join(lines))
    with pytest.raises(ValueError, match="line 3 is damaged"):
        search(tmp_path / "log")


def test_one_run_at_a_time(tmp_path):
    first = EvaluationLog(tmp_path / "log", lambda: {"a": 1})
    with pytest.raises(FileExistsError, match="another run is writing it"):
        EvaluationLog(tmp_path / "log", lambda: {"a": 1})
    first.write(np.zeros(2), values=np.ones(1))
    first.close()
    assert len(EvaluationLog(tmp_path / "log", lambda: {"a": 1}).known) == 1
