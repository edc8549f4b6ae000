"""The promise with a proxy: whatever it says, equal policies are told apart with at most alpha.

The proofs are in ``docs/design/readings.md``. Each assumption has a test that shows what breaks
without it; those about scenes and audits are in the files beside.
"""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.readings.proxied import Proxied
from tests.guarantees.pinned import assert_at_most
from tests.guarantees.proxies import RUNS, errors, good, studies


def test_a_weight_chosen_after_the_pair_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def afterwards(self: Proxied, state: Any, r0: Floats, r1: Floats) -> Any:
        after = honest(self, state, r0, r1)
        hint = after.hint - state.hint
        worse = after.weight * np.maximum(hint, 0.0)  # left out where it would cost
        gain = np.log1p(after.bet.amount * worse / np.exp(after.log_e - state.log_e))
        return after._replace(log_e=after.log_e + gain)

    honest = Proxied.step
    monkeypatch.setattr(Proxied, "step", afterwards)

    with pytest.raises(AssertionError):
        assert_at_most(errors(studies(good, proxy_mean=0.0)), RUNS, 0.05)


@pytest.mark.slow("thousands of studies: adds rarer errors, and intervals")
def test_intervals_cover_with_a_proxy() -> None:
    """The interval agrees with the decision, and holds the true difference, here .1."""
    rng = np.random.default_rng(3)
    missed = 0
    for run in range(30):
        level0, level1 = rng.random((2, 60))
        r0, r1 = (level0 < 0.5) * 1.0, (level1 < 0.6) * 1.0
        own: dict[str, Any] = {"proxy_mean": 0.0}
        if run % 2:
            own = {"proxy_scores": (rng.random((3000, 2)) < 0.5) * 1.0}
        test = sw.SequentialTest(
            n_max=60, design="paired", **{"alternative": "greater", "ties": "paper", **own}
        )
        verdict = test.run(r0, r1, proxy=(r0, (level1 < 0.5) * 1.0))
        assert (verdict.interval.low > 0) == (verdict.decision == sw.Decision.POLICY1)
        missed += verdict.interval.low > 0.1
    assert_at_most(missed, 30, 0.05)
