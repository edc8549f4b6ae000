"""Families, and the levels of their claims."""

import numpy as np
import pytest

from stopwise.questions.family import Family, Holm

NONE = np.zeros((1, 3, 2), dtype=bool)


def test_holm_relaxes_until_nothing_more_is_claimed() -> None:
    """3 pairs at .06: levels .01, then .012, then .015."""
    budget = Holm(family=Family(k=3), alpha=0.06)

    p_value = np.array([[[0.0099, 1.0], [1.0, 0.0119], [0.0151, 1.0]]])
    factor, claims = budget.step(budget.start(1), NONE, p_value)

    assert claims[0].tolist() == [[True, False], [False, True], [False, False]]
    assert budget.alpha / factor[0] == pytest.approx([0.01, 0.012, 0.015])
    adjusted = budget.p_values(factor, p_value)
    assert adjusted.min(axis=-1)[0] == pytest.approx([0.0594, 0.0595, 0.0604])


def test_holm_passes_nothing_on_where_ties_are_ignored() -> None:
    budget = Holm(family=Family(k=3, ties="paper"), alpha=0.06)

    p_value = np.array([[[0.0001, 1.0], [1.0, 0.021], [1.0, 1.0]]])
    factor, claims = budget.step(budget.start(1), NONE, p_value)

    assert claims[0].tolist() == [[True, False], [False, False], [False, False]]
    assert budget.alpha / factor[0] == pytest.approx([0.02] * 3)
