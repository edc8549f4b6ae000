"""The answer on many tasks is one sentence that counts them."""

import numpy as np
import polars as pl

import stopwise as sw
from stopwise.report.overview import overall


def answers() -> list[sw.Analysis]:
    """Return the answers on four tasks: "top" wins on all, "mid" beats "low" on one, and so on."""
    rng = np.random.default_rng(1)
    rates = [(0.95, 0.2, 0.2), (0.95, 0.6, 0.05), (0.95, 0.05, 0.6), (0.95, 0.3, 0.3)]
    rows = [
        {"task": f"t{task}", "policy": policy, "score": float(rng.random() < rate)}
        for task, own in enumerate(rates)
        for _ in range(60)
        for policy, rate in zip(("top", "mid", "low"), own, strict=True)
    ]
    return list(sw.analyze_tasks(sw.read_trials(pl.DataFrame(rows), bounds=(0, 1))).values())


def test_many_answers_are_counted() -> None:
    found = answers()

    assert overall(found) == (
        "On 4 tasks, each asked by itself at alpha = 0.05: top is better than mid and low on all; "
        "mid is better than low on 1; low is better than mid on 1."
    )
    assert overall(found[:2]) is None  # each is read by itself
    tied = sw.compare([0, 1] * 9, [1, 0] * 9)
    assert tied.headline == "first and second were not told apart."


def test_one_that_was_not_told_apart_from_several() -> None:
    [analysis] = sw.analyze_tasks({"a": [1, 0] * 6, "b": [0, 1] * 6, "c": [0, 0, 1] * 4}).values()

    assert "was not told apart from" in analysis.headline
    assert " and " in analysis.headline
