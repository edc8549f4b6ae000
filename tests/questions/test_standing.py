"""How far a pair has come on its way to a decision."""

import math

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.pair_verdict import Decision
from stopwise.questions.standing import Standing, rows_to_go, share_of_way, ways


def standing(log_e: float | None, p_value: float = 1.0, decision: str = "undecided") -> Standing:
    return Standing(
        policy0="a",
        policy1="b",
        decision=Decision(decision),
        implied=False,
        n=10,
        p_value=p_value,
        log_e=log_e,
    )


@pytest.mark.parametrize(
    ("pair", "share"),
    [
        (standing(3.0), 0.0),
        (standing(-3.0, 0.05**0.5), 0.5),
        (standing(None, 0.05**0.25), 0.25),
        (standing(None, 0.0), 1.0),
        (standing(None, 0.01, "policy0"), 1.0),
    ],
)
def test_the_share_is_that_of_the_p_value(pair: Standing, share: float) -> None:
    assert share_of_way(pair, alpha=0.05) == pytest.approx(share)


@pytest.mark.parametrize("evidence", [(0.5, 2.0), (2.0, 0.5)])
def test_what_lies_ahead_is_the_way_of_the_slowest_pair(evidence: tuple[float, float]) -> None:
    """It has a share of .5 of the logarithm of 80 after ten rows."""
    found = ways([standing(log_e) for log_e in evidence], alpha=0.05)

    assert rows_to_go(found.values(), None) == math.ceil(10 * (math.log(80) / 0.5 - 1))
    assert set(found) == {"a", "b"}


def test_it_never_falls_so_that_operators_do_not_see_what_they_scored() -> None:
    rule, shares = sw.StopRule(["a", "b"], n_max=40), [0.0]
    scores = np.random.default_rng(3).random((40, 2)) < (0.2, 0.8)
    for row in scores.tolist():
        for policy in rule.needed:
            rule.add(policy, row["ab".index(policy)])
        shares.append(share_of_way(rule.standings()[0], alpha=0.05))

    assert shares == sorted(shares)
    assert 0 < shares[4] < shares[-1] == 1
