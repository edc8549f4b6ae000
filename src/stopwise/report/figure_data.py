"""What the figures of an analysis show, computed apart from drawing it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.scores import score_text
from stopwise.messages import counted
from stopwise.report.fonts import wrapped

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis
    from stopwise.questions.standing import PairResult

# So many different scores are shown as proportions; a swarm of them would be a few thick lines.
FEW_VALUES = 7


# Pairs that the text of a figure tells one by one.
MOST_TOLD = 12


@dataclass(frozen=True, eq=False)
class ScoreStrip:
    """One policy's strip in the figure of scores."""

    label: str
    scores: Floats
    sideways: Floats  # shift of each dot: the width at a height says how many are there
    shares: Floats  # of each of the values that there are, if they are few; else none
    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Curve:
    """One pair's evidence against its number of pairs of trials."""

    label: str
    n: Ints
    value: Floats
    decided_at: int | None


def few_values(analysis: "Analysis") -> Floats:
    """Return the values that scores take, from the highest, if they are few; else none."""
    values = np.unique(np.concatenate([analysis.scores[p.name] for p in analysis.policies]))
    return values[::-1] if values.size <= FEW_VALUES else values[:0]


def score_strips(analysis: "Analysis") -> list[ScoreStrip]:
    """Return one strip per policy, from best to worst."""
    strips = []
    values = few_values(analysis)
    low, high = analysis.bounds
    shares = ((analysis.scores[p.name] - low) / (high - low) for p in analysis.policies)
    heights: list[Ints] = [np.round(share * 60).astype(int) for share in shares]
    # The distance of dots of the same height is one for all policies, so that widths compare.
    most = max(int(np.unique(own, return_counts=True)[1].max()) for own in heights)
    step = min(0.04, 0.8 / most)
    for policy, height in zip(analysis.policies, heights, strict=True):
        used = analysis.scores[policy.name]
        letters = f"{policy.letters}, " if policy.letters else ""
        trials = f"{policy.trials_used} of {counted(policy.n, 'trial')}"
        strips.append(
            ScoreStrip(
                f"{wrapped(policy.name)}\n{letters}{trials}",
                used,
                _beeswarm(height, step),
                (used == values[:, None]).mean(axis=1) if values.size else values,
                policy.mean,
                policy.interval.low,
                policy.interval.high,
            )
        )
    return strips


def evidence_curves(analysis: "Analysis", kind: str) -> list[Curve]:
    """Return a curve per pair: the running p-value of the better direction, or its e-value."""
    return [_curve(pair, kind) for pair in analysis.pairs]


def alt_text(analysis: "Analysis", figure: str, caption: str) -> str:
    """Return what a figure shows, for those who do not see it."""
    if figure == "scores":
        means = ", ".join(
            f"{own.name} {score_text(own.mean)}{f' ({own.letters})' if own.letters else ''}"
            for own in analysis.policies
        )
        return f"{caption}. Means: {means}."
    if figure == "intervals":
        ends = "; ".join(
            f"{pair.policy1} - {pair.policy0} from {score_text(pair.interval.low)} to "
            f"{score_text(pair.interval.high)}"
            for pair in analysis.pairs[:MOST_TOLD]
        )
        return f"{caption}: {ends}{'; and more' if len(analysis.pairs) > MOST_TOLD else ''}."
    if figure in ("p_values", "e_values"):
        decided = sum(pair.decided for pair in analysis.pairs)
        return f"{caption}: {decided} of {counted(len(analysis.pairs), 'pair')} decided."
    return f"{caption}: {analysis.headline}"


def pair_matrix(analysis: "Analysis", value: "Callable[[PairResult], float]") -> Floats:
    """Return a value of policy1 against policy0 per pair, in the order of the policies.

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


def _curve(pair: "PairResult", kind: str) -> Curve:
    path = pair.path
    direction = int(np.argmin(path.p_value[-1]))
    if kind == "p":
        value = np.minimum.accumulate(path.p_value[:, direction])
    else:
        value = path.log_e[:, direction] / math.log(10.0)
    names = (pair.policy1, pair.policy0) if direction == 0 else (pair.policy0, pair.policy1)
    label = pair.relation if pair.decided else f"{names[0]} or {names[1]}?"
    # The curve is that of a difference, and does not reach alpha where sameness was shown.
    ended = pair.n if pair.decided and not pair.same else None
    return Curve(label, path.n, value, ended)


def _beeswarm(heights: Ints, step: float) -> Floats:
    """Spread dots of the same height symmetrically, as far as there are many."""
    sideways = np.zeros(heights.size)
    for height in np.unique(heights):
        same = np.flatnonzero(heights == height)
        sideways[same] = step * (np.arange(same.size) - (same.size - 1) / 2)
    return sideways
