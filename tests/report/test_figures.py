"""What the figures show, and that each can be drawn and saved."""

from pathlib import Path

import numpy as np
import pytest

import stopwise as sw
from stopwise.report.figure_data import evidence_curves, ranking_edges, score_strips


@pytest.fixture(scope="module")
def analysis() -> sw.Analysis:
    rng = np.random.default_rng(0)
    scores = {
        "good <b>": rng.beta(6, 2, 60),
        "fair": rng.beta(3, 3, 60),
        "also fair": rng.beta(3, 3, 50),
    }
    return sw.analyze(scores, n_max=60)


def test_strips_are_ordered_by_mean_and_say_what_was_used(analysis: sw.Analysis) -> None:
    strips = score_strips(analysis)

    assert strips[0].label.startswith("good <b>\na\n")
    assert [strip.mean for strip in strips] == sorted((s.mean for s in strips), reverse=True)
    assert all(strip.low <= strip.mean <= strip.high for strip in strips)
    assert all(np.abs(strip.sideways).max() <= 0.4 for strip in strips)
    assert f"{analysis.policies[0].trials_used} of 60 trials" in strips[0].label


def test_p_value_curves_fall_to_the_verdict(analysis: sw.Analysis) -> None:
    for curve, pair in zip(evidence_curves(analysis, "p"), analysis.pairs, strict=True):
        assert np.all(np.diff(curve.value) <= 0)
        assert (curve.value[-1] <= analysis.alpha) == pair.decided
        assert curve.decided_at == (pair.n if pair.decided else None)


def test_edges_are_the_decisions(analysis: sw.Analysis) -> None:
    better = {(edge.policy0, edge.policy1): edge.better for edge in ranking_edges(analysis)}

    assert len(better) == 3
    assert better[("good <b>", "fair")] == "good <b>"
    assert better[("fair", "also fair")] is None


def test_all_figures_are_saved_as_vectors_and_pixels(analysis: sw.Analysis, tmp_path: Path) -> None:
    paths = analysis.save_figures(tmp_path / "new folder")

    names = {path.name for path in paths}
    assert {"scores.svg", "p_values.png", "e_values.svg", "intervals.png", "ranking.svg"} <= names
    assert all(path.stat().st_size > 3000 for path in paths)


def test_methods_without_e_values_have_no_such_figure() -> None:
    scores = {"a": [0, 1] * 10, "b": [1, 1] * 10}
    analysis = sw.analyze(scores, method="fisher", n_max=20)

    assert "e_values" not in analysis.figures()


def test_decision_regions_of_step_are_drawn(tmp_path: Path) -> None:
    figure = sw.plot_decision_regions(sw.step_design(0.05, 20), 15)
    figure.savefig(tmp_path / "regions.png")

    assert (tmp_path / "regions.png").stat().st_size > 3000


def test_page_is_self_contained_and_escapes_names(analysis: sw.Analysis) -> None:
    """A policy named like a tag is text; no address outside the page is loaded."""
    page = analysis.to_html()

    assert "good &lt;b&gt;" in page
    assert "<b>" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert page.count('<img src="data:image/svg+xml;base64,') == 5
    assert "We compared the mean scores (range [0, 1]) of 3 policies" in page


def test_certificate_of_step_is_in_the_report() -> None:
    scores = {"a": [0, 1] * 15, "b": [1, 1] * 15}
    page = sw.analyze(scores, method="step", n_max=30, adjust="bonferroni").to_html()

    assert "the error of one direction is proven to be at most" in page
    assert "no test of this level and power needs fewer than" in page
