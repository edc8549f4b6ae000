"""Rows of group averages keep the promise: equal policies are told apart with at most alpha.

Every study looks after each row. What the check would catch is shown by groups that are chosen by
looking at the scores, and by stored trials that are used twice, which both fail it.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.simulate import Simulation, run_studies
from tests.guarantees.pinned import assert_at_most, assert_pinned

ALPHA = 0.1
RUNS = 3000
ROWS = 60
Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]


def rare(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    return (rng.random(size) < 0.1).astype(float)


def even(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    return (rng.random(size) < 0.5).astype(float)


def skewed(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """Return scores of mean .8, mostly near 1."""
    return rng.beta(0.4, 0.1, size)


def rules_of(method: str, stored: int) -> Rules:
    return Rules(method=method, alpha=ALPHA, n_max=ROWS, groups={"policy 0": stored})


def as_declared(rules: Rules, stored: Floats) -> Floats:
    """Return the rows of averages of every study."""
    new = np.zeros((stored.shape[1], 1))
    return np.array([rules.reading.rows(np.hstack((own[:, None], new)))[:, 0] for own in stored])


def studies(
    draw: Draw, rules: Rules, rows: Callable[[Rules, Floats], Floats] = as_declared, seed: int = 1
) -> Simulation:
    """Return studies of two equal policies, of which policy 0 has stored trials."""
    rng = np.random.default_rng(seed)
    assert rules.groups is not None
    stored = draw(rng, (RUNS, rules.groups["policy 0"]))
    return run_studies(rules, rows(rules, stored), draw(rng, (RUNS, ROWS)))


@pytest.mark.slow("3,000 studies of each kind: adds other scores, methods and numbers")
@pytest.mark.parametrize("draw", [rare, even, skewed])
@pytest.mark.parametrize(
    ("method", "stored"),
    [("nscore-plus", 200), ("nscore-plus", 480), ("nscore", 200), ("wsr", 200)],
)
def test_equal_policies_are_told_apart_with_at_most_alpha(
    method: str, stored: int, draw: Draw
) -> None:
    found = studies(draw, rules_of(method, stored))
    counts = [int((found.decision == way).sum()) for way in (0, 1)]

    assert_at_most(sum(counts), RUNS, ALPHA)
    assert_pinned(f"groups {method} {stored} {draw.__name__}", counts)


def chosen_by_looking(rules: Rules, stored: Floats) -> Floats:
    """Close a group at its first success: a look at the scores decides how many it has."""
    found = as_declared(rules, stored)
    for row in range(ROWS):
        first = rules.reading.trials("policy 0", row).start
        found[:, row] = np.where(stored[:, first] == 1.0, 1.0, found[:, row])
    return found


def used_twice(rules: Rules, stored: Floats) -> Floats:
    """Take the first tenth of the stored trials again and again."""
    few = stored[:, : stored.shape[1] // 10]
    return as_declared(rules, np.tile(few, (1, 10)))


@pytest.mark.parametrize("sabotage", [chosen_by_looking, used_twice])
def test_the_check_would_catch(sabotage: Callable[[Rules, Floats], Floats]) -> None:
    """Groups that a look at the scores chose, and trials that come again in later rows."""
    honest = studies(even, rules_of("nscore-plus", 200))
    assert_at_most(int((honest.decision >= 0).sum()), RUNS, ALPHA)
    found = studies(even, rules_of("nscore-plus", 200), sabotage)
    errors = int((found.decision >= 0).sum())

    assert binomtest(errors, RUNS, ALPHA, alternative="greater").pvalue < 1e-4


def test_sizes_follow_from_what_was_declared_alone() -> None:
    """The smaller number has one trial per row, the other neighbouring sizes in turn."""
    for stored, rows, sizes in ((200, 50, {4}), (200, 60, {3, 4}), (60, 60, {1}), (61, 60, {1, 2})):
        rules = Rules(n_max=rows, groups={"policy 0": stored})
        taken = [rules.reading.trials("policy 0", row) for row in range(rows)]
        assert {len(own) for own in taken} == sizes
        assert [number for own in taken for number in own] == list(range(stored))
        assert rules.reading.trials("policy 1", 7) == range(7, 8)
