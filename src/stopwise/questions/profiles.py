"""What figures show beside a ranking: how often policies win, and shares of trials by score."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.questions.intervals import mean_intervals
from stopwise.questions.pairs import PairTests
from stopwise.questions.rank import rank

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

# Scores at which the share of trials that reach them is shown, and a rounding error of one.
LEVELS, ROUNDING = 20, 1e-9


@dataclass(frozen=True, eq=False)
class Profile:
    """The share of a policy's trials with at least each score, with a band that always holds."""

    name: str
    score: Floats
    share: Floats
    low: Floats
    high: Floats


def by_wins(analysis: "Analysis") -> "Analysis":
    """The same trials compared by wins: all intervals hold together."""
    if not analysis.rules.reading.transitive:
        return analysis
    asked = {"by": "wins", "adjust": "bonferroni", "margin": 0.0, "equivalence": None}
    rules = replace(analysis.rules, **asked)  # type: ignore[arg-type]  # each is of its type
    return rank(analysis.aligned, PairTests(rules))


def profiles(analysis: "Analysis") -> list[Profile]:
    """Share of trials by score, for each policy; all bands hold together, at all times."""
    scores = analysis.scores
    names = [policy.name for policy in analysis.policies if policy.n]
    low, high = analysis.bounds
    # Levels that the scores do not choose: the bands hold for these.
    levels = np.linspace(low, high, LEVELS + 1)[1:]
    alpha = analysis.alpha / (len(names) * LEVELS)
    reading = replace(Rules(), policies=("policy0", "policy1")).reading
    curves = []
    for name in names:
        reached = (scores[name][:, None] >= levels - ROUNDING * (high - low)).astype(np.float64)
        low_ends, high_ends = mean_intervals(reading, reached, alpha)
        # What more trials reach than a higher score can only be a greater share.
        low_ends = np.maximum.accumulate(low_ends[::-1])[::-1]
        high_ends = np.minimum.accumulate(high_ends)
        curves.append(Profile(name, levels, reached.mean(axis=0), low_ends, high_ends))
    return curves
