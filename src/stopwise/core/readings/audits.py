"""Whether audits look drawn at random with the declared chance, whatever came before."""

import math

import numpy as np

from stopwise.core.arrays import Bools, Floats

# Of how many draws before it a forecast of the next is made.
MEMORIES = (2**40, 50, 10)


def unlike_chance(drawn: Bools, chance: float, level: float) -> bool:
    """Whether draws contradict that each is true with this chance, whatever came before."""
    forecasts = _forecasts(drawn)
    factors = np.where(drawn, forecasts / chance, (1 - forecasts) / (1 - chance))
    wealth = np.logaddexp.reduce(np.cumsum(np.log(factors), axis=1)) - math.log(len(factors))
    return bool((wealth >= -math.log(level)).any())


def _forecasts(drawn: Bools) -> Floats:
    """Return chances of each draw from those before it: by all, by the last few, by those alike."""
    hits = np.concatenate([[0.0], np.cumsum(drawn)])
    place = np.arange(drawn.size)
    seen, among = [], []
    for memory in MEMORIES:
        first = np.maximum(place - memory, 0)
        seen.append(hits[place] - hits[first])
        among.append(place - first)
    before = np.concatenate([[False], drawn[:-1]])[: drawn.size]
    alike = np.where(before, np.cumsum(before), np.cumsum(~before)) - 1
    both = np.where(before, np.cumsum(before & drawn), np.cumsum(~before & drawn)) - drawn
    return (np.array([*seen, both]) + 0.5) / (np.array([*among, alike]) + 1.0)
