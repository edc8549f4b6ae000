"""A change of level is claimed of fresh draws with at most its level, however often one looks.

What the check would catch is shown by looks that each have the whole level, and by conditions that
come one after another, which both fail it.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.core import drift
from stopwise.core.arrays import Floats
from tests.guarantees.pinned import assert_at_most, assert_pinned
from tests.study.drift_power import share_found

LEVEL = 0.1
RUNS = 2000
SCORES = 90  # up to the sixth look
Draw = Callable[[np.random.Generator], Floats]


def rare(rng: np.random.Generator) -> Floats:
    return (rng.random(SCORES) < 0.1).astype(float)


def pairs(rng: np.random.Generator) -> Floats:
    """Return means of rows in which two scores go together."""
    scene = rng.random(SCORES)[:, None]
    means: Floats = ((rng.random((SCORES, 2)) + scene) < 1.2).mean(axis=1)
    return means


def skewed(rng: np.random.Generator) -> Floats:
    return rng.beta(0.4, 0.1, SCORES)


def found(draw: Draw, seed: int = 1) -> list[int]:
    """Return how many studies are said to rise, and to fall."""
    drift.changed.cache_clear()
    rng = np.random.default_rng(seed)
    ways = [drift.changed(tuple(draw(rng).tolist()), LEVEL) for _ in range(RUNS)]
    return [ways.count(drift.RISES), ways.count(drift.FALLS)]


@pytest.mark.parametrize("draw", [rare, pairs, skewed])
def test_fresh_draws_are_said_to_change_with_at_most_the_level(draw: Draw) -> None:
    counts = found(draw)
    assert_at_most(sum(counts), RUNS, LEVEL)
    assert_pinned(f"drift {draw.__name__}", counts)


def caught(counts: list[int]) -> bool:
    return bool(binomtest(sum(counts), RUNS, LEVEL, alternative="greater").pvalue < 1e-4)


def test_the_check_catches_looks_that_each_have_the_whole_level(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drift, "_share", lambda _: 1.0)
    assert caught(found(skewed))


def test_the_check_catches_conditions_one_after_another() -> None:
    def sorted_by_condition(rng: np.random.Generator) -> Floats:
        hard = np.arange(SCORES) >= SCORES // 2
        return (rng.random(SCORES) < np.where(hard, 0.6, 0.8)).astype(float)

    assert caught(found(sorted_by_condition))


def test_the_parts_of_all_looks_add_up_to_the_level() -> None:
    parts = sum(drift._share(look) for look in range(1, 10_000))
    assert 0.999 < parts < 1.0


def test_a_fall_after_day_2_of_10_is_found() -> None:
    """With five policies of .8, which fall to .5, and ten rows a day."""
    assert share_found("5 policies, 10 rows a day, .8 to .5 after day 2", 200) > 0.8
