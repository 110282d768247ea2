"""The examples in the docstrings run and print what they show.

They run in one process and share sizes, so that most of them reuse compiled programs.
"""

import doctest
import importlib
import inspect

import pytest

pytestmark = pytest.mark.slow

# The functions that users call first, by the package from which they take them.
FIRST = {
    "stepping": ("Span", "explicit_steps", "implicit_steps", "StoredStages"),
    "hydro": ("Morison", "Profile", "FreeSurface", "Together"),
    "gaits": (
        "planar",
        "turn",
        "dive",
        "spiral",
        "TravellingWave",
        "optimise",
        "from_midline",
        "identify",
        "HillMuscle",
        "Commanded",
    ),
    "cosserat": (
        "Beam",
        "eel",
        "rod",
        "head_acceleration",
        "internal_wrench",
        "energetics",
        "rollout",
        "simulate",
        "steady_swim",
        "Thread",
        "thread_length",
    ),
    "multibody": (
        "from_links",
        "from_dh",
        "from_beam",
        "inverse_dynamics",
        "forward_dynamics",
        "hybrid_dynamics",
        "rollout",
        "simulate",
        "Cable",
    ),
    "gaits.feedback": ("Predictive",),
    "anguilla.learn": ("unroll_batch", "predictive_steering", "NeuralPolicy"),
    "anguilla": ("save", "load", "sweep", "open_sweep", "animate", "still"),
    "anguilla.view": ("configurations", "internal_wrench", "space_time", "interactive_page", "write_vtk"),
}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
NAMES = [f"{package}.{name}" for package, names in FIRST.items() for name in names]


def examples(name: str) -> doctest.DocTest:
    package, _, attribute = name.rpartition(".")
    value = inspect.unwrap(getattr(importlib.import_module(package), attribute))
    return doctest.DocTestParser().get_doctest(
        inspect.getdoc(value) or "", {"__name__": "__main__"}, name, inspect.getfile(value), 0
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_example_prints_what_it_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = examples(name)
    assert test.examples, f"{name}: its docstring has no example"
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert failed == 0, "".join(report)
