"""Studies that are simulated, from their start or from where they stand: all pairs, or the best."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.pair_test import EQUIVALENT
from stopwise.core.rules import Rules
from stopwise.core.simulate import run_studies
from stopwise.errors import require
from stopwise.messages import Setting
from stopwise.planning.ends import Ends
from stopwise.planning.forecast_result import PairForecast
from stopwise.planning.populations import Population, Resampled, World
from stopwise.questions.best import BestQuestion
from stopwise.questions.best_analysis import BestAnalysis
from stopwise.questions.candidates import Candidates, simulated_rows
from stopwise.questions.pairs import PairStates, PairTests, replay
from stopwise.rows.table import Table, unit_scores

# Rows that are drawn at once. More: memory. Less: time.
BLOCK = 32


class _TwoPolicies:
    """How one pair without gaps ends, by the simulator: faster than a replay, which agrees."""

    def __init__(self, rules: Rules, scores: Floats) -> None:
        scale = rules.scale
        # Rounding must not carry the best score over the bound.
        columns = np.moveaxis(scale.clip(scale.score(scores)), -1, 0)
        tried = columns[: len(rules.reading.run)]  # a second may be a number
        outcome = run_studies(rules, *tried, workers=1)
        self.claims = np.stack([outcome.decision == 1, outcome.decision == 0], axis=-1)[:, None]
        self.same = (outcome.decision == EQUIVALENT)[:, None]
        self.decided = (outcome.decision >= 0)[:, None]
        self.rows = outcome.n[:, None]
        self.last = np.repeat(self.rows, len(columns), axis=1)


@dataclass(frozen=True, eq=False)
class OrderStudy(PairTests):
    """A study of all pairs whose trials are like this population, after those of the past.

    Every run goes through the study from its first trial, so that bets, shares of alpha and decided
    pairs are what they are; only trials that were not run yet differ. With two policies
    ``alternative`` may be one-sided; more are always compared in both directions.
    """

    population: Population
    past: Floats | None = None  # normalised scores (rows, policies), NaN for no trial

    def __post_init__(self) -> None:
        rules = self.rules
        require(
            self.family.size == 1 or rules.alternative == "two-sided" or rules.margin < 0,
            "more than two policies are always compared in both directions, not with ",
            Setting("alternative", rules.alternative),
        )
        super().__post_init__()

    @classmethod
    def after(cls, table: Table, rules: Rules) -> Self:
        """The study of a table's pairs, as it goes on."""
        tests, reading = PairTests(rules), rules.reading
        past = unit_scores(table.with_constants(reading.constants), tests.comparison)
        rows = past[:, : len(reading.run)]
        paired = rules.design == "paired" and rows.shape[1] > 1
        return cls(rules, Resampled(rows, paired), past)

    def answer(self, ends: Ends) -> dict[str, Any]:
        """What a forecast says of the pairs."""
        pairs = []
        for pair, places in enumerate(self.family.pairs.tolist()):
            names = [self.rules.policies[place] for place in places]
            claims, same = self.now.claims[0, pair], bool(self.now.same[0, pair])
            count1, count0, both = ends.claims[pair]
            if same:
                count1 = count0 = 0  # what follows from others does not change how it ended
            better = names[1] if claims[0] else names[0] if claims[1] else None
            ended = count0 + count1 + both
            forecast = PairForecast(
                policy0=names[0],
                policy1=names[1],
                decided="the same" if same else better,
                chance=ends.chance(ended),
                chance_error=0.0 if self.now.decided[0, pair] else ends.error(ended),
                chance0=ends.chance(count0),
                chance1=ends.chance(count1),
                chance_same=None if self.now.p_same is None else ends.chance(both),
            )
            pairs.append(forecast)
        return {"pairs": tuple(pairs), "decided": bool(self.now.decided.all())}

    @property
    def n_max(self) -> int:
        assert self.rules.n_max is not None
        return self.rules.n_max

    @property
    def level(self) -> float:
        """Level of one direction of one pair in a fixed-sample plan."""
        return self.rules.alpha / self.family.most_false

    def close(self, means: Floats) -> Bools:
        """Pairs of such means that can be shown to be the same; on a list also equal ones."""
        rules, (first, second) = self.rules, self.family.pairs.T
        within = (rules.equivalence or 0.0) / rules.scale.span
        if rules.reading.finite and not rules.margin:
            within = max(within, 1e-9)
        return np.asarray(np.abs(means[..., second] - means[..., first]) < within)

    def true_claims(self, means: Floats) -> Bools:
        """Directions (..., pairs, 2) that are true and asked of policies of these means."""
        margin = self.rules.margin / self.rules.scale.span + 1e-9
        first, second = self.family.pairs.T
        gap = means[..., second] - means[..., first]
        true = np.stack([gap > margin, -gap > margin], axis=-1)
        asked = {"greater": (True, False), "less": (False, True)}
        return np.asarray(true & asked.get(self.rules.alternative, (True, True)))

    @cached_property
    def now(self) -> PairStates:
        """How every pair stands after the past."""
        assert self.past is not None
        return replay(self.comparison, self.budget, self.past[None], with_p_values=False)

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> Ends:
        scores, means = self._drawn(np.random.default_rng(seed), runs)
        rules, family = self.rules, self.family
        n_max, over, decided = self.n_max, np.zeros(family.k, dtype=np.int64), 0
        if self.past is not None:
            over, decided = rows_over(rules, self.past), int(self.now.decided.sum())
            # A gap in what is over stays a gap.
            fixed = np.arange(len(self.past))[:, None] < over
            scores[:, : len(self.past)][:, fixed] = self.past[fixed]
        if rules.reading.finite:  # claims are about these scenes
            means, scores = np.nanmean(scores, axis=1), scores[:, :n_max]
        if family.size == 1 and self.past is None:
            ends: _TwoPolicies | PairStates = _TwoPolicies(rules, scores)
        else:
            ends = replay(self.comparison, self.budget, scores, with_p_values=False)
        true, close = self.true_claims(means), self.close(means)
        # What can be found of a pair: who is better or, if that is asked, that it is the same.
        different = np.asarray(true.any(axis=-1)) | close
        shown = np.asarray((ends.claims & true).any(axis=-1)) | (ends.same & close)
        wrong = np.asarray((ends.claims & ~true).any(axis=(1, 2)))
        wrong = wrong | np.asarray((ends.same & ~close).any(axis=1))
        something = np.asarray(different.any(axis=1))
        right = np.asarray((shown | ~different).all(axis=1) & something & ~wrong)
        last = np.minimum(ends.rows, ends.last[:, family.pairs].min(axis=-1))
        lasting = different | ~something[:, None]  # all, if nothing can be found
        further = np.maximum(ends.last - over, 0)
        tried = [rules.policies.index(name) for name in rules.reading.tried]
        return Ends.of_runs(
            np.where(lasting, last, 1).max(axis=1),
            right,
            wrong,
            n_max=n_max,
            trials=further[:, tried].sum(axis=1),
            most_trials=n_max * len(tried),
            more=further[:, tried].max(axis=1),
            share=float((shown.sum(axis=1) / np.maximum(different.sum(axis=1), 1)).sum()),
            same=float(ends.same.mean(axis=1).sum()),
            claims=np.concatenate([ends.claims, ends.same[..., None]], axis=-1).sum(axis=0),
            decided=float(ends.decided.all(axis=1).sum()),
            further=float((ends.decided.sum(axis=1) > decided).sum()),
        )

    def _drawn(self, rng: np.random.Generator, runs: int) -> tuple[Floats, Floats]:
        """Rows of studies, or all scenes of their lists, and true means; stored are averaged."""
        rules, n_max, groups = self.rules, self.n_max, self.rules.groups or {}
        rows = rules.list_size or n_max
        world = self.population.begin(rng, runs)
        drawn = world.draw(max(groups.values(), default=rows))
        scores = drawn[..., :rows, :].copy()
        for name, number in groups.items():
            column, starts = rules.policies.index(name), np.arange(n_max) * number
            sums = np.add.reduceat(drawn[:, :number, column], starts // n_max, axis=1)
            scores[..., column] = sums / np.diff([*starts // n_max, number])
        return with_number(rules, scores), with_number(rules, world.means)


def with_number(rules: Rules, values: Floats) -> Floats:
    """Values (..., policies) in [0, 1], with the reference as the last policy if there is one."""
    constants = rules.scale.unit(np.array([*rules.reading.constants.values()]))
    numbers = np.broadcast_to(constants, (*values.shape[:-1], constants.size))
    return np.concatenate([values, numbers], axis=-1)


@dataclass(frozen=True, eq=False)
class BestStudy:
    """A study of the best policy whose trials are like this population, after those of the past.

    A study is right if the one named is the best, or within the indifference of it. What can be
    found are the policies that are not the best: the share of them that is ruled out is counted.
    """

    rules: Rules
    population: Population  # of the policies that are left
    past: Floats | None = None  # normalised scores (trials, policies), NaN for no trial
    now: BestAnalysis | None = None  # how it stands after the past

    @classmethod
    def after(cls, table: Table, rules: Rules) -> Self:
        """The study of a table, as it goes on: only candidates are tried."""
        require(
            not rules.later,
            "a forecast needs all policies from the start, but some of these join later",
            parameter="later",
        )
        question = BestQuestion(rules)
        past, now = question.comparison.scale.unit(table.scores), question.analyze(table)
        left = [rules.policies.index(name) for name in now.candidates]
        return cls(rules, Resampled(past[:, left], rules.design == "paired"), past, now)

    def answer(self, ends: Ends) -> dict[str, Any]:
        """What a forecast says of the policies."""
        assert self.now is not None
        chances = map(ends.chance, ends.claims)
        return {
            "decided": self.now.best is not None,
            "best": self.now.best,
            "candidates": self.now.candidates,
            "chances": dict(zip(self.rules.policies, chances, strict=True)),
        }

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> Ends:
        rules = self.rules
        trials = _Trials(self, self.population.begin(np.random.default_rng(seed), runs), runs)
        rows, further = np.zeros((2, runs), dtype=np.int64)
        most, board = 0, None
        for board in simulated_rows(rules, trials, runs):
            trials.begin_row(board)
            rows += board.count.any(axis=1)
            further += trials.fresh
            most = most or int(board.count[0].sum())  # no later row is longer than the first
        assert board is not None
        greatest = trials.means.max(axis=1, keepdims=True)
        good = trials.means >= greatest - rules.indifference / rules.scale.span - 1e-9
        named = board.named >= 0
        right = named & good[np.arange(runs), board.named]
        others = trials.means < greatest - 1e-9
        ruled_out = np.where(right, others.sum(axis=1), (others & ~board.open).sum(axis=1))
        return Ends.of_runs(
            rows,
            right,
            named & ~right,
            n_max=rules.n_max or 0,
            trials=further,
            most_trials=(rules.n_max or 0) * most,
            more=np.maximum(rows - (0 if self.now is None else self.now.rows), 0),
            share=float((ruled_out / np.maximum(others.sum(axis=1), 1)).sum()),
            claims=np.bincount(board.named[named], minlength=len(rules.policies)),
            decided=float(named.sum()),
            further=float((named | (board.open.sum(axis=1) < len(trials.left))).sum()),
        )


class _Trials:
    """The trials of each study: those of the past by their numbers, and then fresh ones."""

    def __init__(self, study: BestStudy, world: World, runs: int) -> None:
        policies = len(study.rules.policies)
        left = study.rules.policies if study.now is None else study.now.candidates
        self.left = [study.rules.policies.index(name) for name in left]
        self.means = np.full((runs, policies), -1.0)  # of a policy that was dropped none matters
        self.means[:, self.left] = world.means
        self._fresh = _one_by_one(world)
        self._paired = study.rules.design == "paired"
        past = np.empty((0, policies)) if study.past is None else study.past
        self._over = self._known = rows_over(study.rules, past)
        self._given = past[None]  # scores (1 or runs, trials, policies) by their numbers
        size = study.rules.list_size
        if size is not None:  # the scenes of a list, and claims about them
            given = np.full((runs, size, policies), np.nan)
            given[..., self.left] = world.draw(size)
            over = np.arange(len(past))[:, None] < self._over
            given[:, : len(past)][:, over] = past[over]
            self._given, self._known = given, np.full(policies, size)
            self.means[:, self.left] = np.nanmean(given, axis=1)[:, self.left]
        self._number = np.zeros((runs, policies), dtype=np.int64)
        self.fresh = self._number[:, 0]

    def begin_row(self, board: Candidates) -> None:
        """Find the numbers of the trials of the next row; count those that are yet to be run."""
        self._number = np.where(self._paired, board.rows, board.asked)
        seen = np.clip(self._over - self._number, 0, board.count)
        self.fresh = (board.count - seen).sum(axis=1)

    def __call__(self) -> Floats:
        """Next trial of each policy in each study."""
        scores = np.full(self.means.shape, np.nan)
        scores[:, self.left] = next(self._fresh)
        run, policy = np.nonzero(self._number < self._known)
        if run.size:
            study = run if len(self._given) > 1 else 0
            scores[run, policy] = self._given[study, self._number[run, policy], policy]
        self._number += 1
        return scores


def _one_by_one(world: World) -> Iterator[Floats]:
    while True:
        yield from np.moveaxis(world.draw(BLOCK), 1, 0)


def rows_over(rules: Rules, past: Floats) -> Ints:
    """Rows that are over for each policy: all blocks, else up to its last trial."""
    if rules.design == "paired":
        return np.full(past.shape[1], len(past))
    numbers = np.arange(1, len(past) + 1)[:, None]
    last: Ints = np.where(np.isnan(past), 0, numbers).max(axis=0, initial=0)
    return last
