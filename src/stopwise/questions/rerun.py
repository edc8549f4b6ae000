"""Did it reproduce? Two runs of the same policies on the same scenes: what flips between them."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence import Interval
from stopwise.core.scores import interval_text, score_text
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import counted, few

# The chance with which the smallest difference is shown that a benchmark is said to show.
POWER = 0.8
# Differences of success rates that are tried.
GAPS = np.arange(0.001, 1.0, 0.001)


@dataclass(frozen=True, kw_only=True)
class Rerun:
    policy: str
    scenes: int
    alone: int
    flips: int
    means: tuple[float, float]
    interval: Interval
    p_value: float
    smallest_gap: float
    alpha: float

    @property
    def change(self) -> float:
        return self.means[1] - self.means[0]

    @property
    def sentence(self) -> str:
        before, after = map(score_text, self.means)
        verdict = "no change between the runs was shown"
        if self.p_value <= self.alpha:
            verdict = "something has changed between the runs"
        alone = f" ({self.alone} more are in one run only)" if self.alone else ""
        return (
            f"{self.policy}: {self.flips} of {counted(self.scenes, 'scene')}{alone} flip "
            f"({score_text(100 * self.flips / self.scenes)} %), and the mean goes from {before} to "
            f"{after}, {100 * (1 - self.alpha):g}% interval of the change "
            f"{interval_text(self.interval)}: {verdict} (p = {self.p_value:.2g}). "
            "One run of each of two policies on these scenes shows a difference of "
            f"{score_text(self.smallest_gap)} with chance {POWER:g}, and seldom a smaller one."
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": 1,
            **vars(self),
            "means": list(self.means),
            "interval": list(self.interval),
            "change": self.change,
            "sentence": self.sentence,
        }


def reruns(first: Trials, second: Trials, alpha: float = 0.05) -> dict[str, Rerun]:
    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, but got {alpha!r}")
    runs = {run_name: _by_scene(run) for run_name, run in (("first", first), ("second", second))}
    names = list(first.policies)
    if len(names) == len(second.policies) == 1:  # files are named after the run
        runs["second"] = dict(zip(names, runs["second"].values(), strict=True))
    both = [name for name in names if name in runs["second"]]
    require(
        bool(both),
        f"the runs have no policy in common: {few(names)} and {few(list(second.policies))}",
    )
    return {
        name: _compared(name, runs["first"][name], runs["second"][name], alpha) for name in both
    }


def _by_scene(run: Trials) -> dict[str, dict[Any, float]]:
    """Scores by policy and scene; without a column of scenes their numbers stand for them."""
    scene = "block" if "block" in run.frame.columns else "trial"
    scores_of: dict[str, dict[Any, float]] = {}
    for policy, task, name, score in run.frame.select("policy", "task", scene, "score").rows():
        of_policy = scores_of.setdefault(policy, {})
        require(
            (task, name) not in of_policy,
            f"{policy!r} has scene {name!r} twice: a run tries each scene once",
        )
        of_policy[task, name] = score
    return scores_of


def _compared(
    policy: str, first: Mapping[Any, float], second: Mapping[Any, float], alpha: float
) -> Rerun:
    common = [scene for scene in first if scene in second]
    require(bool(common), f"{policy!r}: the runs have no scene in common")
    x, y = (np.array([run[scene] for scene in common]) for run in (first, second))
    require(
        bool(np.isin([x, y], (0, 1)).all()),
        f"{policy!r}: a rerun compares successes and failures, scores of 1 and 0",
    )
    gaps = y - x
    interval, p_value = _mcnemar(gaps, alpha)
    flips = int((gaps != 0).sum())
    return Rerun(
        policy=policy,
        scenes=len(common),
        alone=len(set(first) ^ set(second)),
        flips=flips,
        means=(float(x.mean()), float(y.mean())),
        interval=interval,
        p_value=p_value,
        smallest_gap=_smallest_gap(len(common), flips / len(common), alpha),
        alpha=alpha,
    )


def _mcnemar(gaps: Floats, alpha: float) -> tuple[Interval, float]:
    """Interval and p-value of McNemar's exact test."""
    from scipy.stats import binomtest

    n, flips, up = gaps.size, int((gaps != 0).sum()), int((gaps > 0).sum())
    if not flips:
        most = 1 - alpha ** (1 / n)  # a larger share of flips would have shown one
        return Interval(-most, most), 1.0
    test = binomtest(up, flips)
    low, high = test.proportion_ci(1 - alpha, method="exact")
    share = flips / n
    return Interval((2 * low - 1) * share, (2 * high - 1) * share), float(test.pvalue)


def _smallest_gap(n: int, flips: float, alpha: float) -> float:
    """Least gap that McNemar's test shows with chance ``POWER``, if policies flip as runs do."""
    from scipy.stats import binom

    differ = np.arange(n + 1)
    # The fewest wins of so many that are shown, at alpha / 2 per direction.
    least = binom.isf(alpha / 2, differ, 0.5) + 1

    def power(gap: float) -> float:
        share = flips + gap
        if share > 1:
            return 1.0
        shown = binom.sf(least - 1, differ, (0.5 * flips + gap) / share)
        return float(binom.pmf(differ, n, share) @ shown)

    gaps = GAPS.tolist()
    return float(gaps[min(bisect_left(gaps, POWER, key=power), len(gaps) - 1)])
