"""The live contest says at every row what the analysis of the rows so far says."""

import json
from typing import Any

import numpy as np
import pytest

from stopwise.core.rules import Rules
from stopwise.core.snapshot import dump
from stopwise.errors import InvalidInput, InvalidState
from stopwise.questions.order import OrderQuestion

NAMES = ("a", "b", "c", "d")
MEANS = np.array([0.2, 0.45, 0.5, 0.85])


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
        contest.add({name: [drawn[name]] for name in contest.needed})
    return contest


@pytest.mark.parametrize(
    ("row", "complaint"),
    [({"z": 1.0}, "policies are a, b, c, d, but got"), ({"a": 2.0}, "'a'"), ({"b": "x"}, "'b'")],
)
def test_bad_rows_change_nothing(row: dict[str, Any], complaint: str) -> None:
    contest = play(asked(), rows(count=2))
    before = contest.to_json()
    with pytest.raises(InvalidInput, match=complaint):
        contest.add({name: [score] for name, score in row.items()})
    assert contest.to_json() == before


@pytest.mark.parametrize(
    "changes", [{"trials": 3}, {"trials": {"x": [0.5]}}, {"rows": -1}, {"rules": {"x": 1}}]
)
def test_a_snapshot_that_does_not_fit_together_is_refused(changes: dict[str, Any]) -> None:
    text = play(asked(), rows(count=5)).to_json()
    altered = dump("Order", 1, {**json.loads(text)["content"], **changes})

    with pytest.raises(InvalidState, match="does not fit together"):
        OrderQuestion.from_json(altered)
