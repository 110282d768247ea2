"""The table of hovers over the number of sections: order and limit of known sequences, words, figure."""

import numpy as np
import pytest
import xarray as xr

from anguilla.robots.moth.sections_figure import PANELS, hover_over_sections
from anguilla.robots.moth.sections_study import COLUMNS, EXACT, SECTIONS, limits, lines


@pytest.fixture
def study():
    """BT9 tends to 40 at first order; TB8 has no hover of one section, and swings."""
    M = np.array(SECTIONS, float)
    rows = np.stack([np.where(M > 1, 40.0 + (-1.0) ** np.log2(M) / M, np.nan), 40.0 + 3.0 / M])
    values = {name: (("reading", "sections"), rows, {"units": c[1], "long_name": c[3]}) for name, c in COLUMNS.items()}
    values |= {name: (("reading", "sections"), np.full(rows.shape, 1e-12)) for name in EXACT}
    values["steps"] = (("reading", "sections"), np.full(rows.shape, 500.0))
    why = np.where(np.isnan(rows), "hover: no joint of this wing twists", "")
    values["why"] = (("reading", "sections"), why)
    return xr.Dataset(values, coords={"reading": ["TB8", "BT9"], "sections": list(SECTIONS)})


def test_order_and_limit_of_a_known_sequence(study):
    found = limits(study, "power")
    np.testing.assert_allclose(found["BT9"], [1.0, 40.0], rtol=1e-12)
    assert np.isnan(found["TB8"]).all()  # no limit is reported for values that oscillate
    gap = limits(study.sel(sections=[2, 4, 16]), "power")
    assert np.isnan(gap["BT9"]).all()  # nor of sections that are not doubled each time


def test_table_says_what_has_no_hover(study):
    printed = lines(study)
    assert "hover: no joint of this wing twists" in printed[1]
    assert sum(line.startswith("BT9") for line in printed) == len(SECTIONS) + 2
    assert not any("90 deg" in line for line in printed)
    wide = study.assign(amplitude=study["amplitude"] + 47.5)  # 90.5 for one section of BT9, less for all others
    assert [line[:10] for line in lines(wide) if "90 deg" in line] == ["BT9, M = 1"]
    assert "40.00000" in next(line for line in printed if line.startswith("BT9 limit"))


def test_figure_has_a_panel_for_each_quantity(study):
    axes = hover_over_sections(study).axes
    assert len(axes) == len(PANELS) and all("[" in ax.get_ylabel() for ax in axes)
    assert [len(line.get_xdata()) for line in axes[0].lines] == [len(SECTIONS) - 1, len(SECTIONS)]
