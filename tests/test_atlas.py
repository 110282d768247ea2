"""The atlas of published swimmers: the computed eel beside the independent figures, its table and its refusals."""

import pytest

from validation import atlas
from validation.atlas.kern_koumoutsakos import FAST, REFERENCE

pytestmark = pytest.mark.slow

INDEPENDENT = 1e-2  # of the independent program's speeds, which are given to three digits


@pytest.fixture(scope="module")
def rows():
    return atlas.swum([REFERENCE.name, FAST.name], ["truncate"])


def test_speeds_of_the_computed_eel(rows):
    for row in rows:
        assert row.converged
        assert abs(row.against_independent) < INDEPENDENT
        assert abs(row.against_published) < 0.15
        assert 0.5 < row.efficiency < 1.0
        assert 0.2 < row.strouhal < 1.0


def test_the_table_says_what_is_from_memory_and_what_no_rule_reproduces(rows):
    text = atlas.table(rows)
    assert "0.40*" in text and "quoted from memory" in text and "within 15%" in text
    words = atlas.notes(rows)
    assert "fast over reference motion, truncate: 1.0" in words and "published 1.18" in words
    assert "Chosen: the shedding rule" in words and "Not in the atlas" in words


def test_a_two_dimensional_swimmer_is_a_misfit_and_says_so():
    known = {swimmer.name: swimmer for swimmer in atlas.SWIMMERS}
    carling = known["carling"]
    row = atlas.Swum(carling, "truncate", 0.41, 3000.0, 0.6, 0.7, True)
    assert row.verdict == "misfit" and not carling.speed.from_memory
    assert "two-dimensional" in atlas.notes([row]) and "independent figures in view" in atlas.notes([row])
    assert {s.name for s in atlas.SWIMMERS if s.role == "fixed"} == {"kern-reference"}


def test_refusals():
    with pytest.raises(ValueError, match="swimmer 'trout': must be one of kern-reference, kern-fast"):
        atlas.swum(["trout"])
    with pytest.raises(ValueError, match="rule = 'wu': must be one of"):
        atlas.swum([REFERENCE.name], ["wu"])
