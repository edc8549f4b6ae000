"""Midway: how much longer a running study will take, and whether it is worth going on."""

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stopwise.core.scores import is_number, require_whole
from stopwise.errors import require
from stopwise.planning.continuation import Continuation, Ends, study_rules
from stopwise.planning.executors import Executor
from stopwise.planning.gathering import Progress, gather
from stopwise.planning.population import Resampled
from stopwise.ranking.pairs import replay
from stopwise.ranking.rules import Rules
from stopwise.ranking.table import Table, tables, unit_scores

__all__ = ["Forecast", "PairForecast", "forecast"]

SCHEMA = 1
MOST_RUNS = 20_000
VALIDITY = (
    "This is a forecast: it does not affect validity, and you may act on it as you like, for the "
    "chance of a false claim stays at most {alpha:g}, for whatever reason you stop."
)
FUTILITY = (
    "Stopping for futility never raises the chance of a false claim, for it can only leave out "
    "claims that would have come later."
)


@dataclass(frozen=True, kw_only=True)
class PairForecast:
    """One pair of policies, at the end of the study.

    Attributes
    ----------
    decided
        The policy that is declared better already, or None.
    chance, chance_error
        Chance that the pair is decided by n_max, and its standard error.
    chance0, chance1
        Chances that policy 0, and that policy 1, is declared better.
    """

    policy0: str
    policy1: str
    decided: str | None
    chance: float
    chance_error: float
    chance0: float
    chance1: float


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What to expect of a running study; it never affects validity.

    Attributes
    ----------
    seen
        Trials so far, by policy.
    chance, chance_error
        Chance that every pair is decided by n_max, and its standard error.
    chance_further
        Chance that at least one more pair is decided by n_max.
    pairs
        One forecast per pair.
    mean_n, n_quantiles
        Further trials of the policy that needs most until the study ends: expected, and within
        which 10, 50 and 90 % of studies end.
    mean_trials
        Expected further trials of all policies together.
    futility
        The threshold of ``chance_further`` that was set in advance, or None.
    """

    seen: dict[str, int]
    n_max: int
    chance: float
    chance_error: float
    chance_further: float
    pairs: tuple[PairForecast, ...]
    mean_n: float
    n_quantiles: tuple[int, int, int]
    mean_trials: float
    futility: float | None
    minutes_per_trial: float | None
    method: str
    alpha: float
    adjust: str
    design: str
    runs: int
    notes: tuple[str, ...]

    @property
    def decided(self) -> bool:
        """Whether every pair is decided already."""
        return all(pair.decided is not None for pair in self.pairs)

    @property
    def futile(self) -> bool | None:
        """Whether the chance fell under the threshold set in advance; None without one."""
        if self.futility is None:
            return None
        return not self.decided and self.chance_further < self.futility

    @property
    def hours(self) -> float | None:
        """Expected further time, if the minutes per trial are known."""
        known = self.minutes_per_trial
        return None if known is None else self.mean_trials * known / 60

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        seen = ", ".join(f"{name} {count}" for name, count in self.seen.items())
        if self.decided:
            return f"Every pair is decided already ({seen} trials): no further trial is needed."
        many = len(self.pairs) > 1
        what = "every pair is decided" if many else "the verdict falls"
        more = f" (and that at least one more is: {self.chance_further:.2f})" if many else ""
        hours = "" if self.hours is None else f", {self.hours:.1f} hours"
        return (
            f"Forecast after {seen} of at most {self.n_max} trials each: the chance that {what} by "
            f"then is {self.chance:.2f}, standard error {self.chance_error:.2g}{more}. Going on "
            f"takes {self.mean_n:.0f} more trials per policy on average, half of the time at most "
            f"{self.n_quantiles[1]} ({self.mean_trials:.0f} trials in all{hours}). "
            f"{self._advice()}{VALIDITY.format(alpha=self.alpha)}"
        )

    def _advice(self) -> str:
        if self.futility is None:
            return ""
        if not self.futile:
            return f"That is not below the threshold {self.futility:g} set in advance: go on. "
        return (
            f"That is below the threshold {self.futility:g} set in advance: stop for futility, "
            f"undecided, which does not show that the policies are equal. {FUTILITY} "
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per pair."""
        return [vars(pair) for pair in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            **vars(self),
            "pairs": self.table(),
            "n_quantiles": list(self.n_quantiles),
            "notes": list(self.notes),
            "decided": self.decided,
            "futile": self.futile,
            "hours": self.hours,
        }

    def to_json(self) -> str:
        """Return the forecast as JSON; the schema is in docs/design/planning.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def __str__(self) -> str:
        return self.sentence


def forecast(
    trials: Any,
    *,
    n_max: int,
    futility: float | None = None,
    minutes_per_trial: float | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    precision: float = 0.01,
    seed: int = 0,
    executor: Executor | str | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Forecast:
    """Forecast, midway, the chance of a verdict by n_max and the trials still needed.

    Further trials are drawn from what was seen, with its uncertainty (Bayesian bootstrap, with a
    prior worth three trials that the policies are alike), and the study is continued from its
    actual state.

    Parameters
    ----------
    trials, bounds, design, **settings
        The trials so far and the settings of the study, as for ``analyze``.
    n_max
        The greatest number of trials per policy that was declared.
    futility
        A threshold in (0, 1), set before the study: advise to stop when the chance of any
        further verdict is below it.
    minutes_per_trial
        For the time in hours.
    precision
        Standard error of the chances.
    seed, executor, progress
        As for ``plan``.

    Examples
    --------
    >>> import stopwise as sw
    >>> trials = {"base": [0, 1, 0, 0, 1, 0, 0, 1], "new": [1, 1, 0, 1, 0, 1, 1, 1]}
    >>> ahead = sw.forecast(trials, n_max=60, futility=0.1)
    >>> ahead.seen, ahead.futile, 0.4 < ahead.chance < 0.9
    ({'base': 8, 'new': 8}, False, True)
    """
    require(
        futility is None or (is_number(futility) and 0 < futility < 1),
        f"futility must lie strictly between 0 and 1, but got {futility!r}",
    )
    require(
        minutes_per_trial is None or (is_number(minutes_per_trial) and minutes_per_trial > 0),
        f"minutes_per_trial must be above 0, but got {minutes_per_trial!r}",
    )
    require(
        is_number(precision) and 0.001 <= precision <= 0.2,
        f"precision must lie between 0.001 and 0.2, but got {precision!r}",
    )
    found = tables(trials, design=design)
    require(len(found) == 1, f"a forecast takes one task, but got {len(found)}")
    table = found[0] if bounds is None else replace(found[0], bounds=bounds)
    rules = _rules(table, n_max, settings)
    past = unit_scores(table, rules.comparison)
    population = Resampled(past, rules.design == "paired")
    question = Continuation(rules, past, population)
    (ends,) = gather(
        [question],
        precision=precision,
        seed=require_whole(seed, "seed", 0),
        most=MOST_RUNS,
        executor=executor,
        progress=progress,
    )
    return Forecast(
        seen={
            name: int(count)
            for name, count in zip(table.policies, (~np.isnan(past)).sum(axis=0), strict=True)
        },
        n_max=n_max,
        chance=ends.share(ends.every),
        chance_error=0.0 if ends.trials == 0 else ends.error(ends.every),
        chance_further=ends.share(ends.further),
        pairs=_pairs(question, ends),
        mean_n=float(ends.rows @ np.arange(ends.rows.size)) / ends.runs,
        n_quantiles=(ends.quantile(0.1), ends.quantile(0.5), ends.quantile(0.9)),
        mean_trials=ends.trials / ends.runs,
        futility=futility,
        minutes_per_trial=minutes_per_trial,
        method=rules.method,
        alpha=rules.alpha,
        adjust=rules.adjust,
        design=rules.design,
        runs=ends.runs,
        notes=table.warnings,
    )


def _rules(table: Table, n_max: int, settings: dict[str, Any]) -> Rules:
    require_whole(n_max, "n_max", 2)
    require(
        len(table.scores) < n_max,
        f"n_max = {n_max} must exceed the {len(table.scores)} trials per policy seen: nothing is "
        "left to forecast",
    )
    return study_rules(table, n_max, settings)


def _pairs(question: Continuation, ends: Ends) -> tuple[PairForecast, ...]:
    rules = question.rules
    now = replay(rules.comparison, rules.budget, question.past[None], with_p_values=False)
    found = []
    for pair, (first, second) in enumerate(rules.family.pairs.tolist()):
        names = rules.policies[first], rules.policies[second]
        claims = now.claims[0, pair]
        count1, count0 = ends.claims[pair]
        found.append(
            PairForecast(
                policy0=names[0],
                policy1=names[1],
                decided=names[1] if claims[0] else names[0] if claims[1] else None,
                chance=ends.share(count0 + count1),
                chance_error=0.0 if claims.any() else ends.error(count0 + count1),
                chance0=ends.share(count0),
                chance1=ends.share(count1),
            )
        )
    return tuple(found)
