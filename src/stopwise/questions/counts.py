"""Many policies by their counts of successes: exact tests for numbers fixed before the trials."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.barnard import barnard_p_value
from stopwise.core.rate_difference import difference_interval
from stopwise.core.rules import Rules
from stopwise.core.scores import interval_text
from stopwise.data.reading import ColumnChoice, Reading
from stopwise.data.sources import tables
from stopwise.data.units import Counts, counts_of
from stopwise.errors import require
from stopwise.questions.family import Family, Holm
from stopwise.questions.letters import letters, order_text, ranked

# Barnard's test takes a second for so many trials in all; beyond, Fisher's is nearly the same.
MOST_FOR_BARNARD = 4000
COUNT = re.compile(r"(\d+)/(\d+)")
MOST_TRIALS = 10**12


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
    letters: str

    @property
    def mean(self) -> float:
        return self.successes / self.n


@dataclass(frozen=True, repr=False)
class CountsResult:
    """What counts alone show about several policies on one task.

    Attributes
    ----------
    task
        The task, "task" where the table names none.
    alpha
        Probability, at most, of any false claim, if the numbers of trials were fixed before.
    policies
        From best to worst, as shown.
    pairs
        All pairs; p-values are adjusted, by Holm's procedure for directions.
    order_text
        What is shown: "A > B, C; B ? C".
    """

    task: str
    alpha: float
    policies: tuple[CountedPolicy, ...]
    pairs: tuple[CountedPair, ...]
    order_text: str

    @property
    def sentence(self) -> str:
        """The answer in words, and what it rests on."""
        tests = "Barnard's exact tests"
        if any(a.n + b.n > MOST_FOR_BARNARD for a in self.policies for b in self.policies):
            tests = "Barnard's and, for many trials, Fisher's exact tests"
        return (
            f"{self.order_text} ({tests} of all pairs, adjusted by Holm's procedure, alpha = "
            f"{self.alpha:g}). This holds only if the numbers of trials were fixed in advance and "
            "the results looked at only once; to look after every trial and stop early, give the "
            "single trials in order."
        )

    def __repr__(self) -> str:
        return f"<CountsResult: {self.sentence}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return {
            "schema": 1,
            "task": self.task,
            "alpha": self.alpha,
            "policies": [{**vars(policy), "mean": policy.mean} for policy in self.policies],
            "pairs": [vars(pair) for pair in self.pairs],
            "sentence": self.sentence,
        }


def is_count(value: object) -> bool:
    if isinstance(value, tuple):
        return len(value) == 2 and all(isinstance(part, int) for part in value)
    return isinstance(value, str) and COUNT.fullmatch(value) is not None


def as_count(value: Any) -> tuple[int, int]:
    parts = COUNT.fullmatch(value) if isinstance(value, str) else None
    successes, trials = value if parts is None else map(int, parts.groups())
    require(
        0 <= successes <= trials and trials > 0,
        f"{successes}/{trials} must be successes/trials, with at least one trial and no more "
        "successes than trials",
    )
    require(trials <= MOST_TRIALS, f"at most {MOST_TRIALS} trials can be compared, not {trials}")
    return successes, trials


def counted_tasks(
    source: Any, *, alpha: float = 0.05, columns: Mapping[str, ColumnChoice] | None = None
) -> dict[str, CountsResult]:
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, but got {alpha!r}")
    if isinstance(source, Mapping) and all(map(is_count, source.values())):
        counts = {str(name): as_count(value) for name, value in source.items()}
        found: dict[str, Counts] = {"task": counts}
    else:
        found = {}
        for table in tables(source, Reading()):
            counts_of(table.raw, columns or {}, found)
    return {task: _compared(task, counts, alpha) for task, counts in found.items()}


def _compared(task: str, counts: Counts, alpha: float) -> CountsResult:
    names = list(counts)
    require(len(names) >= 2, f"task {task!r}: a comparison needs two policies, but got {names}")
    family = Family(k=len(names))
    p_value = np.array([[directions(counts[names[i]], counts[names[j]]) for i, j in family.pairs]])
    holm = Holm(family=family, alpha=alpha)
    factor, claims = holm.step(holm.start(1), np.zeros(p_value.shape, dtype=bool), p_value)
    adjusted = holm.p_values(factor, p_value)[0].min(axis=-1)
    better = family.better(claims)[0]
    means: Floats = np.array([won / n for won, n in counts.values()])
    ranking = ranked(better, means)
    marks = letters(better | better.T, ranking)
    order = order_text(names, better, ~np.eye(len(names), dtype=bool), ranking)
    pairs = tuple(
        CountedPair(
            names[i],
            names[j],
            names[j] if better[j, i] else names[i] if better[i, j] else None,
            float(p),
        )
        for (i, j), p in zip(family.pairs, adjusted, strict=True)
    )
    policies = tuple(CountedPolicy(names[i], *counts[names[i]], marks[i]) for i in ranking)
    return CountsResult(task, alpha, policies, pairs, order)


def directions(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float]:
    """Return the one-sided p-values of "the second is better" and of "the first is"."""
    (x0, n0), (x1, n1) = first, second
    if n0 + n1 <= MOST_FOR_BARNARD:
        return barnard_p_value(x0, n0, x1, n1), barnard_p_value(x1, n1, x0, n0)
    from scipy.stats import hypergeom

    greater = hypergeom.sf(x1 - 1, n0 + n1, x0 + x1, n1)
    return float(greater), float(hypergeom.cdf(x1, n0 + n1, x0 + x1, n1))


SCHEMA = 1
BATCH = (
    "This batch answer holds only if the numbers of trials were fixed in advance and the results "
    "looked at only once; to look after every trial and stop early, give scores in order"
)
# Successes and trials of one policy.
Count = tuple[int, int]


@dataclass(frozen=True, kw_only=True, repr=False)
class TwoCountsResult:
    """What counts show, valid if the numbers of trials were fixed before."""

    better: str | None  # "first" or "second"; beside a number "policy" or the number
    sentence: str
    facts: Mapping[str, Any]  # all that JSON has besides

    def __repr__(self) -> str:
        return f"<TwoCountsResult: {self.sentence}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return {
            "schema": SCHEMA,
            "better": self.better,
            **self.facts,
            "sentence": self.sentence,
            "warnings": [],
        }


def counts_of_two(first: Count, second: Count, alpha: float) -> TwoCountsResult:
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, but got {alpha!r}")
    (x0, n0), (x1, n1) = first, second
    method, test = "barnard", "Barnard's exact test"
    if n0 + n1 <= MOST_FOR_BARNARD:
        p_value = barnard_p_value(x0, n0, x1, n1, two_sided=True)
    else:
        method, p_value = "fisher", _doubled(*directions(first, second))
        test = (
            "Fisher's exact test (valid and a little conservative; Barnard's takes too long with "
            f"more than {MOST_FOR_BARNARD} trials)"
        )
    better, verdict = None, "Undecided; this does not show that they are equal"
    if p_value <= alpha:
        better = "second" if x1 * n0 > x0 * n1 else "first"
        verdict = f"The {better} policy is better"
    ends = [_interval(own, alpha, "exact") for own in (first, second)]
    rates = [
        f"{successes / trials:.3f} [{low:.3f}, {high:.3f}]"
        for (successes, trials), (low, high) in zip((first, second), ends, strict=True)
    ]
    difference = difference_interval(x0, n0, x1, n1, 1 - alpha)
    between = ""
    if difference is not None:
        between = f", of second - first {interval_text(difference)} (unconditional)"
        if better is not None and difference.low <= 0 <= difference.high:
            between += ", within which 0 is refuted: the differences left are no single interval"
    return TwoCountsResult(
        better=better,
        sentence=(
            f"{verdict}: {x0}/{n0} against {x1}/{n1}, {test}, {_p_text(p_value, alpha)}; exact "
            f"{100 * (1 - alpha):g}% intervals of the success rates {rates[0]} and {rates[1]}"
            f"{between}. {BATCH} (stopwise compare a.csv b.csv)."
        ),
        facts={
            "policies": [
                {**_policy(name, own), "interval": interval}
                for name, own, interval in zip(
                    ("first", "second"), (first, second), ends, strict=True
                )
            ],
            "difference": None if difference is None else list(difference),
            **_test(method, p_value, alpha),
        },
    )


def count_beside(counts: Count, number: float, alpha: float) -> TwoCountsResult:
    from scipy.stats import binom

    rules = Rules(policies=("policy",), alpha=alpha, reference=number)  # which checks both
    successes, trials = counts
    p_value = _doubled(
        binom.cdf(successes, trials, number), binom.sf(successes - 1, trials, number)
    )
    exact, wilson = (_interval(counts, alpha, name) for name in ("exact", "wilson"))
    called, better = rules.reading.pair_names[0], None
    verdict = "Undecided; this does not show that it is equal to that"
    if p_value <= alpha:
        above = successes > number * trials
        better = "policy" if above else called
        verdict = f"The policy is {'better' if above else 'worse'} than {called}"
    return TwoCountsResult(
        better=better,
        sentence=(
            f"{verdict}: {successes}/{trials} against {called}, exact binomial test, "
            f"{_p_text(p_value, alpha)}; {100 * (1 - alpha):g}% interval of the success rate "
            f"[{exact[0]:.3f}, {exact[1]:.3f}] (Clopper-Pearson, exact) or [{wilson[0]:.3f}, "
            f"{wilson[1]:.3f}] (Wilson, approximate). {BATCH} "
            "(stopwise compare new.csv --reference NUMBER)."
        ),
        facts={
            "policies": [_policy("policy", counts)],
            "reference": number,
            **_test("binomial", p_value, alpha),
            "intervals": {"clopper-pearson": exact, "wilson": wilson},
        },
    )


def _doubled(less: float, greater: float) -> float:
    """Return the p-value of both directions at half the level each, as the interval has them."""
    return float(min(2 * min(less, greater), 1.0))


def _interval(counts: Count, alpha: float, method: str) -> list[float]:
    from scipy.stats import binomtest

    return [*map(float, binomtest(*counts).proportion_ci(1 - alpha, method=method))]


def _p_text(p_value: float, alpha: float) -> str:
    shown = f"p = {p_value:.2g}" if p_value > 0 else "p < 1e-300"
    return f"two-sided {shown}, alpha = {alpha:g}"


def _policy(name: str, counts: Count) -> dict[str, Any]:
    successes, trials = counts
    return {"name": name, "successes": successes, "n": trials, "mean": successes / trials}


def _test(method: str, p_value: float, alpha: float) -> dict[str, Any]:
    return {"method": method, "alternative": "two-sided", "p_value": p_value, "alpha": alpha}
