"""That a reader can tell what a figure shows: colours are not all."""

import numpy as np

import stopwise as sw


def test_each_curve_has_a_look_and_a_name_of_its_own() -> None:
    """Colours alone tell a colour-blind reader too little."""
    rng = np.random.default_rng(0)
    five = sw.analyze({name: rng.beta(6, 2, 30) for name in "abcde"}, n_max=30)
    figure = five.plot_evidence()
    lines = [line for line in figure.axes[0].lines if line.get_drawstyle() == "steps-post"]
    names = {text.get_text() for text in figure.legends[0].get_texts()}

    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 10
    assert {pair.relation for pair in five.sorted_pairs} <= names
