"""Families, the orders behind the closed procedure, and levels."""

import itertools

import numpy as np
import pytest

from stopwise.errors import InvalidInput
from stopwise.questions.budget import Closed, Holm, Seen, create
from stopwise.questions.family import Family


@pytest.mark.parametrize(("k", "orders"), [(2, 3), (3, 13), (4, 75), (5, 541), (6, 4683)])
def test_all_orders_with_ties_are_there_once(k: int, orders: int) -> None:
    """The ordered Bell numbers; and in each order every pair has one false direction or two."""
    sets = Family(k=k).null_sets()

    assert len(sets) == orders == len(np.unique(sets, axis=0))
    per_pair = sets.reshape(orders, -1, 2).sum(axis=-1)
    assert set(per_pair.ravel()) == {1.0, 2.0}


def test_false_directions_are_those_of_some_means() -> None:
    family = Family(k=4)
    sets = {tuple(row) for row in family.null_sets().tolist()}

    for means in itertools.product(range(4), repeat=4):
        values = np.array(means)
        true = family.directed(values[:, None] > values[None, :])
        assert tuple((~true).ravel().astype(float).tolist()) in sets


@pytest.mark.parametrize(("ties", "orders"), [("strict", 27), ("paper", 8)])
def test_with_a_baseline_pairs_are_free_of_each_other(ties: str, orders: int) -> None:
    family = Family(k=4, baseline=2, ties=ties)

    assert family.pairs.tolist() == [[2, 0], [2, 1], [2, 3]]
    assert len(family.null_sets()) == orders


def test_without_ties_each_pair_has_one_false_direction() -> None:
    sets = Family(k=4, ties="paper").null_sets()

    assert len(sets) == 24
    assert (sets.sum(axis=1) == 6).all()


def seen(p_value: list[list[float]], claims: list[list[bool]] | None = None) -> Seen:
    p = np.array([p_value])
    made = np.zeros(p.shape, dtype=bool) if claims is None else np.array([claims])
    running = np.ones(p.shape[:2], dtype=bool)
    return Seen(made, p, running, np.ones(p.shape), np.zeros(p.shape))


def test_holm_relaxes_until_nothing_more_is_claimed() -> None:
    """3 pairs at .06: levels .01, then .012, then .015."""
    budget = Holm(family=Family(k=3), alpha=0.06)

    account, claims = budget.step(
        budget.start(1), seen([[0.0099, 1.0], [1.0, 0.0119], [0.0151, 1.0]])
    )

    assert claims[0].tolist() == [[True, False], [False, True], [False, False]]
    assert budget.alpha / account.factor[0] == pytest.approx([0.01, 0.012, 0.015])
    adjusted = budget.p_values(account, np.array([[[0.0099, 1], [1, 0.0119], [0.0151, 1]]]))
    assert adjusted.min(axis=-1)[0] == pytest.approx([0.0594, 0.0595, 0.0604])


def test_holm_passes_nothing_on_where_ties_are_ignored() -> None:
    budget = Holm(family=Family(k=3, ties="paper"), alpha=0.06)

    account, claims = budget.step(budget.start(1), seen([[0.0001, 1.0], [1.0, 0.021], [1.0, 1.0]]))

    assert claims[0].tolist() == [[True, False], [False, False], [False, False]]
    assert budget.alpha / account.factor[0] == pytest.approx([0.02] * 3)


def test_the_closed_procedure_never_claims_both_directions_or_after_all_is_refuted() -> None:
    budget = Closed(family=Family(k=2), alpha=0.05)
    row = seen([[1.0, 1.0]])._replace(factor=np.full((1, 1, 2), 1e9))

    _, claims = budget.step(budget.start(1), row)

    assert not claims.any()


def test_two_policies_need_no_adjustment_but_for_ties() -> None:
    """One pair: the closed procedure's p-value is that of the average of both directions."""
    budget = Closed(family=Family(k=2), alpha=0.05)
    row = seen([[1.0, 1.0]])._replace(factor=np.array([[[39.9, 0.2]]]))

    account, claims = budget.step(budget.start(1), row)

    assert claims[0].tolist() == [[True, False]]
    # The tie is the hardest order: half the stake lies on the other direction.
    assert budget.p_values(account, row.p_value)[0, 0, 0] == pytest.approx(2 / 40.1)


def test_clear_errors() -> None:
    with pytest.raises(InvalidInput, match="adjust must be one of bonferroni, holm, closed"):
        create("hochberg", family=Family(k=3), alpha=0.05)
    with pytest.raises(InvalidInput, match="at most 7 policies, but got 8; choose 'holm'"):
        Closed(family=Family(k=8), alpha=0.05).start(1)
    with pytest.raises(InvalidInput, match="at most 10 policies besides the baseline"):
        Closed(family=Family(k=12, baseline=0), alpha=0.05).start(1)
