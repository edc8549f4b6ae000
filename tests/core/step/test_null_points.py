"""Null points of the published rule."""

import numpy as np
import pytest
from scipy.special import rel_entr

from stopwise.core.step.null_points import published_rates


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.asarray(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


@pytest.mark.parametrize("n_max", [20, 500])
def test_each_cut_is_equally_far_from_both_ends(n_max: int) -> None:
    rates = published_rates(n_max, 7)
    for step in (1, 2, 4, 8, 16, 32):
        low, middle, high = (
            rates[: -2 * step : 2 * step],
            rates[step :: 2 * step],
            rates[2 * step :: 2 * step],
        )
        assert divergence(middle, low) == pytest.approx(divergence(middle, high), rel=1e-6)
    assert rates.size == 65
    assert rates[[0, -1]].tolist() == [1 / n_max, 0.5]
    assert np.array_equal(published_rates(n_max, 9)[::4], rates)


def test_they_are_those_of_the_reference() -> None:
    """As its synthesis for 500 pairs writes them; other points move its boundary by single states.

    With points even in the arcsine scale the Eggplant data at .01 were decided at 143 to 145,
    not at 131: at pair 131 the difference of 27 stops only if its neighbours do not.
    """
    rates = published_rates(500, 7)

    assert rates[1:4] == pytest.approx([0.00257708, 0.00325544, 0.0040434], abs=5e-9)
    assert rates[62:64] == pytest.approx([0.47074373, 0.4853635], abs=5e-9)
