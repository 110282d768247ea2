"""How-to pages run from top to bottom, without a warning."""

import re
import warnings
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "docs" / "howto"


SLOW = ("gait", "fluids", "optimise", "export", "soft", "crawling", "lighthill", "identify", "feedback")
SLOW += ("control", "learn")


@pytest.mark.parametrize("page", ["beam", "robot", *(pytest.param(page, marks=pytest.mark.slow) for page in SLOW)])
def test_the_page_runs(page, monkeypatch, capsys):
    cells = re.findall(
        r"^```{code-cell} python\n(.*?)^```$", (PAGES / f"{page}.md").read_text(encoding="utf-8"), re.S | re.M
    )
    assert cells
    monkeypatch.chdir(PAGES)  # as the site's builder does
    names: dict = {"__name__": "page"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # a page shows no warning
        for k, cell in enumerate(cells):
            exec(compile(cell, f"{page}.md, cell {k + 1}", "exec"), names)
    printed = capsys.readouterr().out
    if page == "robot":
        assert float(re.search(r"x = (-?\d+\.\d+) m", printed).group(1)) < -0.1  # it swims forward, towards -x
        assert names["film"].stat().st_size > 10_000
    elif page == "gait":
        right, left = (float(y) for y in re.findall(r"y = (\S+) m", printed))
        assert right > 0.1 > -0.1 > left  # towards +y and -y
        assert float(re.search(r"advanced by (\S+) m", printed).group(1)) > 0.1
    elif page == "feedback":
        assert float(re.search(r"sags by (\d\.\d+) rad", printed).group(1)) == pytest.approx(0.081, abs=2e-3)
        assert float(re.search(r"swims (\d\.\d+) m", printed).group(1)) > 0.05
    elif page == "control":
        assert float(re.search(r"turned by (\d+\.\d) deg", printed).group(1)) > 3.0  # to the left
        assert float(re.search(r"control: heading (\d+\.\d) deg", printed).group(1)) == pytest.approx(60.0, abs=1.0)
        assert float(re.search(r"after 20 periods: (\S+)", printed).group(1)) < 0.05
    elif page == "learn":
        assert float(re.search(r"swims (\d\.\d+) m", printed).group(1)) > 0.05
        assert "float32 (320, 480, 3)" in printed
    elif page == "identify":
        found = names["found"]
        assert names["fit"].residual < 6e-4 and not found.unidentifiable
        assert (abs(found.estimate - [1.0, 1.0, -0.5]) < 4 * found.standard_error).all()
    elif page == "beam":
        share = float(re.search(r"(\d\.\d+) of the volume of the mesh", printed).group(1))
        assert abs(share - 1.0) < 0.01
