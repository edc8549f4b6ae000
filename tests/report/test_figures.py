"""What the figures show, and that each can be drawn and saved."""

from pathlib import Path

import numpy as np
import pytest

import stopwise as sw
from stopwise.report.figure_data import evidence_curves, ranking_edges, score_strips
from stopwise.report.methods_text import methods_paragraph


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


def test_a_fixed_sample_test_is_not_called_anytime() -> None:
    scores = {"a": [0, 1] * 10, "b": [1, 1] * 10}
    fixed = sw.analyze(scores, method="welch", n_max=20)
    anytime = sw.analyze(scores, n_max=20)

    assert "nytime" not in fixed.to_html()
    assert "ever declaring" not in fixed.to_html()
    assert fixed.plot_evidence().axes[0].get_ylabel() == "p-value, adjusted"
    assert anytime.plot_evidence().axes[0].get_ylabel() == "anytime p-value, adjusted"
    assert '<th class="number">anytime p</th>' in anytime.to_html()
    assert "Anytime p-values, adjusted" in anytime.to_html()


def test_the_methods_paragraph_says_what_the_method_promises() -> None:
    scores = {"a": [0, 1] * 10, "b": [1, 1] * 10}
    bets, step, fixed, rough = (
        methods_paragraph(sw.analyze(scores, method=method, n_max=20))
        for method in ("nscore-plus", "step", "barnard", "welch")
    )

    assert (
        "the probability of ever declaring any false order is at most 0.05, however often the data "
        "are looked at (ties counted as errors)"
    ) in bets
    assert "in its anytime-valid form" in bets
    assert "is at most 0.05, given success rates that stay the same throughout, however" in step
    assert "the probability of declaring any false order is at most 0.05, given" in fixed
    assert "n_max = 20 fixed beforehand and looked at once (ties" in fixed
    assert "the probability of declaring any false order is only approximately 0.05" in rough


def test_the_methods_paragraph_says_what_pooling_claims_and_what_is_doubtful() -> None:
    columns = {
        "task": ["pick"] * 40 + ["place"] * 40,
        "policy": (["old"] * 20 + ["new"] * 20) * 2,
        "score": ([0.1, 0.2] * 10 + [0.9, 0.8] * 10) * 2,
    }
    pooled = sw.analyze(sw.read_trials(columns, bounds=(0, 1)), pool=True)
    by_score = sw.analyze({"a": [0] * 20 + [1] * 30, "b": [1] * 25 + [0] * 25})

    text = methods_paragraph(pooled)
    assert "of 2 policies, pooled over 2 tasks (a row of trials of each in turn), with the" in text
    assert "An order declared means only: better on some of the 2 pooled tasks." in text
    assert "which the trials do not look like: b > a was decided" in methods_paragraph(by_score)
