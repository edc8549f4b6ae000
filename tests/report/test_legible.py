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


def test_no_interval_lies_on_the_bars(analysis: sw.Analysis) -> None:
    axes = analysis.plot_scores().axes[0]
    bars = [np.asarray(patch.get_path().vertices)[:, 0] for patch in axes.patches]
    marks = [float(np.asarray(line.get_xdata())[0]) for line in axes.lines]

    assert len(bars) == 3
    for place in range(3):
        assert max(marks[2 * place : 2 * place + 2]) < bars[place].min() - 0.05


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
    figure = analysis.plot_evidence()
    names = {note.get_text().replace("\n", " "): note for note in figure.axes[0].texts}

    for curve in evidence_curves(analysis):
        note = names[curve.label]
        assert isinstance(note, Annotation)
        assert note.arrow_patch is not None
        assert note.xy[0] == curve.n[-1]
