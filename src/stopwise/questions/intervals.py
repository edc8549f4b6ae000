"""Confidence intervals of differences and means at the end of a study, many at once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints, of_runs
from stopwise.core.confidence import ConfidenceSequence, ConfidenceState, Pairs, group_size
from stopwise.core.pair_test import PairTest
from stopwise.core.readings.score import Scores
from stopwise.questions.trace import Record, group_ends

Columns = tuple[Floats, Floats]
# At most so often the bound on the side of a claim lies beyond the true difference.
MEDIAN = 0.5


def difference_intervals(
    comparison: PairTest,
    columns: Sequence[Columns],
    levels: Floats,
    record: Record | None,
    claims: Bools,
) -> tuple[Floats, Floats, Floats]:
    """Return the ends of the interval of mean1 - mean0 for each pair, and an estimate."""
    pairs = len(columns)
    if record is None:
        level = np.full(pairs, comparison.alpha / 2)
        number = comparison.test.number
        sequence = comparison.reading.sequence(levels=(level, level), number=number)
    else:
        sequence = comparison.confidence_at(levels)
    claimed = np.flatnonzero(claims.any(axis=1))
    lower, upper = (
        None if level is None else np.append(level, np.where(side, MEDIAN, level)[claimed])
        for level, side in zip(sequence.levels, claims.T, strict=True)
    )
    of = np.append(np.arange(pairs), claimed)
    ends = _ends(replace(sequence, levels=(lower, upper)), columns, record, of)
    low, high = (end[:pairs] for end in ends)
    estimate = np.full(pairs, np.nan)
    for pair, *bounds in zip(claimed.tolist(), *(end[pairs:] for end in ends), strict=True):
        mean = float(np.mean(columns[pair][1] - columns[pair][0]))
        ahead = claims[pair, 0]
        estimate[pair] = min(bounds[0], mean) if ahead else max(bounds[1], mean)
    return low, high, estimate


def interval_level(comparison: PairTest, levels: Floats, pair: int) -> float:
    if comparison.test.inverts:
        return 1.0 - len(comparison.directions) * float(levels[pair])
    return 1.0 - comparison.alpha


def mean_intervals(reading: Scores, scores: Floats, alpha: float) -> tuple[Floats, Floats]:
    known = [column[~np.isnan(column)] for column in scores.T]
    sequence = reading.sequence(levels=(alpha / 2, alpha / 2))
    low, high = _ends(sequence, [(np.zeros_like(values), values) for values in known], None)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def columns_of(comparison: PairTest, scores: Floats, policy0: int, policy1: int) -> Columns:
    r0, r1 = scores[..., policy0], scores[..., policy1]
    known = comparison.reading.present(r0, r1)
    met = comparison.reading.met(r0[..., known], r1[..., known])
    return comparison.reading.alone(*met)


def _ends(
    sequence: ConfidenceSequence,
    columns: Sequence[Columns],
    record: Record | None,
    of: Ints | None = None,
) -> tuple[Floats, Floats]:
    """Go through the groups of all runs side by side; runs leave when their scores end."""
    of = np.arange(len(columns)) if of is None else of
    lengths = np.array([len(column) for column, _ in columns])[of]
    ends = group_ends(int(lengths.max(initial=0)))
    sums = np.stack([_by_group(column, ends) for column in columns], axis=-1)
    if record is not None:
        record = record.of_runs(of)
    interval = sequence.start((len(of),), None if record is None else record.before)
    rejected = None if record is None else record.rejected(sequence.level)
    bounds: Floats = np.empty((2, len(of)))
    left = np.arange(len(of))

    def seen(group: int, runs: Ints, number: int) -> Pairs:
        total0, total1, squares = sums[group][:, of[runs]]
        if record is None or rejected is None:
            nothing = np.zeros((len(runs), len(sequence.sides)))
            return Pairs(number, total0, total1, squares, nothing, nothing, nothing > 0)
        tested = (by_group[group, runs] for by_group in (record.log_e, record.fall, rejected))
        return Pairs(number, total0, total1, squares, *tested)

    begin = 0
    for group, end in enumerate(ends.tolist()):
        for place in np.flatnonzero(lengths[left] < end).tolist():  # the group is not full
            alone, state = sequence.of_runs([place]), of_runs(interval, [place])
            run = left[[place]]
            number = int(lengths[run[0]]) - begin
            state = alone.step(state, seen(group, run, number)) if number else state
            bounds[:, run] = alone.bounds(state)
        going = np.flatnonzero(lengths[left] >= end)
        if going.size < left.size:
            left, sequence = left[going], sequence.of_runs(going)
            interval = of_runs(interval, going)
        if not left.size:
            break
        after = None if record is None else of_runs(record.states.get(group, record.before), left)
        interval = sequence.step(interval, seen(group, left, end - begin), after)
        begin = end
    bounds[:, left] = sequence.bounds(interval)
    return bounds[0], bounds[1]


def _by_group(columns: Columns, ends: Ints) -> Floats:
    r0, r1 = columns
    sums = np.zeros((len(ends), 3))
    starts = np.append(0, ends[:-1])
    starts = starts[starts < len(r0)]
    if starts.size:
        gaps = r1 - r0
        sums[: starts.size] = np.add.reduceat(np.stack([r0, r1, gaps * gaps], axis=1), starts)
    return sums


def through(
    sequence: ConfidenceSequence, state: ConfidenceState, scores: Floats
) -> ConfidenceState:
    while scores.size:
        waiting = int(state.waiting[0])
        size = int(group_size(state.pairs - waiting)[0]) - waiting
        group, scores = scores[:size], scores[size:]
        total, nothing = group.sum(keepdims=True), np.zeros((1, 2))
        squares = (group * group).sum(keepdims=True)
        pairs = Pairs(len(group), 0.0 * total, total, squares, nothing, nothing, nothing > 0)
        state = sequence.step(state, pairs)
    return state
