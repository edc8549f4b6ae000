"""The promise with a judge: people score a random share of the pairs, and claims are about that.

The proof is in ``docs/design/readings.md``.
"""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.readings.proxied import Proxied
from tests.guarantees.pinned import assert_at_most
from tests.guarantees.proxies import (
    RUNS,
    Draw,
    N,
    adversarial,
    biased,
    errors,
    good,
    useless,
    wrong_sign,
)

JUDGES: dict[str, Draw] = {
    "useless": useless,
    "good": good,
    "wrong in sign": wrong_sign,
    "biased": biased,
    "adversarial": adversarial,
}


def audited(draw: Draw, chance: float, bend: str = "", **settings: Any) -> int:
    """Return the errors of studies in which people score a random share of the pairs.

    Bent, those are audited "by the judge" more often where it prefers policy 1. Or the lots are
    known too early: by a "set-up" that helps policy 1 in trials which nobody will look at, or by a
    "void" of audited rows that it has lost.
    """
    rng = np.random.default_rng(24)
    r0, r1, f0, f1 = known = draw(rng, (RUNS, N))
    tilt = 0.5 * np.sign(f1 - f0) if bend == "by the judge" else 0.0
    asked = rng.random((RUNS, N)) < chance * (1 + tilt)
    if bend == "set-up":
        f1 = np.where(~asked & (rng.random(asked.shape) < 0.5), 1.0, f1)
    if bend == "void":
        lost, anew = asked & (r1 < r0), draw(rng, (RUNS, N))
        r0, r1, f0, f1 = (np.where(lost, *both) for both in zip(anew, known, strict=True))
    scores = [np.where(asked, own, np.nan) for own in (r0, r1)]
    usual: dict[str, Any] = {"n_max": N, "design": "paired", "workers": 1, "ties": "strict"}
    return errors(
        sw.simulate(
            "nscore-plus",
            *scores,
            proxy=(f0, f1),
            audit=chance,
            **{"alternative": "greater", "ties": "paper", **usual, **settings},
        )
    )


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("chance", [0.3, 0.8])
def test_no_judge_breaks_the_level(name: str, chance: float) -> None:
    found = audited(JUDGES[name], chance, alternative="two-sided")

    assert_at_most(found, RUNS, 0.05)


@pytest.mark.parametrize("bend", ["by the judge", "set-up", "void"])
def test_audits_that_are_not_left_to_chance_would_be_caught(bend: str) -> None:
    """Which is why the lot is drawn last, and nothing can be voided after it."""
    with pytest.raises(AssertionError):
        assert_at_most(audited(good, 0.5, bend), RUNS, 0.05)


def worst_pair(chance: float) -> float:
    """Return the evidence left by the pair that costs most, after pairs that invite large bets."""
    test = sw.SequentialTest(design="paired", audit=chance, alpha=1e-9, alternative="greater")
    for pair in range(200):
        won = float(pair % 3 > 0)
        test.update(0.0, won, proxy=(0.0, won))
    return test.update(1.0, 0.0, proxy=(0.0, 1.0)).log_e or 0.0


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_the_worst_pair_leaves_something(chance: float) -> None:
    assert np.isfinite(worst_pair(chance))


def test_a_bet_that_ignores_what_the_judge_can_cost_would_be_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forgotten(_: Proxied, weight: Floats, mean: Floats) -> Floats:
        return 0.0 * (weight + mean)

    monkeypatch.setattr(Proxied, "_widened", forgotten)

    with pytest.warns(RuntimeWarning, match="invalid value"):  # the logarithm of what is below 0
        worst_pair(0.1)
