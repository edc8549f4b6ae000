"""What the figures show, and that each can be drawn and saved."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.report.figure_data import histograms, pair_matrix

LONG = [
    "paligemma_fast_specialist_droid", "paligemma_fast_droid", "paligemma_diffusion_droid",
    "paligemma_binning_droid", "paligemma_vq_droid", "pi0_fast_droid", "pi0_droid",
]  # fmt: skip


@pytest.fixture(scope="module")
def analysis() -> sw.Analysis:
    rng = np.random.default_rng(0)
    scores = {
        "good <b>": rng.beta(6, 2, 60),
        "fair": rng.beta(3, 3, 60),
        "also fair": rng.beta(3, 3, 50),
    }
    return sw.analyze(scores, n_max=60)


def test_bars_are_shares_that_compare_between_policies() -> None:
    """22 and 100 successes of 200 looked alike when every pile was cut at the same width."""
    hits = {"rare": np.arange(200) % 9 == 4, "often": np.arange(200) % 2 == 0}
    values, _, (often, rare) = histograms(sw.analyze({k: v * 1.0 for k, v in hits.items()}))
    rng = np.random.default_rng(1)
    _, step, shares = histograms(sw.analyze({"a": rng.random(300), "b": rng.random(200)}))

    assert values.tolist() == [0.0, 1.0]
    assert (often.tolist(), rare.tolist()) == ([0.5, 0.5], [0.89, 0.11])
    assert step == pytest.approx(0.05)
    assert all(share.sum() == pytest.approx(1) for share in shares)


def test_p_value_curves_fall_to_the_verdict(analysis: sw.Analysis) -> None:
    for pair in analysis.pairs:
        assert np.all(np.diff(pair.path.p_value) <= 0)
        assert (pair.path.p_value[-1] <= analysis.alpha) == pair.decided


def test_sameness_has_its_own_evidence() -> None:
    """The p-value of a difference says nothing of it."""
    rng = np.random.default_rng(0)
    near = {name: rng.beta(40, 40, 200) for name in ("old", "new")}
    found = sw.analyze(near, equivalence=0.05, n_max=200)
    [pair] = found.pairs
    bands = [patch for patch in found.plot_intervals().axes[0].patches if patch.get_alpha()]

    assert pair.same
    assert pair.path.p_value[-1] == pytest.approx(pair.p_equivalent)
    assert pair.path.n[-1] == pair.n
    assert len(bands) == 1


@pytest.mark.parametrize("width", [3.5, 7.2])
def test_letters_keep_their_size_at_any_width(width: float, analysis: sw.Analysis) -> None:
    plots = "scores", "evidence", "intervals", "ranking", "improvement", "profile"
    for name in plots:
        figure = getattr(analysis, f"plot_{name}")(width=width)
        assert figure.get_figwidth() == width
        texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
        assert min(float(text.get_fontsize()) for text in texts if text.get_text()) >= 7


def test_figures_are_drawn_where_one_asks(analysis: sw.Analysis) -> None:
    figure = Figure(figsize=(7.2, 3))
    left, right = figure.subplots(1, 2)

    assert analysis.plot_scores(ax=left) is analysis.plot_intervals(ax=right) is figure
    assert figure.get_size_inches().tolist() == [7.2, 3]
    assert left.texts
    assert right.lines


def drawn_at(axes: Axes, marker: str) -> list[float]:
    """Places across of the lines with this marker, in order."""
    lines = [np.asarray(line.get_xdata()) for line in axes.lines if line.get_marker() == marker]
    return [float(line[0]) for line in lines if line.size]


def test_estimates_are_marked(analysis: sw.Analysis) -> None:
    known = [pair.estimate for pair in analysis.sorted_pairs if pair.estimate is not None]
    assert drawn_at(analysis.plot_intervals().axes[0], "D") == known


def test_all_figures_are_saved_as_vectors_and_pixels(analysis: sw.Analysis, tmp_path: Path) -> None:
    paths = analysis.save_figures(tmp_path / "new folder")

    names = {path.name for path in paths}
    assert {"scores.svg", "p_values.png", "scores.pdf", "intervals.png", "ranking.svg"} <= names
    assert all(path.stat().st_size > 3000 for path in paths)
    drawn = (tmp_path / "new folder" / "scores.svg").read_text()
    assert re.search("<text[^>]*>also fair</text>", drawn)


def test_page_is_self_contained_and_escapes_names(analysis: sw.Analysis) -> None:
    """A policy named like a tag is text; no address outside the page is loaded."""
    page = analysis.to_html()

    assert "good &lt;b&gt;" in page
    assert "<b>" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert page.count('<img src="data:image/svg+xml;base64,') == 4
    assert "We compared the mean scores (range [0, 1]) of 3 policies" in page


def test_the_methods_paragraph_limits_what_the_sentence_limits() -> None:
    """To a fixed list, and to one look."""
    rng = np.random.default_rng(0)
    listed = sw.analyze({"a": rng.random(20), "b": rng.random(20)}, list_size=20, design="paired")
    columns = {"policy": ["a", "b"] * 20, "score": rng.random(40), "seed": [*range(10)] * 4}
    runs = sw.analyze(sw.Trials.from_columns(columns, bounds=(0, 1)), unit="seed")

    assert " on these 20 scenes, in this run, " in listed.methods_paragraph
    assert "for one look" in runs.sentence
    assert "for one look" in runs.methods_paragraph
    assert "however often" not in runs.methods_paragraph


def drawn_from(names: list[str], trials: int = 40) -> sw.Analysis:
    """Return policies from bad to good under these names."""
    rng = np.random.default_rng(5)
    means = np.linspace(0.2, 0.8, len(names))
    scores = {
        name: rng.beta(6 * mean, 6 - 6 * mean, trials)
        for name, mean in zip(names, means, strict=True)
    }
    return sw.analyze(scores, n_max=trials)


def texts_of(figure: Figure) -> dict[str, Bbox]:
    """Return the words and where they stand, after the layout; numbers may lie off the axes."""
    figure.draw_without_rendering()
    return {
        text.get_text(): Text.get_window_extent(text)  # without the line that leads to it
        for text in figure.findobj(Text)
        if isinstance(text, Text)
        if text.get_visible() and re.match("[^$]*[a-z]", text.get_text())
    }


def matrix_of(figure: Figure) -> Floats:
    values = figure.axes[0].get_images()[0].get_array()
    assert values is not None
    return np.ma.filled(values, np.nan)


@pytest.fixture(scope="module")
def thirty() -> sw.Analysis:
    return drawn_from([f"policy_{number:02d}_finetuned" for number in range(30)])


@pytest.mark.parametrize("policies", [LONG, ["x" * 150, "y " * 80, "z"]], ids=["long", "longer"])
def test_no_text_is_cut_or_covered(policies: list[str]) -> None:
    figures = drawn_from(policies).figures()

    assert len(figures) == 4
    for name, figure in figures.items():
        texts = texts_of(figure)
        assert len(texts) >= len(policies) or name == "p_values"
        for text, box in texts.items():
            assert min(box.x0, box.y0) >= -1, text
            assert box.x1 <= figure.bbox.x1 + 1, text
            assert box.y1 <= figure.bbox.y1 + 1, text
        for (one, box), (other, place) in combinations(texts.items(), 2):
            assert not box.shrunk(0.9, 0.8).overlaps(place.shrunk(0.9, 0.8)), (one, other)


def test_many_policies_stay_readable_and_small(thirty: sw.Analysis) -> None:
    assert len(thirty.to_html()) < 1_000_000
    assert set(thirty.figures()) == {"scores", "p_values", "ranking"}
    for figure in thirty.figures().values():
        assert figure.get_figheight() < 12
    assert len(thirty.plot_evidence().axes[0].lines) == 2
    figure = thirty.plot_ranking()
    assert matrix_of(figure).shape == (30, 30)
    assert len([text for text in texts_of(figure) if text.startswith("policy_")]) == 30


def test_a_matrix_shows_every_pair_from_both_sides(thirty: sw.Analysis) -> None:
    place = {policy.name: index for index, policy in enumerate(thirty.policies)}
    gaps = pair_matrix(thirty, lambda pair: pair.difference)
    shown = matrix_of(thirty.plot_ranking())

    for pair in thirty.pairs:
        row, column = place[pair.policy1], place[pair.policy0]
        assert gaps[row, column] == -gaps[column, row] == pair.difference
        expected = {pair.policy1: 1, pair.policy0: -1, None: 0}[pair.better]
        assert shown[row, column] == -shown[column, row] == expected
    assert np.isnan(np.diag(shown)).all()


def test_each_curve_has_a_look_and_a_name_of_its_own() -> None:
    """Colours alone tell a colour-blind reader too little."""
    rng = np.random.default_rng(0)
    five = sw.analyze({name: rng.beta(6, 2, 30) for name in "abcde"}, n_max=30)
    figure = five.plot_evidence()
    lines = [line for line in figure.axes[0].lines if line.get_drawstyle() == "steps-post"]
    names = {text.get_text() for text in figure.legends[0].get_texts()}

    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 10
    assert {pair.relation for pair in five.sorted_pairs} <= names


def test_a_font_that_has_the_characters_is_used(tmp_path: Path) -> None:
    """STIX comes with matplotlib and has characters that its usual font lacks."""
    usual = FT2Font(findfont(FontProperties())).get_charmap()
    path = findfont(FontProperties(family="STIXGeneral"))
    own = chr(next(code for code in FT2Font(path).get_charmap() if code not in usual))
    analysis = drawn_from([f"new {own}", "old"])
    figure = analysis.plot_evidence()

    named = [text for text in figure.findobj(Text) if own in text.get_text()]
    assert named
    for text in named:
        families = text.get_fontfamily()
        paths = [font.fname for font in fontManager.ttflist if font.name in families]
        assert any(ord(own) in FT2Font(path).get_charmap() for path in paths)
    analysis.save_figures(tmp_path)


def test_a_dollar_sign_begins_no_formula(tmp_path: Path) -> None:
    """As a formula, this name could not even be drawn."""
    assert drawn_from(["a$_$", "b$x$"]).save_figures(tmp_path)


def test_the_methods_paragraph_denies_no_guarantee_that_it_speaks_of() -> None:
    by_score = {"a": [0] * 20 + [1] * 30, "b": [1] * 25 + [0] * 25}
    columns = {"policy": ["a"] * 50 + ["b"] * 50, "score": by_score["a"] + by_score["b"]}
    timed = {**columns, "time": [*range(50)] * 2}
    inferred = sw.read_trials(timed, bounds="data", order="time")
    text = sw.analyze(inferred).methods_paragraph
    against = sw.analyze(by_score, baseline="a").methods_paragraph

    assert "nothing is guaranteed, since the bounds were taken from the data. All claims" in text
    assert "counts as false" not in text
    assert "over the directions of all comparisons with it" in against
    assert "share a letter" not in against


def test_who_is_not_worse_is_not_drawn_as_better() -> None:
    found = sw.analyze({"old": [0, 1] * 40, "new": [1] * 80}, margin=-0.1, baseline="old")
    legend = found.plot_ranking().legends[0]

    assert [text.get_text() for text in legend.get_texts()][::2] == [
        "column not worse", "row not worse",
    ]  # fmt: skip
