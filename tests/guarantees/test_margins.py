"""Margins of several policies, and stops for futility when the best is asked for.

Every study looks after each row, at the very edge of the claims: differences of exactly the margin.
What the checks would catch is shown by rules with one deliberate fault, which fail them.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.core.arrays import Bools, Floats
from stopwise.core.comparison import Comparison
from stopwise.core.rules import Rules
from stopwise.questions.best_rule import comparison_of
from stopwise.questions.budget import Holm
from stopwise.questions.candidates import Candidates
from stopwise.questions.pairs import replay
from stopwise.questions.ranking import Ranking
from tests.guarantees.pinned import assert_at_most, assert_pinned

pytestmark = pytest.mark.slow(
    "hundreds of studies of each kind: adds nulls that do not attain the level"
)

ALPHA, STUDIES, ROWS = 0.2, 600, 120
# Means, and what is asked of them; the first is the baseline, where there is one.
STUDY: dict[str, tuple[tuple[float, ...], dict[str, Any]]] = {
    "not worse, 4 at the edge": ((0.7, 0.6, 0.6, 0.6, 0.6), {"margin": -0.1, "baseline": "0"}),
    "not worse, paired": (
        (0.7, 0.6, 0.6, 0.9),
        {"margin": -0.1, "baseline": "0", "design": "paired"},
    ),
    "not worse, bonferroni, wsr": (
        (0.5, 0.3, 0.3),
        {"margin": -0.2, "baseline": "0", "adjust": "bonferroni", "method": "wsr"},
    ),
    "better by more, a ladder at the edge": ((0.3, 0.5, 0.7), {"margin": 0.2}),
    "better by more, against a baseline": (
        (0.5, 0.6, 0.6, 0.4, 0.4),
        {"margin": 0.1, "baseline": "0"},
    ),
    "better by more, futility": ((0.3, 0.5, 0.7), {"margin": 0.2, "futility": "binding"}),
}


def ranking_of(name: str) -> Ranking:
    means, asked = STUDY[name]
    names = tuple(str(index) for index in range(len(means)))
    return Ranking(Rules.of(policies=names, n_max=ROWS, alpha=ALPHA, **asked))


def scores_of(name: str, studies: int = STUDIES) -> Floats:
    """Successes; in the paired design mostly those of one difficulty for all policies."""
    means, asked = STUDY[name]
    rng = np.random.default_rng(7)
    drawn = rng.random((studies, ROWS, len(means)))
    if asked.get("design") == "paired":
        drawn = np.where(rng.random(drawn.shape) < 0.7, rng.random((studies, ROWS, 1)), drawn)
    return np.asarray(drawn < means, dtype=float)


def false_claims(name: str, ranking: Ranking, *, budget: Any = None, shift: float = 0.0) -> int:
    """Return in how many studies anything false was claimed; sabotaged, with another margin."""
    means, asked = np.array(STUDY[name][0]), STUDY[name][1]
    rules = replace(ranking.rules, margin=ranking.rules.margin + shift)
    comparison = Comparison(rules, ranking.family.size)
    outcome = replay(comparison, budget or ranking.budget, scores_of(name), with_p_values=False)
    first, second = ranking.family.pairs.T
    gap = means[second] - means[first]
    false = np.stack([gap, -gap], axis=-1) <= asked["margin"] + 1e-9
    return int((outcome.claims & false).any(axis=(1, 2)).sum())


@pytest.mark.parametrize("name", STUDY)
def test_any_false_claim_at_the_edge_has_at_most_alpha(name: str) -> None:
    errors = false_claims(name, ranking_of(name))

    assert_at_most(errors, STUDIES, ALPHA)
    assert_pinned(f"margin, {name}", [errors])


class Generous(Holm):
    """The sabotage: every claim has all of alpha."""

    def step(self, factor: Floats, claims: Bools, p_value: Floats) -> tuple[Floats, Bools]:
        return super().step(factor, claims, p_value / self.family.size)


@pytest.mark.parametrize(
    "name", ["not worse, 4 at the edge", "better by more, a ladder at the edge"]
)
def test_the_check_catches_a_smaller_margin_and_a_level_for_each(name: str) -> None:
    ranking = ranking_of(name)
    faults = [false_claims(name, ranking, shift=-0.1)]
    if ranking.family.sides == 1:
        generous = Generous(family=ranking.family, alpha=ALPHA)
        faults.append(false_claims(name, ranking, budget=generous))
    for errors in faults:
        assert binomtest(errors, STUDIES, ALPHA, alternative="greater").pvalue < 1e-4


class RestIsOut(Candidates):
    """The sabotage: a candidate that is given up counts as dropped."""

    def choose(self) -> None:
        super().choose()
        self.open = self.open & ~self.rests
        self.dropped[self.rests & (self.dropped == 0)] = max(self.rows, 1)


def run_best(kind: type[Candidates], settings: dict[str, Any], studies: int = 1000) -> Candidates:
    """Show 4 equal policies, of which nothing can be told, until the rule gives up."""
    names = ("0", "1", "2", "3")
    rules = Rules.of(
        policies=names, goal="best", n_max=60, alpha=0.1, futility="binding", **settings
    )
    board = kind(comparison_of(rules).test, studies, 4, often="design" not in settings)
    rng = np.random.default_rng(2)
    board.choose()
    while board.count.any() and board.rows < 60:
        turns = np.arange(board.count.max())[:, None, None]
        trials = (rng.random((len(turns), studies, 4)) < 0.5) * 1.0
        board.observe(np.where(turns < board.count, trials, np.nan))
    return board


@pytest.mark.parametrize("settings", [{}, {"allocation": "even", "design": "paired"}])
def test_giving_up_drops_no_best_policy(settings: dict[str, Any]) -> None:
    board = run_best(Candidates, settings)
    errors = int((board.dropped[:, 0] > 0).sum())

    assert_at_most(errors, 1000, 0.1)
    assert_pinned(f"best, given up, {settings.get('design', 'independent')}", [errors])
    assert board.rests.any(axis=1).mean() > 0.5
    assert not board.rests[board.named >= 0].any()

    wrong = run_best(RestIsOut, settings)
    errors = int((wrong.dropped[:, 0] > 0).sum())
    assert binomtest(errors, 1000, 0.1, alternative="greater").pvalue < 1e-4
