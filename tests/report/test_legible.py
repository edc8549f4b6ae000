"""That a reader can tell what a figure shows: nothing is hidden, and colours are not all."""

import numpy as np
import pytest
from matplotlib.text import Annotation, Text

import stopwise as sw
from stopwise.report.figure_data import evidence_curves


@pytest.fixture(scope="module")
def analysis() -> sw.Analysis:
    rng = np.random.default_rng(0)
    scores = {"good": rng.beta(6, 2, 60), "fair": rng.beta(3, 3, 60), "same": rng.beta(3, 3, 50)}
    return sw.analyze(scores, n_max=60)


def test_no_interval_lies_on_the_dots(analysis: sw.Analysis) -> None:
    heights = [np.asarray(line.get_ydata()) for line in analysis.plot_scores().axes[0].lines]
    dots = np.concatenate([own for own in heights if own.size > 2])
    marks = np.concatenate([own for own in heights if own.size <= 2])

    assert np.unique(marks).size == 3
    assert np.abs(marks[:, None] - dots).min() > 0.04


def test_no_line_runs_through_the_name_of_a_pair(analysis: sw.Analysis) -> None:
    figure = analysis.plot_intervals()
    figure.draw_without_rendering()
    names = [text for text in figure.findobj(Text) if " - " in text.get_text()]

    assert len(names) == len(analysis.pairs)
    for text in names:
        sheet = text.get_bbox_patch()
        assert sheet is not None
        assert sheet.get_facecolor() == (1, 1, 1, 1)
        assert text.get_zorder() > max(line.get_zorder() for line in figure.axes[0].lines)


def test_each_name_beside_a_curve_leads_to_its_end(analysis: sw.Analysis) -> None:
    """Colours alone tell a colour-blind reader too little."""
    figure = analysis.plot_evidence("p")
    names = {note.get_text().replace("\n", " "): note for note in figure.axes[0].texts}

    for curve in evidence_curves(analysis, "p"):
        note = names[curve.label]
        assert isinstance(note, Annotation)
        assert note.arrow_patch is not None
        assert note.xy[0] == curve.n[-1]


def test_the_line_of_one_pair_is_not_that_of_several(analysis: sw.Analysis) -> None:
    """Among several pairs, evidence above 1 / alpha need not decide."""
    told = [text.get_text() for text in analysis.plot_evidence("e").legends[0].get_texts()]
    assert told == ["1 / alpha = 20, what one pair alone would need"]
    assert "reach the line" not in analysis.to_html()
    two = sw.analyze({"a": [0, 0.5] * 20, "b": [1, 0.5] * 20})
    told = [text.get_text() for text in two.plot_evidence("e").legends[0].get_texts()]
    assert told == ["1 / alpha = 20"]
