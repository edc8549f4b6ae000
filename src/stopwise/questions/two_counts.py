"""Two policies by their counts of successes, or one and a number: exact tests for a single look."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stopwise.core.barnard import barnard_p_value
from stopwise.core.rate_difference import difference_interval
from stopwise.core.rules import Rules
from stopwise.core.scores import interval_text
from stopwise.errors import require
from stopwise.questions.counts import MOST_FOR_BARNARD, directions

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
