"""Whether the plan of ``nscore-plus`` still has a chance by ``n_max``, or keeps its wealth instead.

The rule "Out of reach" in section 4 of ``docs/design/nscore-plus.md``.
"""

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.nscore_plus.constants import HOPED_PAIRS, LEAST_CHANCE_DEVIATIONS

# -log P(Z > x) is about LOG_2 + 0.717 x + 0.416 x^2 for x >= 0 (Lin 1989): precise enough here.
LOG_2, LINEAR, SQUARE = 0.693, 0.717, 0.416


def within_reach(n_max: int, pairs: Floats, total: Floats, need: Floats) -> Bools:
    """Return where a decision by n_max is not yet too unlikely to spend the wealth on.

    Of all ways to bet, the best multiplies the wealth by exp(need) with probability exp(-need)
    under the null, and under an effect with that of a normal deviate shifted by effect * root of
    the pairs left. ``total`` is the sum of standardised differences, ``need`` the log-wealth to go.
    """
    known = pairs + HOPED_PAIRS
    largest = (np.maximum(total, 0.0) + np.sqrt(known) + HOPED_PAIRS) / known
    reach = largest * np.sqrt(np.maximum(n_max - pairs, 0.0)) + LEAST_CHANCE_DEVIATIONS
    within: Bools = need <= LOG_2 + reach * (LINEAR + SQUARE * reach)
    return within
