"""What the figures of a plan show, and that page and figures are made."""

from pathlib import Path

import numpy as np
import pytest

import stopwise as sw


@pytest.fixture(scope="module")
def single() -> sw.PlanResult:
    return sw.plan(0.3, 0.6, n_max=[20, 40], method="step", minutes_per_trial=2)


@pytest.fixture(scope="module")
def several() -> sw.PlanResult:
    return sw.plan(n_max=[20, 40], method="step", gaps=[0.3, 0.6])


def test_curves_are_those_of_the_rows(single: sw.PlanResult, several: sw.PlanResult) -> None:
    (power,) = single.power_curves()
    assert power.n is not None
    assert (power.n.tolist(), power.chance.tolist()) == (
        [20, 40],
        [row.power for row in single.rows],
    )
    for curve, row in zip(single.stopping_curves(), single.rows, strict=True):
        assert curve.chance[0] == 0
        assert np.all(np.diff(curve.chance) >= 0)
        assert curve.chance[-1] == pytest.approx(row.power)
    for curves in (several.power_curves(), several.stopping_curves()):
        assert [curve.label for curve in curves] == ["gap 0.3", "gap 0.6"]
    assert [curve.chance.size for curve in several.stopping_curves()] == [41, 41]


def test_page_and_figures(single: sw.PlanResult, tmp_path: Path) -> None:
    page = single.to_html()
    assert page.count("<th") == page.count('<th scope="col"') > 0
    paths = single.save_figures(tmp_path)

    assert page.count('<img src="data:image/svg+xml;base64,') == 2
    assert "http" not in page.replace("http-equiv", "")
    assert "Barnard&#39;s exact test" in page
    # Hours at most: 40 trials each, 2 minutes.
    assert '<td class="number" data-label="max h">2.7</td>' in page
    assert {path.name for path in paths} == {
        f"{name}.{ending}" for name in ("power", "stopping") for ending in ("pdf", "svg", "png")
    }
