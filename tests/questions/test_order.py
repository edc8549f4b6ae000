"""The live contest says at every row what the analysis of the rows so far says."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from stopwise.core.rules import Rules
from stopwise.core.snapshot import dump
from stopwise.errors import InvalidInput, InvalidState
from stopwise.questions.analysis import Analysis
from stopwise.questions.analyze import analyze
from stopwise.questions.order import OrderQuestion

NAMES = ("a", "b", "c", "d")
MEANS = np.array([0.2, 0.45, 0.5, 0.85])
SETTINGS: list[dict[str, Any]] = [
    {"n_max": 150},
    {"n_max": 150, "design": "paired"},
    {"n_max": 150, "adjust": "bonferroni", "ties": "paper", "method": "nscore", "bins": 5},
    {"baseline": "b", "method": "wsr"},
    {"method": "step", "n_max": 60},
]


def rows(seed: int = 0, count: int = 60) -> Any:
    return (np.random.default_rng(seed).random((count, 4)) < MEANS).astype(float)


def asked(**settings: Any) -> OrderQuestion:
    return OrderQuestion(Rules.of(policies=NAMES, **settings))


def play(contest: OrderQuestion, scores: Any) -> OrderQuestion:
    """Try only the policies that are needed, as a study would."""
    for row in scores:
        if not contest.needed:
            break
        drawn = dict(zip(NAMES, row, strict=True))
        contest.add({name: drawn[name] for name in contest.needed})
    return contest


def brief(analysis: Analysis | OrderQuestion) -> Sequence[Any]:
    found = analysis.pairs if isinstance(analysis, Analysis) else analysis.standings()
    return [
        (pair.policy0, pair.policy1, pair.decision, pair.implied, pair.n, pair.p_value, pair.log_e)
        for pair in found
    ]


@pytest.mark.parametrize("settings", SETTINGS)
def test_equals_the_analysis_of_the_whole_table(settings: dict[str, Any]) -> None:
    """Fails if a contest looks at a policy after its elimination, or stops too early."""
    scores = rows()
    whole = analyze(dict(zip(NAMES, scores.T, strict=True)), bounds=(0, 1), **settings)
    contest = play(asked(**settings), scores)
    assert brief(contest) == brief(whole)
    own = contest.analysis()
    assert brief(own) == brief(whole)
    assert {p.name: p.trials_used for p in own.policies} == {
        p.name: p.trials_used for p in whole.policies
    }
    # Of a declared n_max the same is saved, whether it was run or not; else what was never run
    # is not known.
    declared = "n_max" in settings
    assert [p.trials_saved for p in own.policies] == [
        p.trials_saved if declared else 0 for p in whole.policies
    ]
    assert whole.trials_saved > 0
    assert own.warnings == whole.warnings


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("cut", [0, 1, 17])
def test_resumes_exactly(settings: dict[str, Any], cut: int) -> None:
    scores = rows(seed=3)
    whole = play(asked(**settings), scores)
    resumed = OrderQuestion.from_json(play(asked(**settings), scores[:cut]).to_json())
    assert resumed.rows == cut
    play(resumed, scores[cut:])
    assert resumed.to_json() == whole.to_json()
    assert resumed.standings() == whole.standings()
    assert resumed.needed == whole.needed


def test_a_missing_policy_waits() -> None:
    contest = OrderQuestion(Rules(policies=("a", "b", "c")))
    contest.add({"a": 1.0, "b": 0.0})
    assert [standing.n for standing in contest.standings()] == [1, 0, 0]
    assert contest.needed == ("a", "b", "c")


def test_the_budget_of_rows_ends_it() -> None:
    contest = play(asked(n_max=3), rows())
    assert contest.rows == 3
    assert not contest.decided
    with pytest.raises(InvalidInput, match="n_max = 3 rows are already in"):
        contest.add({"a": 1.0})


@pytest.mark.parametrize(
    ("row", "complaint"),
    [({"z": 1.0}, "policies are a, b, c, d, but got"), ({"a": 2.0}, "'a'"), ({"b": "x"}, "'b'")],
)
def test_bad_rows_change_nothing(row: dict[str, Any], complaint: str) -> None:
    contest = play(asked(), rows(count=2))
    before = contest.to_json()
    with pytest.raises(InvalidInput, match=complaint):
        contest.add(row)
    assert contest.to_json() == before


@pytest.mark.parametrize(
    "changes",
    [{"trials": 3}, {"trials": {"x": [0.5]}}, {"rows": -1}, {"rules": {"x": 1}}],
)
def test_a_snapshot_that_does_not_fit_together_is_refused(changes: dict[str, Any]) -> None:
    text = play(asked(), rows(count=5)).to_json()
    altered = dump("Order", 1, {**json.loads(text)["content"], **changes})

    with pytest.raises(InvalidState, match="does not fit together"):
        OrderQuestion.from_json(altered)
