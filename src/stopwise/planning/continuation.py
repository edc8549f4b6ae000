"""Simulated continuations of a running study: what was seen stays, the rest is drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.rules import Rules
from stopwise.planning.beside import WithNumber
from stopwise.planning.forecast_result import PairForecast
from stopwise.planning.populations import Population, Resampled
from stopwise.planning.simulation import Tally
from stopwise.planning.stopping_times import runs_for_share, share_error, within
from stopwise.questions.pairs import Replay, replay
from stopwise.questions.ranking import Ranking
from stopwise.rows.table import Table, unit_scores


@dataclass(frozen=True, eq=False)
class ContinuationEnds(Tally):
    """How continuations ended, added up."""

    claims: Ints  # those in which each direction (pairs, 2) is claimed in the end
    same: Ints  # those in which each pair ends as practically the same
    every: int  # those in which every pair is decided
    further: int  # those in which at least one more is
    rows: Ints  # by the further trials of the policy that needs most, from 0
    trials: int  # further trials of all policies
    runs: int

    def share(self, count: float) -> float:
        """Return a count as a share of the continuations."""
        return float(count) / self.runs

    def error(self, count: float) -> float:
        """Return the standard error of that share."""
        return share_error(count, self.runs)

    def quantile(self, level: float) -> int:
        """Return the further trials per policy within which this share of studies ends."""
        return within(self.rows, level)

    def chance_by(self) -> tuple[float, ...]:
        """Return the chance that every pair is decided, by further trials per policy from 0."""
        most = int(np.flatnonzero(self.rows).max())
        # Studies that end undecided do so with their last trial.
        decided = np.minimum(np.cumsum(self.rows[: most + 1]), self.every)
        return tuple((decided / self.runs).tolist())

    def runs_needed(self, precision: float) -> int:
        """Return how many runs bring both chances to this standard error."""
        return max(
            runs_for_share(count, self.runs, precision) for count in (self.every, self.further)
        )


@dataclass(frozen=True, eq=False)
class Continuation:
    """Ways in which a running study may go on.

    Every run replays the study from its first trial, so that bets, shares of alpha and decided
    pairs are what they are; only trials that were not run yet differ.
    """

    ranking: Ranking  # the pairs of the study, under rules that declare n_max
    past: Floats  # normalised scores (rows, policies), NaN where a policy has no trial
    population: Population  # where further trials come from

    @classmethod
    def of(cls, table: Table, rules: Rules) -> "Continuation":
        """Return those of the study of a table."""
        ranking = Ranking(rules)
        past = unit_scores(table.with_constants(rules.reading.constants), ranking.comparison)
        own = past[:, : len(rules.reading.run)]
        population: Population = Resampled(own, rules.design == "paired" and own.shape[1] > 1)
        if rules.reference is not None:
            number = float(rules.scale.unit(np.asarray(rules.reference)))
            population = WithNumber(population, number)
        return cls(ranking, past, population)

    def answer(self, ends: ContinuationEnds) -> dict[str, Any]:
        """Return the fields of a forecast that are of this goal."""
        found = []
        for pair, (first, second) in enumerate(self.ranking.family.pairs.tolist()):
            names = self.ranking.rules.policies[first], self.ranking.rules.policies[second]
            claims, same = self.now.claims[0, pair], bool(self.now.same[0, pair])
            (count1, count0), both = ends.claims[pair], ends.same[pair]
            if same:
                count1 = count0 = 0  # what follows from others does not change how it ended
            decided = names[1] if claims[0] else names[0] if claims[1] else None
            ended = count0 + count1 + both
            found.append(
                PairForecast(
                    policy0=names[0],
                    policy1=names[1],
                    decided="the same" if same else decided,
                    chance=ends.share(ended),
                    chance_error=0.0 if self.now.decided[0, pair] else ends.error(ended),
                    chance0=ends.share(count0),
                    chance1=ends.share(count1),
                    chance_same=None if self.now.p_same is None else ends.share(both),
                )
            )
        return {"pairs": tuple(found)}

    @cached_property
    def now(self) -> Replay:
        """How every pair stands after what was seen."""
        return replay(
            self.ranking.comparison, self.ranking.budget, self.past[None], with_p_values=False
        )

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> ContinuationEnds:
        """Return how this many continuations end."""
        n_max = self.ranking.rules.n_max
        assert n_max is not None
        rng = np.random.default_rng(seed)
        scores = self.population.draw(rng, runs, n_max).scores
        # A gap in what is over stays a gap.
        over = np.arange(len(self.past))[:, None] < rows_over(self.ranking.rules, self.past)
        scores[:, : len(self.past)][:, over] = self.past[over]
        outcome = replay(self.ranking.comparison, self.ranking.budget, scores, with_p_values=False)
        further = further_trials(self.ranking, self.past, outcome)
        decided = outcome.decided
        longest = further.max(axis=1)
        return ContinuationEnds(
            outcome.claims.sum(axis=0),
            outcome.same.sum(axis=0),
            int(decided.all(axis=1).sum()),
            int((decided.sum(axis=1) > self.now.decided.sum()).sum()),
            np.bincount(longest, minlength=n_max + 1),
            int(further.sum()),
            runs,
        )


def study_rules(table: Table, n_max: int, settings: Mapping[str, Any]) -> Rules:
    """Return the rules of a study of this table."""
    return Rules.of(
        policies=table.policies,
        n_max=n_max,
        bounds=table.bounds or (0.0, 1.0),
        design=table.design,
        **settings,
    )


def further_trials(ranking: Ranking, past: Floats, outcome: Replay) -> Ints:
    """Return the trials (runs, policies) still run until all pairs of the policy are decided."""
    more: Ints = np.maximum(outcome.last - rows_over(ranking.rules, past), 0)
    more[:, len(ranking.rules.reading.run) :] = 0  # a number has no trials
    return more


def rows_over(rules: Rules, past: Floats) -> Ints:
    """Return the rows that are over for each policy: all blocks, else up to its last trial."""
    if rules.design == "paired":
        return np.full(past.shape[1], len(past))
    numbers = np.arange(1, len(past) + 1)[:, None]
    last: Ints = np.where(np.isnan(past), 0, numbers).max(axis=0, initial=0)
    return last
