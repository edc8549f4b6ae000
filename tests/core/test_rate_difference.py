"""The exact interval of a difference of success rates: it covers, and agrees with the test."""

import numpy as np
from scipy.stats import binom

from stopwise.core.barnard import barnard_p_value, difference_interval

N0, N1, LEVEL = 7, 9, 0.9
INTERVALS = {
    (x0, x1): difference_interval(x0, N0, x1, N1, LEVEL)
    for x0 in range(N0 + 1)
    for x1 in range(N1 + 1)
}


def test_it_excludes_0_exactly_when_barnards_test_rejects() -> None:
    for (x0, x1), interval in INTERVALS.items():
        assert interval is not None
        rejected = barnard_p_value(x0, N0, x1, N1, two_sided=True) <= 1 - LEVEL
        assert rejected == (not interval.low <= 0 <= interval.high)


def test_it_holds_with_its_probability_at_all_rates() -> None:
    for rate0 in np.linspace(0, 1, 15):
        for rate1 in np.linspace(0, 1, 15):
            chances = np.outer(
                binom.pmf(range(N0 + 1), N0, rate0), binom.pmf(range(N1 + 1), N1, rate1)
            )
            covered = sum(
                chances[place]
                for place, interval in INTERVALS.items()
                if interval is not None
                and interval.low <= rate1 - rate0 + 1e-9
                and rate1 - rate0 - 1e-9 <= interval.high
            )
            assert covered >= LEVEL


def test_too_many_trials_have_none() -> None:
    assert difference_interval(1, 1000, 5, 1000, 0.95) is None
