"""Forecasts of studies of the best policy: each continuation is what a live question says of it."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.planning import studies
from stopwise.planning.forecast import running_best
from stopwise.planning.studies import BestStudy
from stopwise.questions.best import BestQuestion
from stopwise.rows.table import Table

RATES = {"a": 0.2, "b": 0.5, "c": 0.6, "d": 0.85}
SEEN = {
    name: (np.random.default_rng(place).random(18 - place % 2) < rate) * 1.0
    for place, (name, rate) in enumerate(RATES.items())
}
EVEN = {name: own[:17] for name, own in SEEN.items()}


def ahead(**settings: Any) -> sw.ForecastResult:
    return sw.forecast(EVEN, **{"n_max": 80, "goal": "best", "precision": 0.1, **settings})


class Recorded(studies._Trials):
    """Keeps the scores of each study by the numbers of their trials."""

    scores: Floats

    def __init__(self, study: BestStudy, world: Any, runs: int) -> None:
        super().__init__(study, world, runs)
        Recorded.scores = np.full((runs, 400, 4), np.nan)

    def __call__(self) -> Floats:
        numbers = self._number.copy()
        found = super().__call__()
        runs, policies = np.indices(found.shape)
        self.scores[runs, numbers, policies] = found
        return found


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"design": "paired"},
        {"allocation": "leader"},
        {"design": "paired", "indifference": 0.1, "allocation": "leader"},
    ],
)
def test_a_continuation_is_what_a_question_says_of_its_trials(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Rules(
        policies=tuple(RATES), n_max=60, goal="best", **{"allocation": "even", **settings}
    )
    past = np.full((18, 4), np.nan)
    for column, own in enumerate(SEEN.values()):
        past[: own.size, column] = own
    if rules.design == "paired":
        past = past[:17]
    past[3, 1] = np.nan  # a trial that is void
    table = Table(policies=rules.policies, scores=past, design=rules.design)
    monkeypatch.setattr(studies, "_Trials", Recorded)
    model, _ = running_best(table, rules)
    assert isinstance(model, BestStudy)
    ends = model.simulate(np.random.SeedSequence(7), 20)

    named, rows = Counter[str | None](), []
    for scores in Recorded.scores:
        known = Table(policies=rules.policies, scores=scores, design=rules.design)
        found = BestQuestion(rules).analyze(known)
        named[found.best] += 1
        rows.append(found.rows - model.rows_before)
    counts = dict(zip(rules.policies, ends.claims.tolist(), strict=True))
    assert counts == {name: named[name] for name in rules.policies}
    assert np.flatnonzero(ends.more).tolist() == sorted(set(rows))
    assert ends.more @ np.arange(ends.more.size) == sum(rows)
    assert len(set(rows)) > 5


def test_a_forecast_says_who_may_be_named_and_what_that_takes() -> None:
    found = ahead(minutes_per_trial=2, futility=0.01)
    content = found.to_dict()
    assert 0.3 < found.chance < 1
    assert sum(found.chances.values()) == pytest.approx(found.chance)
    assert max(found.chances, key=found.chances.__getitem__) == "d"
    assert "The chance that one is named by row 80 is 0." in found.sentence
    assert "not below the futility threshold" in found.sentence
    assert found.mean_n <= 63
    assert (content["best"], content["futile"], content["pairs"]) == (None, False, [])
    assert "chance of being named" in found.to_html()
    assert found.chance_by[-1] == found.chance
    again = ahead(n_max=400, indifference=0.3)
    assert again.chance > found.chance


def test_nothing_is_left_once_one_is_named() -> None:
    scores = {"a": [0.0, 0.1] * 20, "b": [0.9, 1.0] * 20}
    found = sw.forecast(scores, n_max=60, goal="best", precision=0.1)
    assert found.sentence.startswith(
        "b has already been named (trials: a 40, b 40); no more trials"
    )
    assert (found.decided, found.mean_trials, found.figures()) == (True, 0.0, {})


def test_a_forecast_needs_all_of_them() -> None:
    with pytest.raises(sw.InvalidInput, match="needs all policies from the start"):
        ahead(later=("d",))
    with pytest.raises(sw.InvalidInput, match="goal must be one of order, best"):
        ahead(goal="worst")
