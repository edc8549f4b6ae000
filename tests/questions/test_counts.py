"""Many policies by their counts: false orders are as rare as promised, and input is checked."""

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

import stopwise as sw
from stopwise.core.barnard import barnard_p_value
from stopwise.questions import counts
from stopwise.questions.family import Holm

RUNS, ALPHA, N = 300, 0.1, 15


@pytest.fixture(scope="module")
def studies() -> list[dict[str, tuple[int, int]]]:
    """Four policies of which three are equal, with other numbers of trials each."""
    rng = np.random.default_rng(5)
    rates, trials = (0.5, 0.5, 0.5, 0.8), (N, N - 3, N, N)
    draws = rng.binomial(trials, rates, (RUNS, 4)).tolist()
    return [dict(zip("abcd", zip(row, trials, strict=True), strict=True)) for row in draws]


def errors(studies: list[dict[str, tuple[int, int]]], alpha: float) -> int:
    """Return in how many studies some order among the equal ones was declared."""
    found = [sw.compare(study, alpha=alpha).pairs for study in studies]
    equal = set("abc")
    return sum(
        any(pair.better is not None and {pair.policy0, pair.policy1} <= equal for pair in pairs)
        for pairs in found
    )


def test_false_orders_are_at_most_alpha(
    studies: list[dict[str, tuple[int, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the adjustment for many pairs (the sabotage) the same data break the promise."""
    monkeypatch.setattr(counts, "barnard_p_value", cache(barnard_p_value))
    assert binomtest(errors(studies, ALPHA), RUNS, ALPHA, alternative="greater").pvalue > 0.01

    monkeypatch.setattr(Holm, "p_values", lambda *seen: seen[-1])
    sabotaged = binomtest(errors(studies, ALPHA), RUNS, ALPHA, alternative="greater").pvalue
    assert sabotaged < 1e-6


def test_the_interval_names_what_is_subtracted() -> None:
    assert "of base - new [-0.83, " in sw.compare({"new": "17/20", "base": "4/20"}).sentence


def test_large_counts_take_fishers_test() -> None:
    found = sw.compare({"a": (3000, 6000), "b": (3300, 6000), "c": (1, 9)})

    assert found.pairs[0].better == "b"
    assert "Fisher's exact test" in found.sentence
    first = found.to_dict()["policies"][0]
    assert first.pop("interval") == pytest.approx((0.5373, 0.5626), abs=1e-4)
    assert first == {"name": "b", "successes": 3300, "n": 6000, "letters": "a", "mean": 0.55}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"a": (3, 2), "b": (1, 2)}, r"3/2 must be successes/trials"),
        ({"a": (1, 2)}, "needs two policies, but got"),
        (pl.DataFrame({"policy": ["a", "b"], "score": [0.5, 1]}), "counts need a column of trials"),
        (
            pl.DataFrame({"policy": ["a", "a"], "n": [5, 6], "successes": [1, 2]}),
            "row 1: there are counts of policy 'a' already",
        ),
        (
            pl.DataFrame({"policy": ["a", "b"], "n": [5, 6], "successes": [1, 7]}),
            r"row 1: must be a whole number of successes, .* but got 7\.0 of 6\.0",
        ),
        (pl.DataFrame({"who": ["a"], "n": [5], "successes": [1]}), "no column looks like the poli"),
    ],
)
def test_bad_counts_get_one_clear_error(source: Any, message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.compare(source)


def test_counts_by_task_and_column() -> None:
    table = {"robot": ["x", "y"] * 2, "task": ["cup"] * 2 + ["jar"] * 2}
    frame = pl.DataFrame({**table, "n": [20, 20, 9, 9], "n_success": [2, 19, 5, 4]})
    found: Any = sw.compare(frame, columns={"policy": "robot"}, tasks="each")

    assert {task: one.order_text for task, one in found.items()} == {
        "cup": "y > x",
        "jar": "x undecided against y",
    }
    with pytest.raises(sw.InvalidInput, match="alpha must lie strictly between 0 and 1"):
        sw.compare(frame, alpha=2)


def test_an_interval_around_differences_with_a_hole_says_so() -> None:
    found = sw.compare("3/3", "12/40")

    low, high = found.to_dict()["difference"]
    assert found.better == "first"
    assert low < 0 < high
    assert "within which 0 is refuted" in found.sentence
    assert "within which 0" not in sw.compare("17/20", "4/20").sentence
