"""What the figures of a plan show, and that page and figures are made."""

from pathlib import Path

import numpy as np
import pytest

import stopwise as sw
from stopwise.report.plan_figures import power_curves, stopping_curves


@pytest.fixture(scope="module")
def single() -> sw.PlanResult:
    return sw.plan(0.3, 0.6, n_max=[20, 40], method="step", minutes_per_trial=2)


@pytest.fixture(scope="module")
def several() -> sw.PlanResult:
    return sw.plan(n_max=[20, 40], method="step", gaps=[0.3, 0.6])


def test_curves_of_power_are_the_rows(single: sw.PlanResult, several: sw.PlanResult) -> None:
    (curve,) = power_curves(single)

    assert curve.n.tolist() == [20, 40]
    assert curve.chance.tolist() == [row.power for row in single.rows]
    assert [curve.label for curve in power_curves(several)] == ["gap 0.3", "gap 0.6"]


def test_stopping_curves_rise_to_the_power(single: sw.PlanResult, several: sw.PlanResult) -> None:
    for curve, row in zip(stopping_curves(single), single.rows, strict=True):
        assert curve.chance[0] == 0
        assert np.all(np.diff(curve.chance) >= 0)
        assert curve.chance[-1] == pytest.approx(row.power)
    assert [curve.n.size for curve in stopping_curves(several)] == [41, 41]


def test_larger_budgets_find_smaller_gaps(several: sw.PlanResult) -> None:
    (line, *_), *_ = several.plot_detectable().axes[0].containers
    n, gaps = line.get_data()

    assert n.tolist() == [20, 40]
    assert gaps[0] > gaps[1]
    assert "smallest gap detected" in several.sentence


def test_page_and_figures(single: sw.PlanResult, tmp_path: Path) -> None:
    page = single.to_html()
    assert page.count("<th") == page.count('<th scope="col"') > 0
    paths = single.save_figures(tmp_path)

    assert page.count('<img src="data:image/svg+xml;base64,') == 3
    assert "http" not in page.replace("http-equiv", "")
    assert "Barnard&#39;s exact test" in page
    # Hours at most: 40 trials each, 2 minutes.
    assert '<td class="number" data-label="max h">2.7</td>' in page
    assert {path.name for path in paths} == {
        f"{name}.{ending}"
        for name in ("power", "stopping", "detectable")
        for ending in ("pdf", "svg", "png")
    }


def test_no_label_is_longer_than_its_axis(single: sw.PlanResult) -> None:
    for figure in single.figures().values():
        figure.draw_without_rendering()
        for axes in figure.axes:
            for label in (axes.xaxis.label, axes.yaxis.label):
                box = label.get_window_extent()
                assert min(box.x0, box.y0) >= -1
                assert box.x1 <= figure.bbox.x1 + 1
                assert box.y1 <= figure.bbox.y1 + 1
