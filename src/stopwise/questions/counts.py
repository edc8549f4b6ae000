"""Policies by their counts of successes: exact tests for numbers fixed before the trials."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.barnard import barnard_p_value, difference_interval
from stopwise.core.confidence import Interval
from stopwise.core.rules import Rules
from stopwise.core.scores import interval_text
from stopwise.data.reading import ColumnChoice, Reading
from stopwise.data.sources import load
from stopwise.data.summaries import Counts, counts_of
from stopwise.errors import require
from stopwise.questions.family import Family, Holm
from stopwise.questions.letters import letters, order_text, ranked

# Barnard's test takes a second for so many trials of two policies; with more, Fisher's is taken.
MOST_FOR_BARNARD = 4000
COUNT = re.compile(r"(\d+)/(\d+)")
MOST_TRIALS = 10**12
TESTS = {
    "barnard": "Barnard's exact test",
    "fisher": "Fisher's exact test (valid and a little conservative; Barnard's takes too long with "
    f"more than {MOST_FOR_BARNARD} trials)",
    "binomial": "exact binomial test",
}
Count = tuple[int, int]  # successes and trials of one policy


@dataclass(frozen=True)
class CountedPair:
    policy0: str
    policy1: str
    better: str | None
    p_value: float


@dataclass(frozen=True)
class CountedPolicy:
    name: str
    successes: int
    n: int
    interval: tuple[float, float]  # of the success rate by itself, at 1 - alpha (Clopper-Pearson)
    letters: str = ""

    @property
    def mean(self) -> float:
        return self.successes / self.n

    def __str__(self) -> str:
        return f"{self.successes}/{self.n}"


@dataclass(frozen=True, kw_only=True, repr=False)
class CountsResult:
    """What counts alone show about two or more policies, or about one and a number.

    Attributes
    ----------
    task
        The task, "task" where the table names none.
    alpha
        Probability, at most, of any false claim, if the numbers of trials were fixed before.
    method
        "barnard", "fisher" (with many trials) or "binomial" (beside a number).
    policies
        From best to worst, as shown.
    pairs
        All pairs; p-values of several are adjusted, by Holm's procedure for directions.
    order_text
        What is shown: "A > B; B undecided against C".
    difference
        Of two policies, the interval of the second rate minus the first; None for many trials.
    """

    task: str = "task"
    alpha: float
    method: str
    policies: tuple[CountedPolicy, ...]
    pairs: tuple[CountedPair, ...]
    order_text: str
    difference: Interval | None = None

    @property
    def better(self) -> str | None:
        """Of a single pair, the one that was shown to be better, or None."""
        return self.pairs[0].better if len(self.pairs) == 1 else None

    @property
    def sentence(self) -> str:
        """The answer in words, and what it rests on."""
        answer = (
            self._of_one_pair
            if len(self.pairs) == 1
            else f"{self.order_text} ({TESTS[self.method]} for all pairs, adjusted by Holm's "
            f"procedure, alpha = {self.alpha:g})"
        )
        return (
            f"{answer}. This holds only if the numbers of trials were fixed in advance and the "
            "results looked at only once; to look after every trial and stop early, give the "
            "single trials in order."
        )

    @property
    def _of_one_pair(self) -> str:
        [pair], alpha = self.pairs, self.alpha
        counts = {policy.name: policy for policy in self.policies}
        number = "" if len(counts) == 1 else "s"
        verdict = "Undecided; this does not show that they are equal"
        if self.method == "binomial" and pair.better is not None:
            verb = "better" if pair.better == pair.policy1 else "worse"
            verdict = f"The {pair.policy1} is {verb} than {pair.policy0}"
        elif pair.better is not None:
            verdict = f"The {pair.better} policy is better"
        p_value = f"p = {pair.p_value:.2g}" if pair.p_value > 0 else "p < 1e-300"
        known = [counts[name] for name in (pair.policy0, pair.policy1) if name in counts]
        rates = " and ".join(
            "{:.3f} [{:.3f}, {:.3f}]".format(policy.mean, *policy.interval) for policy in known
        )
        against = " against ".join(map(str, known))
        if self.method == "binomial":
            against += f" against {pair.policy0}"
        between = ""
        if self.difference is not None:
            gap = f"{pair.policy1} - {pair.policy0}"
            between = f", of {gap} {interval_text(self.difference)} (unconditional)"
            if pair.better is not None and self.difference.low <= 0 <= self.difference.high:
                between += ", within which 0 is refuted: what is left is no single interval"
        return (
            f"{verdict}: {against}, {TESTS[self.method]}, two-sided {p_value}, alpha = {alpha:g}; "
            f"exact {100 * (1 - alpha):g}% interval{number} of the success rate{number} "
            f"{rates}{between}"
        )

    def __repr__(self) -> str:
        return f"<CountsResult: {self.sentence}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        single = {"better": self.better, "p_value": self.pairs[0].p_value}
        return {
            "schema": 1,
            "task": self.task,
            "method": self.method,
            "alpha": self.alpha,
            "policies": [{**vars(policy), "mean": policy.mean} for policy in self.policies],
            "pairs": [vars(pair) for pair in self.pairs],
            **(single if len(self.pairs) == 1 else {}),
            "difference": None if self.difference is None else list(self.difference),
            "sentence": self.sentence,
        }


def is_count(value: object) -> bool:
    if isinstance(value, tuple):
        return len(value) == 2 and all(isinstance(part, int) for part in value)
    return isinstance(value, str) and COUNT.fullmatch(value) is not None


def as_count(value: Any) -> Count:
    parts = COUNT.fullmatch(value) if isinstance(value, str) else None
    successes, trials = value if parts is None else map(int, parts.groups())
    require(
        0 <= successes <= trials and 0 < trials <= MOST_TRIALS,
        f"{successes}/{trials} must be successes/trials, with 1 to {MOST_TRIALS:.0e} trials and no "
        "more successes than trials",
    )
    return successes, trials


def counted_tasks(
    source: Any, *, alpha: float = 0.05, columns: Mapping[str, ColumnChoice] | None = None
) -> dict[str, CountsResult]:
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, but got {alpha!r}")
    if isinstance(source, Mapping) and all(map(is_count, source.values())):
        counts = {str(name): as_count(value) for name, value in source.items()}
        by_task: dict[str, Counts] = {"task": counts}
    else:
        by_task = {}
        for table in load(source, Reading()):
            counts_of(table.raw, columns or {}, by_task)
    return {task: _compared(task, counts, alpha) for task, counts in by_task.items()}


def _compared(task: str, counts: Counts, alpha: float) -> CountsResult:
    names, trials = list(counts), sorted(n for _, n in counts.values())
    require(len(names) >= 2, f"task {task!r}: a comparison needs two policies, but got {names}")
    family, given = Family(k=len(names)), [*counts.values()]
    exact, alone = sum(trials[-2:]) <= MOST_FOR_BARNARD, len(names) == 2
    directions = [
        _directions(given[i], given[j], exact=exact, alone=alone) for i, j in family.pairs.tolist()
    ]
    p_value = np.array([directions])
    holm = Holm(family=family, alpha=alpha)
    factor, claims = holm.step(holm.start(1), np.zeros(p_value.shape, dtype=bool), p_value)
    adjusted = holm.p_values(factor, p_value)[0].min(axis=-1)
    better = family.better(claims)[0]
    ranking = ranked(better, np.array([won / n for won, n in counts.values()]))
    marks = letters(better | better.T, ranking)
    pairs = tuple(
        CountedPair(
            names[i],
            names[j],
            names[j] if better[j, i] else names[i] if better[i, j] else None,
            float(p),
        )
        for (i, j), p in zip(family.pairs, adjusted, strict=True)
    )
    return CountsResult(
        task=task,
        alpha=alpha,
        method="barnard" if exact else "fisher",
        policies=tuple(
            CountedPolicy(names[i], *given[i], _interval(given[i], alpha), marks[i])
            for i in ranking
        ),
        pairs=pairs,
        order_text=order_text(names, better, ~np.eye(len(names), dtype=bool), ranking),
        difference=difference_interval(*given[0], *given[1], 1 - alpha) if alone else None,
    )


def count_beside(counts: Count, number: float, alpha: float) -> CountsResult:
    from scipy.stats import binom

    rules = Rules(policies=("policy",), alpha=alpha, reference=number)  # which checks both
    (successes, trials), called = counts, rules.reading.pair_names[0]
    tails = (
        binom.cdf(successes, trials, number),
        binom.sf(successes - 1, trials, number),
    )
    p_value = min(2 * float(min(tails)), 1.0)
    ends = ("policy", called) if successes > number * trials else (called, "policy")
    shown = p_value <= alpha
    return CountsResult(
        alpha=alpha,
        method="binomial",
        policies=(CountedPolicy("policy", *counts, _interval(counts, alpha)),),
        pairs=(CountedPair(called, "policy", ends[0] if shown else None, p_value),),
        order_text=(" > " if shown else " undecided against ").join(ends),
    )


def _directions(first: Count, second: Count, *, exact: bool, alone: bool) -> tuple[float, float]:
    """Return the one-sided p-values of "the second is better" and of "the first is"."""
    from scipy.stats import hypergeom

    (x0, n0), (x1, n1) = first, second
    if not exact:
        both = n0 + n1, x0 + x1, n1
        return float(hypergeom.sf(x1 - 1, *both)), float(hypergeom.cdf(x1, *both))
    if not alone:
        return barnard_p_value(x0, n0, x1, n1), barnard_p_value(x1, n1, x0, n0)
    # That of both directions is less than both together.
    half = barnard_p_value(x0, n0, x1, n1, two_sided=True) / 2
    return (half, 1.0) if x1 * n0 > x0 * n1 else (1.0, half)


def _interval(counts: Count, alpha: float) -> tuple[float, float]:
    from scipy.stats import binomtest

    low, high = binomtest(*counts).proportion_ci(1 - alpha, method="exact")
    return float(low), float(high)
