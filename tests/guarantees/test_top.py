"""The promise of ``top``: any of the best m is dropped, ever, with probability at most alpha."""

import math
from typing import Any

import numpy as np
import pytest

from stopwise.core.arrays import Floats
from stopwise.questions.best_rule import simulate
from stopwise.questions.candidates import Candidates
from stopwise.questions.top_candidates import TopCandidates
from tests.guarantees.pinned import assert_at_most, assert_pinned
from tests.guarantees.test_best import ALPHA, Draw, Race, _bernoulli, _levels, _one_wins, _shared

# The first ``top`` policies are the best; those after them may be as good.
CASES: dict[str, tuple[tuple[float, ...], int, Draw, dict[str, Any]]] = {
    "6 equal, 2": ((0.5,) * 6, 2, _bernoulli, {}),
    "5 equal, 4": ((0.5,) * 5, 4, _bernoulli, {}),
    "two ahead, 3": ((0.95, 0.95, 0.5, 0.5, 0.5, 0.5), 3, _bernoulli, {}),
    "a tie at the edge, paired": ((0.9, 0.5, 0.5, 0.5, 0.2), 2, _shared, {"design": "paired"}),
    "one wins, paired": ((0.25,) * 4, 2, _one_wins, {"design": "paired"}),
    "levels, wsr": ((0.7, 0.5, 0.5, 0.5), 2, _levels, {"method": "wsr"}),
}


def lost(board: Candidates, top: int) -> int:
    return int((~board.open[:, :top]).any(axis=1).sum())


@pytest.mark.parametrize("name", CASES)
def test_none_of_the_best_is_dropped(name: str) -> None:
    means, top, draw, settings = CASES[name]
    race = Race(means, draw, 600, {"top": top, **settings})
    board = race.run(race.board())

    assert isinstance(board, TopCandidates)
    assert (board.open.sum(axis=1) >= top).all()
    errors = lost(board, top)
    assert_at_most(errors, race.studies, ALPHA)
    assert_pinned(f"top: {name}", [errors, int((board.named >= 0).sum())])


class OneOpponent(TopCandidates):
    """Forgets that others may be better than one of the best: the mean of all wealths."""

    def _bet(self, scores: Floats, means: Floats) -> None:
        super()._bet(scores, means)
        others = np.where(np.eye(self.k, dtype=bool), -np.inf, self.pair_wealth)
        self.log_wealth = np.logaddexp.reduce(others, axis=2) - math.log(self.top * (self.k - 1))


def test_the_mean_of_all_wealths_is_caught() -> None:
    means, top, draw, settings = CASES["two ahead, 3"]
    race = Race(means, draw, 300, {"top": top, **settings})
    board = race.board()
    board.__class__ = OneOpponent
    with pytest.raises(AssertionError):
        assert_at_most(lost(race.run(board), top), race.studies, ALPHA)


def test_the_best_few_are_named_in_fewer_trials_than_an_order_takes() -> None:
    """The order of all pairs takes 3,809 trials here."""
    means = np.array([0.9, 0.8, 0.8, 0.4, 0.4, 0.3, 0.3, 0.2])
    rules = Race(tuple(means.tolist()), settings={"top": 3, "n_max": 500, "alpha": 0.05}).rules()
    rng = np.random.default_rng(5)
    board = simulate(rules, lambda: (rng.random((100, 8)) < means) * 1.0, 100)

    assert (board.named >= 0).all()
    assert lost(board, 3) == 0
    assert board.asked.sum(axis=1).mean() < 400
