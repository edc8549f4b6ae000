"""A fixed list: over all orders of all small lists, and what the promise rests on."""

from itertools import product

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.readings.fixed_list import OnList
from tests.guarantees.ruin import assert_attained

ALPHA = 0.2


def orders(values: tuple[float, ...], size: int) -> tuple[Floats, Ints]:
    """All sequences of so many differences, and which of them are orders of one list."""
    sequences = np.array(list(product(values, repeat=size)))
    _, lists = np.unique(np.sort(sequences, axis=1), axis=0, return_inverse=True)
    return sequences, lists.ravel()


def studied(differences: Floats, **settings: object) -> sw.Simulation:
    scores0, scores1 = np.maximum(-differences, 0.0), np.maximum(differences, 0.0)
    size = differences.shape[1]
    usual = {"alpha": ALPHA, "design": "paired", "list_size": size}
    return sw.simulate("nscore-plus", scores0, scores1, **{**usual, **settings})


def worst_error(lists: Ints, null: Bools, declared: Bools) -> float:
    """The largest share of orders of a list on which the null is true that are declared."""
    errors = np.bincount(lists[null], weights=declared[null]) / np.maximum(
        np.bincount(lists[null]), 1
    )
    return float(errors.max())


@pytest.mark.parametrize(("values", "size"), [((-1, 0, 1), 9), ((-1, -0.5, 0, 0.3, 1), 6)])
@pytest.mark.parametrize("margin", [0.0, -0.2, 0.1])
def test_no_list_is_misjudged_in_more_than_alpha_of_its_orders(
    values: tuple[float, ...], size: int, margin: float
) -> None:
    sequences, lists = orders(values, size)
    total = np.round(sequences.sum(axis=1), 9)

    found = studied(sequences, alternative="greater", margin=margin)

    declared = found.decision == 1
    assert declared[total > margin * size + 1e-9].all()
    assert 0 < worst_error(lists, total <= margin * size + 1e-9, declared) <= ALPHA


@pytest.mark.parametrize(("alternative", "level"), [("greater", 0.19), ("two-sided", 0.17)])
def test_a_larger_alpha_would_show(alternative: str, level: float) -> None:
    sequences, lists = orders((-1, 0, 1), 9)
    total = sequences.sum(axis=1)
    null = total <= 0 if alternative == "greater" else total == 0

    def risk(alpha: float) -> float:
        found = studied(sequences, alternative=alternative, alpha=alpha)
        return worst_error(lists, null, np.isin(found.decision, (0, 1)))

    assert_attained(risk, level, 1.25)


@pytest.mark.parametrize("reference", [0.5, 1 / 3])
def test_neither_is_a_list_against_a_number(reference: float) -> None:
    scores, lists = orders((0.0, 1.0), 12)
    total = scores.sum(axis=1)

    found = sw.simulate("nscore-plus", scores, alpha=ALPHA, reference=reference, list_size=12)

    better, worse = total > 12 * reference + 1e-9, total < 12 * reference - 1e-9
    assert (found.decision[better | worse] >= 0).all()
    assert worst_error(lists, ~better, found.decision == 1) <= ALPHA / 2
    assert worst_error(lists, ~worse, found.decision == 0) <= ALPHA / 2
    assert (found.decision[~better & ~worse] != -1).all()


def test_two_sided_claims_share_alpha_and_a_tie_is_equal() -> None:
    sequences, lists = orders((-1, 0, 1), 9)
    tie = sequences.sum(axis=1) == 0

    found = studied(sequences, alternative="two-sided")

    wrong = np.isin(found.decision, (0, 1))
    assert worst_error(lists, tie, wrong) <= ALPHA
    assert (found.decision[tie & ~wrong] == 2).all()
    assert not (found.decision[~tie] == 2).any()


def test_the_wealth_is_fair_only_where_the_null_moves_as_it_must(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sequences, lists = orders((-1, 0, 1), 9)
    tie = sequences.sum(axis=1) == 0

    def most_wealth() -> float:
        """The mean wealth two scenes before the end, of the list on which it is greatest."""
        found = studied(sequences[tie], alternative="greater", list_size=9, n_max=7, alpha=1e-9)
        wealth = np.exp(np.minimum(found.log_e, 50.0))
        means = np.bincount(lists[tie], weights=wealth) / np.maximum(np.bincount(lists[tie]), 1)
        return float(means.max())

    assert most_wealth() <= 1 + 1e-9
    null = OnList.null
    monkeypatch.setattr(OnList, "null", lambda self, state: 1.5 * null(self, state))
    assert most_wealth() > 1.1


def test_the_order_must_be_random_and_each_scene_must_come_once() -> None:
    rng = np.random.default_rng(1)
    tie = np.repeat([1.0, -1.0, 0.0], [30, 30, 40])
    drawn = rng.permuted(np.tile(tie, (4000, 1)), axis=1)
    again = rng.choice(tie, (4000, 100))
    errors = {
        name: float((studied(lists, alternative="greater", alpha=0.05).decision == 1).mean())
        for name, lists in {"drawn": drawn, "sorted": tie[None], "again": again}.items()
    }

    assert errors["drawn"] < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4000)
    assert errors["sorted"] == 1
    assert errors["again"] > 0.2  # the last scenes are not those that were left


@pytest.mark.parametrize("design", ["paired", "independent"])
def test_ties_in_tenths_stay_ties_to_the_last_scene(design: str) -> None:
    rng = np.random.default_rng(2)
    scores0 = rng.integers(0, 11, (2000, 30)) / 10
    scores1 = rng.permuted(scores0, axis=1)

    found = sw.simulate("nscore-plus", scores0, scores1, design=design, list_size=30)

    assert np.isin(found.decision, (0, 1)).mean() <= 0.05
    assert (found.decision[found.n == 30] == 2).mean() > 0.9


def test_intervals_hold_the_mean_of_the_list_at_all_times_and_end_in_it() -> None:
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(60):
        outcomes = (rng.random((2, 25)) < rng.uniform(0.2, 0.8, (2, 1))).astype(float)
        truth = outcomes[1].mean() - outcomes[0].mean()
        test = sw.SequentialTest(alpha=ALPHA, list_size=25, design="paired")
        verdicts = [test.update(r0, r1) for r0, r1 in outcomes.T]
        lows, highs = np.array([verdict.interval for verdict in verdicts]).T
        missed += bool((lows > truth + 1e-9).any() or (highs < truth - 1e-9).any())
        assert lows[-1] == highs[-1] == pytest.approx(truth, abs=1e-9)
        for verdict in verdicts[:-1]:
            low, high = verdict.interval
            shown = {"policy1": 1.0, "policy0": -1.0}.get(verdict.decision, 0.0)
            if shown * truth > 0 or not shown:  # else the list has contradicted the test
                assert bool(shown) == (not low <= 0 <= high)

    assert 0 < missed <= ALPHA * 60 + 3 * np.sqrt(ALPHA * 60)
