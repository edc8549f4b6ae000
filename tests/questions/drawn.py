"""Scores that several tests rank, and rows in which the best is asked for."""

from collections.abc import Callable

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.questions.best import BestQuestion


def scores(n: int = 120, **rates: float) -> dict[str, Floats]:
    """Return binary scores by policy, with these rates."""
    rng = np.random.default_rng(5)
    return {name: (rng.random(n) < rate) * 1.0 for name, rate in rates.items()}


FOUR = scores(low=0.1, middle=0.5, other=0.5, high=0.95)


def rules_of(rates: dict[str, float], **settings: object) -> Rules:
    return Rules.of(policies=tuple(rates), goal="best", **{"n_max": 150, **settings})


def play(
    question: BestQuestion,
    rates: dict[str, float],
    seed: int = 0,
    each: Callable[[BestQuestion], BestQuestion] = lambda question: question,
    rows: int = 150,
) -> BestQuestion:
    """Show rows until nothing is needed; the i-th trial of a policy is always the same."""
    rng = np.random.default_rng(seed)
    drawn = {name: (rng.random(2000) < rate) * 1.0 for name, rate in rates.items()}
    while question.needed and question.rows < rows:
        question.add(
            {name: drawn[name][list(own)].tolist() for name, own in question.places.items()}
        )
        question = each(question)
    return question
