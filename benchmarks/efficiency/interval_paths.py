"""The intervals of many studies at once, pair by pair: for their widths and their coverage."""

from collections.abc import Iterator

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.confidence import ConfidenceSequence, Pairs
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Rules


def interval_paths(
    rules: Rules, scores0: Floats, scores1: Floats
) -> Iterator[tuple[Floats, Floats, Ints]]:
    """Follow the intervals of many studies (rows): after each pair yield both ends and decisions.

    Ends are those of mean1 - mean0 for scores in [0, 1]; studies go on after their decision.
    """
    comparison = PairTest(rules)
    sequence = comparison.confidence
    seen = comparison.start((len(scores0),))
    interval = sequence.start((len(scores0),), seen.tests)
    decision = np.full(len(scores0), -1)
    for scores in zip(scores0.T, scores1.T, strict=True):
        met = comparison.reading.met(*scores)
        directed = comparison.directed(*met)
        before, seen = seen, comparison.observe(seen, *directed)
        falls, winner = comparison.end(seen)
        decision = np.where((decision < 0) & falls, winner, decision)
        claims = decision[:, None] == np.array(comparison.directions)
        pair = comparison.pair_seen(before, seen, met, directed, claims)
        interval = sequence.step(interval, pair, seen.tests)
        yield *sequence.bounds(interval), decision


def paths_alone(level: float, scores0: Floats, scores1: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Follow both ends, each of which fails with this probability, with no test behind them."""
    sequence = ConfidenceSequence(levels=(level, level))
    interval = sequence.start((len(scores0),))
    nothing = np.zeros((len(scores0), 2))
    for r0, r1 in zip(scores0.T, scores1.T, strict=True):
        seen = Pairs(1, r0, r1, (r1 - r0) ** 2, nothing, nothing, nothing > 0)
        interval = sequence.step(interval, seen)
        yield sequence.bounds(interval)
