"""A design that no result can decide is told before anything is run."""

import itertools
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.questions import pose, reach
from stopwise.questions.pairs import PairTests, replay
from stopwise.questions.reach import out_of_reach
from tests.cli.typed import run

SCORES = (0.0, 0.5, 1.0)
HOPELESS: dict[str, Any] = {"alpha": 0.001, "n_max": 6}


def least(policies: int = 2, **settings: Any) -> int:
    """The smallest n_max of which nothing is said."""
    names = tuple(f"p{i}" for i in range(policies))
    asked = (pose(Rules.of(policies=names, n_max=n, **settings)) for n in range(2, 40))
    found = next(question for question in asked if not out_of_reach(question))
    return found.rules.n_max or 0


def ever_decides(n_max: int, **settings: Any) -> bool:
    """Whether any of all results of two policies with three scores decides something."""
    ranking = PairTests(Rules.of(policies=("a", "b"), n_max=n_max, **settings))
    pairs = itertools.product(SCORES, SCORES)
    every = np.array(list(itertools.product(pairs, repeat=n_max)))
    outcome = replay(ranking.comparison, ranking.budget, every, with_p_values=False)
    return bool(outcome.decided.any())


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"design": "paired", "alpha": 0.2},
        {"alpha": 0.2, "method": "wsr"},
        {"margin": 0.2, "alpha": 0.2},
        {"margin": -0.3, "baseline": "p0", "alpha": 0.02},
        {"lower_is_better": True},
    ],
)
def test_said_exactly_where_no_result_decides(settings: dict[str, Any]) -> None:
    smallest = least(**settings)
    own = {**settings, **({"baseline": "a"} if "baseline" in settings else {})}

    assert 2 < smallest < 7
    assert not ever_decides(smallest - 1, **own)
    assert ever_decides(smallest, **own)


def test_results_that_are_not_the_clearest_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sabotage that the test above catches: a rule that plays milder results through."""
    reach._first_decision.cache_clear()
    mild = [{"p0": 0.5, "p1": 0.0}]
    monkeypatch.setattr(reach, "_clearest", lambda _: mild)
    smallest = least()
    reach._first_decision.cache_clear()

    assert ever_decides(smallest - 1)


def test_more_pairs_methods_and_goals_have_their_own_limit() -> None:
    assert least() < least(policies=5) < least(policies=20)
    assert least(adjust="bonferroni", policies=3) == least(policies=3)
    assert least(goal="best", policies=5) < least(policies=5)
    assert least(reference=0.9) >= least(reference=0.9, alpha=0.1)
    assert least(bounds=(-3, 9)) == least()
    assert least(by="wins") == least(design="paired")
    # Alike can be shown, too; and a large n_max is not played through.
    assert least(equivalence=0.95, alpha=0.3) <= least(alpha=0.3)
    assert not out_of_reach(pose(Rules(n_max=501, alpha=1e-300)))


def test_an_analysis_says_it_early_and_only_where_nothing_is_decided(tmp_path: Path) -> None:
    file = tmp_path / "six.csv"
    file.write_text("policy,score\n" + "a,0\nb,1\n" * 6)
    _, said = run("analyze", str(file), "--bounds", "0,1", "--alpha", "0.001", "--n-max", "6")
    columns, first, *_ = [line for line in said.splitlines() if line.startswith("note: ")]
    decided = sw.analyze({"a": [0.0] * 6, "b": [1.0] * 6}, n_max=6)
    best = sw.analyze({"a": [0.0] * 2, "b": [1.0] * 2}, n_max=2, goal="best")

    assert columns.startswith("note: columns used: policy, score")
    assert first.startswith("note: n_max = 6 is too small for alpha 0.001: nothing could be dec")
    assert decided.best == "b"
    assert not any("too small" in note for note in decided.warnings)
    assert "too small" in best.warnings[0]


def test_rules_and_races_warn_before_the_first_trial(caplog: pytest.LogCaptureFixture) -> None:
    reach.warn.cache_clear()
    with caplog.at_level(logging.WARNING, logger="stopwise"):
        sw.StopRule(["a", "b"], **HOPELESS)
        sw.StopRule(["a", "b", "c"], **HOPELESS)
    (told,) = [record.getMessage() for record in caplog.records]
    assert "n_max = 6 is too small for alpha 0.001" in told

    told_when = []

    def episode(policy: float, seed: int) -> float:  # noqa: ARG001
        told_when.append(len(caplog.records))
        return policy

    reach.warn.cache_clear()
    caplog.clear()
    sw.race({"a": 0.0, "b": 1.0}, episode, **HOPELESS)
    assert told_when[0] == 1
