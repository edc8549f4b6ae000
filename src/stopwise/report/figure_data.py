"""Data of the figures of an analysis, computed apart from drawing."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Floats, Ints

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis
    from stopwise.questions.standing import PairResult, PolicyResult

# So many different scores are drawn as they are, others in this many equal steps.
FEW_VALUES, STEPS = 11, 20


def tried(analysis: "Analysis") -> "list[PolicyResult]":
    """The policies that have trials, from best to worst."""
    return [
        policy
        for policy in analysis.policies
        if policy.name not in analysis.rules.reading.constants
    ]


def histograms(analysis: "Analysis") -> tuple[Floats, float, list[Floats]]:
    """Places on the score's axis, their distance, and the share of each policy's trials there."""
    scores = [analysis.scores[part.name] for part in tried(analysis)]
    values, (low, high) = (
        np.unique(np.concatenate(scores)),
        analysis.rules.reading.tested_scale.ends,
    )
    if values.size <= FEW_VALUES:
        gap = float(np.diff(values).min(initial=high - low))
        step = min(gap, (high - low) / 8)
        return values, step, [(part == values[:, None]).mean(axis=1) for part in scores]
    edges = np.linspace(min(low, values[0]), max(high, values[-1]), STEPS + 1)
    middles: Floats = (edges[1:] + edges[:-1]) / 2
    counts: list[Floats] = [np.histogram(part, edges)[0].astype(np.float64) for part in scores]
    shares = [part / max(part.sum(), 1.0) for part in counts]
    return middles, float(edges[1] - edges[0]), shares


def decided_by(analysis: "Analysis") -> tuple[Ints, Ints]:
    """Numbers of trials, and how many pairs were decided by then."""
    ends = np.sort([pair.n for pair in analysis.pairs if pair.decided])
    most = max(pair.n for pair in analysis.pairs)
    return np.array([0, *ends, most]), np.array([0, *range(1, ends.size + 1), ends.size])


def pair_matrix(analysis: "Analysis", value: "Callable[[PairResult], float]") -> Floats:
    """A value of policy1 against policy0 per pair, in the order of the policies.

    It is of the row against the column, and of the other sign the other way round; not a number
    where nothing was compared.
    """
    place = {policy.name: index for index, policy in enumerate(analysis.policies)}
    matrix = np.full((len(place), len(place)), np.nan)
    for pair in analysis.pairs:
        row, column = place[pair.policy1], place[pair.policy0]
        matrix[row, column] = value(pair)
        matrix[column, row] = -matrix[row, column]
    return matrix
