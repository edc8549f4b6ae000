"""The rule for the best policy: the tests it bets with, and how studies of it end."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole
from stopwise.errors import require
from stopwise.questions.candidates import Candidates
from stopwise.questions.near_best import NearBest


def comparison_of(rules: Rules) -> PairTest:
    """Return the test "the opponent is better" at the whole level, or say why there is none."""
    require(
        rules.alternative == "two-sided" and rules.margin == 0,
        "the goal best takes no direction and no margin, but alternative is "
        f"{rules.alternative!r} and margin {rules.margin:g}",
    )
    comparison = PairTest(replace(rules, alternative="greater"))
    require(
        registry.find(rules.method).inverts,
        "the goal 'best' needs a method that bets: the evidence against a policy is a product of "
        f"factors against whoever leads, and {rules.method} has no such factors; choose "
        "nscore-plus, nscore, wsr or savi",
        parameter="method",
    )
    return comparison


def start(comparison: PairTest, studies: int) -> Candidates:
    """The candidates before the first choice; policies declared to come later are awaited."""
    rules = comparison.rules
    policies = rules.policies
    # A block is met once by each policy, and an average is not one of the levels of a method.
    often = rules.allocation == "leader" and rules.design != "paired" and comparison.levels is None
    board: Candidates
    if rules.indifference == 0:
        board = Candidates(comparison.test, studies, len(policies), often=often)
    else:
        near = replace(rules, margin=-rules.indifference)
        both = "paired" in registry.find(rules.method).designs  # a constant depends on nothing
        alone = replace(near, design="paired") if both else near
        board = NearBest(
            comparison.test,
            studies,
            len(policies),
            often=often,
            near=PairTest(near).test,
            alone=PairTest(alone).test,
            lone=rules.allocation == "leader",
        )
    board.joined[:, [policies.index(name) for name in rules.later]] = False
    return board


def simulated_rows(rules: Rules, draw: Callable[[], Floats], studies: int) -> Iterator[Candidates]:
    """Yield the candidates of so many studies before every row that they need."""
    board = start(comparison_of(rules), studies)
    board.choose()
    for _ in range(require_whole(rules.n_max, "n_max", 1)):
        times = int(board.count.max())
        if not times:
            break
        yield board
        turns = np.arange(times)[:, None, None]
        trials = np.stack([draw() for _ in range(times)])
        board.observe(np.where(turns < board.count, trials, np.nan))
