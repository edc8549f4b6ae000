"""Many policies by their counts of successes: exact tests for numbers fixed before the trials."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.barnard import barnard_p_value
from stopwise.data.reading import ColumnChoice, Reading
from stopwise.data.sources import tables
from stopwise.data.units import Counts, counts_of
from stopwise.errors import require
from stopwise.questions.budget import Holm
from stopwise.questions.family import Family
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
