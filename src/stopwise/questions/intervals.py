"""Confidence intervals of differences and means at the end of a study, many at once."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.comparison import Comparison
from stopwise.core.confidence import ConfidenceSequence, group_size
from stopwise.core.confidence_state import Pairs
from stopwise.core.runs import of_runs

# Scores held at once for the intervals of many pairs.
MOST_SCORES = 2_000_000


def difference_intervals(
    comparison: Comparison, scores: Floats, pairs: Ints, levels: Floats
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of mean1 - mean0 for each pair of policies.

    Scores are in [0, 1], rows by policies; rows without both policies are left out. With a proxy
    they and its scores, along a first axis. ``levels`` are those at which each direction of each
    pair was, or would be, decided. Of a method that does not invert the intervals follow no test,
    and hold for all pairs together.
    """
    columns = [np.moveaxis(scores, -2, 0)[..., pair] for pair in pairs.tolist()]
    audited = comparison.rules.audit is not None  # else, with scores of a judge alone, it counts
    given = [own[:, 1] if audited else own.reshape(len(own), -1) for own in columns]
    complete = [
        own[~np.isnan(known).any(axis=1)] for own, known in zip(columns, given, strict=True)
    ]
    met = [np.stack(comparison.met(own[..., 0], own[..., 1]), axis=-1) for own in complete]
    ends = np.empty((2, len(met)))
    start = comparison.test.start((len(met), len(comparison.directions)))
    for part in _parts([len(own) for own in met]):
        runs = [met[index] for index in part]
        if comparison.test.inverts:
            sequence = comparison.confidence_at(levels[part])
            state = of_runs(start, part)
            ends[:, part] = Run(sequence, len(part), comparison, state).over(runs)
        else:
            level = comparison.alpha / 2
            sequence = ConfidenceSequence(levels=(level, level))
            if comparison.rules.proxy_mean is not None:
                alone = comparison.scores_alone
                both = (alone(own[..., 0], own[..., 1], axis=1) for own in runs)
                runs = [np.stack(own, axis=1) for own in both]
            ends[:, part] = Run(sequence, len(part)).over(runs)
    return ends[0], ends[1]


def interval_level(comparison: Comparison, levels: Floats, pair: int) -> float:
    """Return the probability with which the interval of a pair holds, at all times."""
    if comparison.test.inverts:
        return 1.0 - len(comparison.directions) * float(levels[pair])
    return 1.0 - comparison.alpha


def mean_intervals(scores: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each policy's mean, each with level 1 - alpha."""
    known = [column[~np.isnan(column)] for column in scores.T]
    own = [np.stack([np.zeros_like(column), column], axis=1) for column in known]
    sequence = ConfidenceSequence(levels=(alpha / 2, alpha / 2))
    low, high = Run(sequence, len(own)).over(own)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _parts(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the pairs in parts that fit into memory together."""
    size = max(1, MOST_SCORES // max(*lengths, 1))
    for start in range(0, len(lengths), size):
        yield list(range(start, min(start + size, len(lengths))))


class Run:
    """Sequences of several pairs that go through their own rows side by side."""

    def __init__(
        self,
        sequence: ConfidenceSequence,
        runs: int,
        comparison: Comparison | None = None,
        state: Any = None,
    ) -> None:
        self.sequence, self.comparison, self.state = sequence, comparison, state
        self.interval = sequence.start((runs,), self.state)
        sides = 2 if comparison is None else len(comparison.directions)
        self.rejected = np.zeros((runs, sides), dtype=bool)
        self.ends: Floats = np.empty((2, runs))

    def over(self, runs: Sequence[Floats]) -> Floats:
        """Go through the rows (rows, 2 policies) of each; runs leave when their rows end.

        With a proxy they are (rows, score and proxy, 2 policies).
        """
        lengths = np.array([len(own) for own in runs])
        left: Ints = np.arange(len(runs))
        done = 0
        for length in sorted(set(lengths.tolist())):
            block = np.stack([runs[index][done:length] for index in left.tolist()], axis=-2)
            self.through(block[..., 0], block[..., 1])
            done = length
            self.ends[:, left] = self.sequence.bounds(self.interval)
            going = np.flatnonzero(lengths[left] > length)
            left = left[going]
            self._keep(going)
        return self.ends

    def through(self, r0: Floats, r1: Floats) -> None:
        """Take in rows of scores (rows, runs)."""
        row = 0
        while row < len(r0):
            seen, open_ = int(self.interval.pairs[0]), int(self.interval.waiting[0])
            size = int(group_size(np.asarray(seen - open_)))
            count = min(size - open_, len(r0) - row)
            if self.comparison is not None:
                count = min(count, self.comparison.test.held(self.state))
            self._take(r0[row : row + count], r1[row : row + count])
            row += count

    def _take(self, r0: Floats, r1: Floats) -> None:
        log_e: Floats = np.zeros(self.rejected.shape)
        fall = log_e
        if self.comparison is not None:
            log_e, fall = self._tested(self.comparison, r0, r1)
        if r0.ndim == 3 and self.comparison is not None:  # the proxy has told the test
            r0, r1 = self.comparison.scores_alone(r0, r1, axis=1)
        gaps = r1 - r0
        pairs = Pairs(
            len(r0),
            r0.sum(axis=0),
            r1.sum(axis=0),
            (gaps * gaps).sum(axis=0),
            log_e,
            fall,
            self.rejected,
        )
        self.interval = self.sequence.step(self.interval, pairs, self.state)

    def _tested(self, comparison: Comparison, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Show the test the rows, and return its evidence and how it falls with the margin."""
        test, before = comparison.test, self.state
        directed = comparison.directed(r0, r1)
        self.state, path = test.leap(before, *directed)
        path = path - comparison.start
        reached = np.exp(-path.max(axis=0)) <= self.sequence.level * (1 + 1e-12)
        self.rejected = self.rejected | (reached & ~self.rejected.any(axis=-1, keepdims=True))
        return path[-1], test.margin_fall(before, self.state, *directed).sum(axis=0)

    def _keep(self, going: Ints) -> None:
        self.sequence = self.sequence.of_runs(going)
        self.interval = of_runs(self.interval, going)
        self.rejected = self.rejected[going]
        if self.state is not None:
            self.state = of_runs(self.state, going)
