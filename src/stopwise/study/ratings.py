"""A second rating: someone else scores a trial by its recording, and does not know whose it is.

It enters no comparison. Cohen's kappa says how far two raters agree beyond chance.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stopwise.errors import NotAllowed
from stopwise.study.assignment import locked_plan
from stopwise.study.blinding import Lots
from stopwise.study.events import Rated
from stopwise.study.state import StudyState
from stopwise.study.trial_actions import judged, require_trial


def waiting(state: StudyState, lots: Lots, who: str) -> list[int]:
    """Return the trials that a person may rate, in an order of their own that tells nothing.

    These are scored, were run by someone else, and have a recording.
    """
    plan = locked_plan(state)
    done = {number for number, rater, _ in state.ratings if rater == who}
    filmed = dict.fromkeys(number for number, _, _ in state.recordings if number not in done)
    found = [
        number
        for number in filmed
        if (trial := state.trials[number - 1]).status == "scored"
        and trial.who != who
        and plan.task(trial.task).score.kind != "preference"
    ]
    return [int(number) for number in lots.shuffled(map(str, found), "rating", who)]


def rate(state: StudyState, lots: Lots, number: int, answer: Any, who: str) -> Rated:
    """Return the event that a trial was rated by its recording."""
    trial = require_trial(state, number)
    if number not in waiting(state, lots, who):
        raise NotAllowed(f"trial {number} is not one that you can rate now")
    given, score = judged(state, trial, answer)
    assert score is not None  # as it is for a preference alone
    salt = lots.salt("rating", number, who)
    return Rated(trial=number, answer=given, score=score, salt=salt)


def kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Cohen's kappa, with the distance of two scores as the weight of a disagreement.

    For success and failure it is the plain kappa, for evenly spaced levels the linearly weighted
    one. None if all scores are the same, so that nothing could have been expected to differ.
    """
    one, other = np.asarray(first, float), np.asarray(second, float)
    expected = np.abs(one[:, np.newaxis] - other).mean() if one.size else 0.0
    return float(1.0 - np.abs(one - other).mean() / expected) if expected else None
