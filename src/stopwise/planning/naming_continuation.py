"""Simulated continuations of a running study of the best policy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.errors import require
from stopwise.planning.continuation import ContinuationEnds, rows_over
from stopwise.planning.named_best import BLOCK
from stopwise.planning.populations import Resampled
from stopwise.questions.best import BestQuestion
from stopwise.questions.best_analysis import BestAnalysis
from stopwise.questions.best_rule import simulated_rows
from stopwise.questions.candidates import Candidates
from stopwise.rows.table import Table


@dataclass(frozen=True, eq=False)
class NamingContinuation:
    """Ways in which a running study of the best policy may go on.

    Every run replays the study from its first trial; only trials that were not run yet differ. A
    policy that was dropped is tried no more, so only the candidates have further trials.
    """

    rules: Rules  # of the study, with its n_max
    past: Floats  # normalised scores (trials, policies), NaN where a policy has none
    now: BestAnalysis  # what the study has found so far

    @classmethod
    def of(cls, table: Table, rules: Rules) -> "NamingContinuation":
        """Return those of a table, or say why there are none."""
        require(
            not rules.later,
            "a forecast needs all policies from the start, but some of these join later",
            parameter="later",
        )
        question = BestQuestion(rules)
        past = question.comparison.scale.unit(table.scores)
        return cls(rules, past, question.analyze(table))

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> ContinuationEnds:
        """Return how this many continuations end."""
        rules, n_max = self.rules, self.rules.n_max
        assert n_max is not None
        trials = _Trials(self, np.random.default_rng(seed), runs)
        rows, further = np.zeros((2, runs), dtype=np.int64)
        board = None
        for board in simulated_rows(rules, trials, runs):
            trials.begin_row(board)
            rows += board.count.any(axis=1)
            further += trials.fresh
        assert board is not None
        named = board.named >= 0
        names = np.bincount(board.named[named], minlength=len(rules.policies))
        more = named | (board.open.sum(axis=1) < len(self.now.candidates))
        return ContinuationEnds(
            names,
            np.zeros(0, dtype=np.int64),  # no pair is asked about
            int(named.sum()),
            int(more.sum()),
            np.bincount(np.maximum(rows - self.now.rows, 0), minlength=n_max + 1),
            int(further.sum()),
            runs,
        )

    def answer(self, ends: ContinuationEnds) -> dict[str, Any]:
        """Return the fields of a forecast that are of this goal."""
        shares = zip(self.rules.policies, ends.claims.tolist(), strict=True)
        return {
            "pairs": (),
            "best": self.now.best,
            "candidates": self.now.candidates,
            "chances": {name: ends.share(count) for name, count in shares},
        }


class _Trials:
    """The trials of each study by their numbers: those seen, and then fresh ones."""

    def __init__(
        self, continuation: NamingContinuation, rng: np.random.Generator, runs: int
    ) -> None:
        rules, past = continuation.rules, continuation.past
        self._paired = rules.design == "paired"
        self._left = [rules.policies.index(name) for name in continuation.now.candidates]
        population = Resampled(past[:, self._left], self._paired)
        self._draw: Callable[[int], Floats] = population.begin(rng, runs).draw
        self._over = rows_over(rules, past)
        self._studies, self._policies = np.arange(runs)[:, None], np.arange(past.shape[1])
        # A gap in what is over stays a gap; one may have fewer trials than others.
        over = np.arange(len(past))[:, None] < self._over
        self._scores = np.where(over, past, self._fresh(len(past)))
        self._blocks = np.zeros(runs, dtype=np.int64)

    def begin_row(self, board: Candidates) -> None:
        """Find the numbers of the trials of the next row; count those that are yet to be run."""
        first = self._blocks[:, None] if self._paired else board.asked
        self._number = np.broadcast_to(first, board.count.shape).copy()
        self._blocks = self._blocks + board.count.max(axis=1)
        seen = np.clip(self._over - self._number, 0, board.count)
        self.fresh = (board.count - seen).sum(axis=1)

    def __call__(self) -> Floats:
        """Return the next trial of each policy in each study."""
        while self._scores.shape[1] <= self._number.max():
            self._scores = np.concatenate([self._scores, self._fresh(BLOCK)], axis=1)
        found: Floats = self._scores[self._studies, self._number, self._policies]
        self._number += 1
        return found

    def _fresh(self, n: int) -> Floats:
        """Return fresh trials (studies, n, policies) of the candidates."""
        found = np.full((len(self._studies), n, self._policies.size), np.nan)
        found[..., self._left] = self._draw(n)
        return found
