"""What an analysis says of one policy, and of one pair of them."""

from dataclasses import dataclass

from stopwise.core.confidence_state import Interval
from stopwise.questions.standing import Standing
from stopwise.questions.trace import Path


@dataclass(frozen=True, kw_only=True)
class PolicyResult:
    """One policy in the ranking.

    Attributes
    ----------
    n, mean
        Its trials in the table (up to n_max rows) and their plain average; asked for wins, the
        share of its meetings with the others that it has won, a tie counting half.
    interval
        Confidence interval of its mean; those of all policies hold together, at all times.
    letters
        Policies that share a letter are not told apart; empty if only compared with a baseline.
    trials_used
        Its trials that entered a comparison, until all its pairs were decided.
    trials_saved
        Its trials after that, which were not needed: those up to n_max, run or not, or without a
        declared n_max those in the table. 0 as long as one of its pairs is undecided.
    trials_unpaired
        Its earlier trials that entered no comparison, because they had no partner in their row.
    """

    name: str
    n: int
    mean: float
    interval: Interval
    letters: str
    trials_used: int
    trials_saved: int
    trials_unpaired: int


@dataclass(frozen=True, kw_only=True)
class PairResult(Standing):
    """One pair of policies, with what a report needs besides.

    Attributes
    ----------
    interval
        Confidence interval of mean1 - mean0 (of mean0 - mean1 if lower is better, so always the
        advantage of policy 1) from all trials of the pair, also those after the decision.
        With a method that bets it is the test inverted: 0 lies outside exactly if the pair's own
        evidence decides it.
    interval_level
        The probability with which this interval holds, at all times. With "bonferroni" and
        "closed" all hold together with 1 - alpha; with "holm" each is a statement about its pair
        alone, at the level of that pair's decision.
    path
        Evidence against n, for figures.
    """

    interval: Interval
    interval_level: float
    path: Path
