"""The promise of the goal "best": a best policy is dropped, ever, with probability at most alpha.

Every study looks after each row. What the checks would catch is shown by rules with one deliberate
fault, which fail them.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.rules import Rules
from stopwise.questions.candidates import Candidates, NearBest, comparison_of, start
from tests.guarantees.nulls import Drawn, one_wins, skewed, successes
from tests.guarantees.pinned import assert_at_most, assert_pinned

pytestmark = pytest.mark.slow(
    "thousands of studies of each kind: adds leaders that change to the exact tests of levels"
)

ALPHA = 0.1
STUDIES = 2000
ROWS = 60


@dataclass(frozen=True)
class Race:
    """Policies with these means, the first of which is a best one."""

    means: tuple[float, ...]
    draw: Drawn = successes
    studies: int = STUDIES
    settings: dict[str, Any] = field(default_factory=dict)

    def rules(self) -> Rules:
        names = tuple(str(index) for index in range(len(self.means)))
        settings = {"n_max": ROWS, "alpha": ALPHA, **self.settings}
        return Rules.of(policies=names, goal="best", **settings)

    def board(self) -> Candidates:
        return start(comparison_of(self.rules()), self.studies)

    def run(self, board: Candidates, seed: int = 1) -> Candidates:
        """Show rows to the end; a rule that is wrong may have been put into the board."""
        rng, means = np.random.default_rng(seed), np.array(self.means)
        board.choose()
        while board.count.any() and board.rows < ROWS:
            turns = np.arange(board.count.max())[:, None, None]
            trials = np.stack([self.draw(rng, (self.studies,), means) for _ in turns])
            board.observe(np.where(turns < board.count, trials, np.nan))
        return board


RACES = {
    "3 equal": Race((0.5,) * 3),
    "3 equal, one wins": Race((1 / 3,) * 3, one_wins, settings={"design": "paired"}),
    "4 equal, skewed": Race((0.2,) * 4, skewed),
    "5, two best": Race((0.6, 0.6, 0.5, 0.4, 0.3)),
    "8 equal": Race((0.5,) * 8),
    "4 equal, wsr": Race((0.5,) * 4, settings={"method": "wsr"}),
}


def lost(board: Candidates) -> int:
    """Number of studies that dropped the first policy or named one outside the indifference."""
    return int(((board.dropped[:, 0] > 0) | (board.named > 0)).sum())


def dropped(board: Candidates) -> int:
    """Number of studies that dropped the first policy."""
    return int((board.dropped[:, 0] > 0).sum())


@pytest.mark.parametrize("name", RACES)
def test_a_best_policy_is_dropped_with_at_most_alpha(name: str) -> None:
    """Catches bets that saw their row, leaders chosen by it, and wealth that is made good."""
    race = RACES[name]
    errors = dropped(race.run(race.board()))

    assert_at_most(errors, race.studies, ALPHA)
    assert_pinned(f"best, {name}", [errors])


class LedByTheRow(Candidates):
    """Sabotage: whoever has the greatest score of this very row is the opponent."""

    def _bet(self, means: Floats) -> None:
        self.met = np.where(np.isnan(means), -1.0, means).argmax(axis=1)
        super()._bet(means)


class MadeGood(Candidates):
    """Sabotage: a wealth that was lost is given anew."""

    def _bet(self, means: Floats) -> None:
        super()._bet(means)
        self.log_wealth = np.maximum(self.log_wealth, 0.0)


@pytest.mark.parametrize("fault", [LedByTheRow, MadeGood])
def test_the_check_fails_for_a_faulty_rule(fault: type[Candidates]) -> None:
    race = RACES["8 equal"]
    board = fault(race.board().method, race.studies, 8, often=True)

    errors = dropped(race.run(board))

    assert binomtest(errors, race.studies, ALPHA, alternative="greater").pvalue < 1e-6, errors


class Adversary(NearBest):
    """Lets two good policies lead while pots fill, and then a bad one: any choice must be valid."""

    def _first(self, among: Bools) -> Ints:
        enough = self.target - 0.5
        second = np.where(self.pot[:, 1, 0] > enough, 2, 0)
        return np.where(self.pot[:, 0, 1] > enough, second, 1)


class Carried(Adversary):
    """Sabotage: pots are carried over when the leader changes."""

    def _first(self, among: Bools) -> Ints:
        self.pot[:] = self.pot.max(axis=2, keepdims=True)
        return super()._first(among)


@pytest.mark.parametrize("rule", [Adversary, Carried])
def test_pots_are_not_carried_over_to_another_leader(rule: type[Adversary]) -> None:
    """Against one that is good enough a pot may grow without end, and shows nothing of others."""
    race = Race((0.7, 0.7, 0.35, 0.1), settings={"indifference": 0.3})
    board = race.board()
    board.__class__ = rule

    wrong = int((race.run(board).named == 2).sum())

    if rule is Carried:
        assert binomtest(wrong, race.studies, ALPHA, alternative="greater").pvalue < 1e-6, wrong
    else:
        assert_at_most(wrong, race.studies, ALPHA)
        assert_pinned("near best, an adversary chooses the leader", [wrong])
