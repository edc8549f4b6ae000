"""Did it reproduce? Two runs of the same policies on the same scenes: what flips between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence_state import Interval
from stopwise.core.scores import interval_text, score_text
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import counted, few

# The chance with which the smallest difference is shown that a benchmark is said to show.
POWER = 0.8
# Differences of success rates that are tried.
GAPS = np.arange(0.001, 1.0, 0.001)

# With more scenes, exchanges of the runs are drawn: so many.
EXACT_SCENES = 14
EXCHANGES = 5000


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
        differ = self.p_value <= self.alpha
        verdict = (
            "something has changed between the runs"
            if differ
            else "no change between the runs was shown"
        )
        alone = f" ({self.alone} more are in one run only)" if self.alone else ""
        return (
            f"{self.policy}: {self.flips} of {counted(self.scenes, 'scene')}{alone} flip "
            f"({100 * self.flips / self.scenes:.2g} %), and the mean goes from {before} to "
            f"{after}, {100 * (1 - self.alpha):g}% interval of the change "
            f"{interval_text(self.interval)}: {verdict} (p = {self.p_value:.2g}). "
            f"{self._resolution}"
        )

    @property
    def _resolution(self) -> str:
        if not self.smallest_gap:
            return "No score changed, so how small a difference can be shown is not known."
        return (
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
    runs = {own: _by_scene(run) for own, run in (("first", first), ("second", second))}
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
    found: dict[str, dict[Any, float]] = {}
    for policy, task, name, score in run.frame.select("policy", "task", scene, "score").rows():
        own = found.setdefault(policy, {})
        require(
            (task, name) not in own,
            f"{policy!r} has scene {name!r} twice: a run tries each scene once",
        )
        own[task, name] = score
    return found


def _compared(
    policy: str, first: Mapping[Any, float], second: Mapping[Any, float], alpha: float
) -> Rerun:
    common = [scene for scene in first if scene in second]
    require(bool(common), f"{policy!r}: the runs have no scene in common")
    x, y = (np.array([run[scene] for scene in common]) for run in (first, second))
    gaps = y - x
    flips = int((gaps != 0).sum())
    exact = bool(np.isin(x, (0, 1)).all() and np.isin(y, (0, 1)).all())
    test = _of_successes if exact else _of_scores
    interval, p_value, smallest = test(gaps, alpha)
    return Rerun(
        policy=policy,
        scenes=len(common),
        alone=len(set(first) ^ set(second)),
        flips=flips,
        means=(float(x.mean()), float(y.mean())),
        interval=interval,
        p_value=p_value,
        smallest_gap=smallest,
        alpha=alpha,
    )


def _of_successes(gaps: Floats, alpha: float) -> tuple[Interval, float, float]:
    """Interval and p-value of McNemar's exact test, and the gap that it can show."""
    from scipy.stats import binomtest

    n, flips, up = gaps.size, int((gaps != 0).sum()), int((gaps > 0).sum())
    if not flips:
        most = 1 - alpha ** (1 / n)  # a larger share of flips would have shown one
        return Interval(-most, most), 1.0, _smallest_gap(n, 0.0, alpha)
    test = binomtest(up, flips)
    low, high = test.proportion_ci(1 - alpha, method="exact")
    share = flips / n
    interval = Interval((2 * float(low) - 1) * share, (2 * float(high) - 1) * share)
    return interval, float(test.pvalue), _smallest_gap(n, share, alpha)


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

    low, high = 0, GAPS.size - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power(float(GAPS[middle])) >= POWER else (middle + 1, high)
    return float(GAPS[low])


def _of_scores(gaps: Floats, alpha: float) -> tuple[Interval, float, float]:
    """The interval by Student's t, approximately; the p-value by signs that are exchanged."""
    from scipy.stats import norm, t

    n, mean = gaps.size, float(gaps.mean())
    require(n > 1, "scores other than 0 and 1 need two scenes or more to show how runs vary")
    error = float(np.sqrt(np.mean(gaps**2) / (n - 1)))  # that of runs with the same means
    reach = float(t.isf(alpha / 2, n - 1) * gaps.std(ddof=1) / np.sqrt(n))
    needed = float(norm.isf(alpha / 2) + norm.ppf(POWER)) * error
    return Interval(mean - reach, mean + reach), _exchanged(gaps), needed


def _exchanged(gaps: Floats) -> float:
    """p-value of the mean gap among exchanges of both runs, scene by scene; sampled if many."""
    gaps = gaps[gaps != 0]
    n = gaps.size
    if n <= EXACT_SCENES:
        signs = 1.0 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
        means = np.abs(signs @ gaps)
    else:
        rng = np.random.default_rng(0)
        sums = [gaps.sum() - 2 * gaps[rng.random(n) < 0.5].sum() for _ in range(EXCHANGES)]
        means = np.abs([*sums, gaps.sum()])
    return float(np.mean(means >= abs(gaps.sum()) * (1 - 1e-9)))
