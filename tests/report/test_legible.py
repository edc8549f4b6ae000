"""That a reader can tell what a figure shows: nothing is hidden, and colours are not all."""

import numpy as np
import pytest
from matplotlib.text import Annotation

import stopwise as sw
from stopwise.report.figure_data import evidence_curves


@pytest.fixture(scope="module")
def analysis() -> sw.Analysis:
    rng = np.random.default_rng(0)
    scores = {"good": rng.beta(6, 2, 60), "fair": rng.beta(3, 3, 60), "same": rng.beta(3, 3, 50)}
    return sw.analyze(scores, n_max=60)


def test_each_name_beside_a_curve_leads_to_its_end(analysis: sw.Analysis) -> None:
    """Colours alone tell a colour-blind reader too little."""
    figure = analysis.plot_evidence()
    names = {note.get_text().replace("\n", " "): note for note in figure.axes[0].texts}

    for curve in evidence_curves(analysis):
        note = names[curve.label]
        assert isinstance(note, Annotation)
        assert note.arrow_patch is not None
        assert note.xy[0] == curve.n[-1]
