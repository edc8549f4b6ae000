"""Selection by people: what it can still do to the verdict, and that it shows."""

from functools import cache

import pytest
from scipy.stats import binomtest

from tests.guarantees.pinned import assert_at_most
from tests.study.cheating import (
    CHEATS,
    SETTINGS,
    UNSTARTED,
    Act,
    Outcome,
    accidents,
    correcting,
    giving_back,
    giving_back_for_nothing,
    learning_as_before,
    outcomes,
    voiding,
    waiting,
)

ALPHA = float(str(SETTINGS["alpha"]))
RUNS = 40


@cache
def honest() -> Outcome:
    return outcomes(CHEATS["is honest"], RUNS)


def test_giving_back_cannot_help_a_policy() -> None:
    """Counted as the worst score, and so as in the honest study: the same orders come out."""
    found = outcomes(giving_back(0.8), RUNS)

    assert_at_most(found.false, RUNS, ALPHA)
    assert found.in_favour == honest().in_favour
    assert found.warned == RUNS


def test_the_check_finds_trials_that_are_run_until_they_succeed() -> None:
    """Sabotage: the rule of old, by which a trial that was given back is run again."""
    found = outcomes(giving_back_for_nothing, RUNS // 2)

    assert binomtest(found.in_favour, found.runs, ALPHA, alternative="greater").pvalue < 1e-4
    assert found.warned == found.runs


def test_letting_the_lease_run_out_cannot_help_a_policy() -> None:
    """Counted as given back, and so as in the honest study; run again, as before, it helps."""
    found = outcomes(waiting(0.8), RUNS)
    before = outcomes(waiting(0.8), RUNS // 4, lapsing=False)

    assert_at_most(found.false, RUNS, ALPHA)
    assert found.in_favour == honest().in_favour
    assert found.warned == RUNS
    assert binomtest(before.in_favour, before.runs, ALPHA, alternative="greater").pvalue < 1e-4


def test_a_label_that_a_correction_shows_is_of_no_use() -> None:
    """Sabotage: corrected and voided again and again, failures of one policy vanish."""
    name = "learns by correcting whose trial it is, to void 80 % of the failures"
    found, before = outcomes(CHEATS[name], RUNS // 2), outcomes(learning_as_before, RUNS // 4)

    assert_at_most(found.in_favour, found.runs, ALPHA)
    assert binomtest(before.in_favour, before.runs, ALPHA, alternative="greater").pvalue < 1e-4


def test_no_score_can_be_tried_out() -> None:
    """A study in which a cheat tries differs from the honest one by the score of that one trial."""
    found = outcomes(CHEATS["tries out which score ends the study"], RUNS)

    assert_at_most(found.false, RUNS, ALPHA)
    assert abs(found.false - honest().false) <= 1


@pytest.mark.parametrize("act", [voiding(0.5), voiding(0.8), *UNSTARTED])
def test_failures_that_are_got_rid_of_are_warned_of(act: Act) -> None:
    found = outcomes(act, RUNS // 4)

    assert found.warned == found.runs


def test_a_false_order_that_no_warning_goes_with_is_rare_whatever_is_corrected() -> None:
    """Sabotage: of changes that are too few to be uneven, no test of evenness knows."""
    found = outcomes(correcting(3), RUNS)

    assert found.in_favour > RUNS / 2
    assert_at_most(found.unwarned, RUNS, ALPHA)
    assert binomtest(found.even, RUNS, ALPHA, alternative="greater").pvalue < 0.01


def test_accidents_are_hardly_ever_warned_of() -> None:
    found = outcomes(accidents, RUNS)

    assert_at_most(found.warned, RUNS, 0.05)
    assert_at_most(found.false, RUNS, ALPHA)
