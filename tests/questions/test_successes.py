"""Scores with partial credit, compared by how often they are the best there is."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.core.simulate import run_studies
from tests.guarantees.pinned import assert_at_most

RNG = np.random.default_rng(5)
LEVELS = [0.0, 2.5, 5.0, 7.5, 10.0]
SCORES = {
    "careful": RNG.choice(LEVELS, 60, p=[0.0, 0.1, 0.4, 0.45, 0.05]),
    "bold": RNG.choice(LEVELS, 60, p=[0.5, 0.0, 0.0, 0.0, 0.5]),
}
ASKED: dict[str, Any] = {"bounds": (0, 10), "by": "successes"}


@pytest.mark.parametrize(
    "settings", [{}, {"method": "step", "n_max": 60}, {"margin": 0.1}, {"goal": "best"}]
)
def test_partial_credit_counts_as_none(settings: dict[str, Any]) -> None:
    found = sw.analyze(SCORES, **ASKED, **settings)
    rates = {name: float((own == 10).mean()) for name, own in SCORES.items()}

    assert found.best == "bold"
    assert {own.name: own.mean for own in found.policies} == pytest.approx(rates)
    assert sw.analyze(SCORES, bounds=(0, 10), n_max=60).best is None


def test_it_says_the_same_as_scores_of_success() -> None:
    recoded = {name: (own == 10) * 1.0 for name, own in SCORES.items()}
    (found,), (plain,) = sw.analyze(SCORES, **ASKED).pairs, sw.analyze(recoded).pairs
    live = sw.SequentialTest(**ASKED).run(SCORES["careful"], SCORES["bold"], beyond=True)

    assert (found.p_value, found.interval, found.n) == (plain.p_value, plain.interval, plain.n)
    assert (live.mean1, live.interval) == (recoded["bold"].mean(), plain.interval)
    assert str(live).startswith("Policy 1 succeeds more often than policy 0")


def test_the_worst_end_is_the_best_where_lower_is_better() -> None:
    swapped = {name: 10 - own for name, own in SCORES.items()}
    found = sw.analyze(swapped, **ASKED, lower_is_better=True)
    assert found.pairs[0].interval == sw.analyze(SCORES, **ASKED).pairs[0].interval


def test_averages_are_of_successes() -> None:
    """Stored trials, and rounds of tasks, are read before they are averaged."""
    stored = {**SCORES, "careful": np.tile(SCORES["careful"], 3)}
    found = sw.analyze(stored, **ASKED, stored="careful", n_max=60)
    rows = [(task, name, row) for row in range(60) for task in "xy" for name in SCORES]
    columns = {
        "task": [task for task, _, _ in rows],
        "policy": [name for _, name, _ in rows],
        "score": [float(SCORES[name][row]) for _, name, row in rows],
    }
    both = sw.analyze(sw.Trials.from_columns(columns), **ASKED, tasks="mean")

    assert found.best == both.best == "bold"
    assert {own.name: own.mean for own in both.policies} == pytest.approx(
        {name: float((own == 10).mean()) for name, own in SCORES.items()}
    )


@pytest.mark.parametrize("other", [{"reference": 5.0}, {"proxy_mean": 0.0}, {"audit": 0.5}])
def test_what_is_no_rate_does_not_go_with_it(other: dict[str, Any]) -> None:
    with pytest.raises(sw.InvalidInput, match="does not go with by='successes'"):
        sw.SequentialTest(**ASKED, **other)


def test_equal_rates_are_told_apart_with_at_most_alpha() -> None:
    """Means differ by far: who compared them would err in most studies."""
    rng = np.random.default_rng(6)
    first = rng.choice([0.0, 1.0], (1000, 60), p=[0.7, 0.3])
    second = rng.choice([0.7, 1.0], (1000, 60), p=[0.7, 0.3])
    errors = {}
    for by in ("successes", "means"):
        found = run_studies(Rules(alpha=0.1, n_max=60, by=by), first, second, workers=1)
        errors[by] = int((found.decision >= 0).sum())

    assert_at_most(errors["successes"], 1000, 0.1)
    with pytest.raises(AssertionError):
        assert_at_most(errors["means"], 1000, 0.1)
