"""A proxy beside the scores: streams, simulations, saving, and what is refused."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.pair_test import PairTest
from stopwise.core.readings.proxied import Proxied
from stopwise.core.rules import pair_rules
from stopwise.core.simulate import run_studies

PROXIED: dict[str, Any] = {"design": "paired", "proxy_mean": 0.2}


def scenes(runs: int, n: int, same: float = 0.8) -> list[Any]:
    rng = np.random.default_rng(5)
    scores = [(rng.random((runs, n)) < rate) * 1.0 for rate in (0.5, 0.7)]
    fresh = [(rng.random((runs, n)) < rate) * 1.0 for rate in (0.5, 0.7)]
    kept = rng.random((2, runs, n)) < same
    return [*scores, *np.where(kept, scores, fresh)]


def simulated(n: int) -> Any:
    """Return the proxy's scores (n, 2) in scenes apart from those of the trials."""
    return np.stack([part[0] for part in scenes(1, n)[2:]], axis=1)


@pytest.mark.parametrize("batches", [None, np.linspace(-0.6, 0.9, 60)])
def test_each_direction_has_its_own_sign(batches: Any) -> None:
    r0, r1, g0, g1 = scenes(20, 60)
    own: dict[str, Any] = {"method": "nscore-plus", "design": "paired", "n_max": 60}
    own["alternative"] = "greater"
    given: dict[str, Any] = {} if batches is None else {"proxy_batches": [batches]}
    swapped: dict[str, Any] = {} if batches is None else {"proxy_batches": [-batches]}
    usual = run_studies(pair_rules(proxy_mean=0.2, **given, **own), r0, r1, proxy=(g0, g1))
    own |= {"proxy_mean": -0.2, "alternative": "less"}
    other = run_studies(pair_rules(**swapped, **own), r1, r0, proxy=(g1, g0))

    np.testing.assert_array_equal(other.n, usual.n)
    np.testing.assert_allclose(other.log_e, usual.log_e)
    test = PairTest(usual.rules).test
    assert isinstance(test, Proxied)
    assert test.proxy_means == ((0.2,),)


def test_a_proxy_that_says_nothing_changes_nothing() -> None:
    r0, r1, *_ = scenes(50, 100)
    nothing = np.full_like(r0, 0.5)
    own: dict[str, Any] = {"n_max": 100, "design": "paired"}
    with_proxy = sw.simulate("nscore-plus", r0, r1, proxy=(nothing, nothing), proxy_mean=0.0, **own)
    without = sw.simulate("nscore-plus", r0, r1, **own)

    np.testing.assert_array_equal(with_proxy.n, without.n)
    np.testing.assert_array_equal(with_proxy.log_e, without.log_e)


def test_a_good_proxy_saves_pairs() -> None:
    r0, r1, g0, g1 = scenes(300, 150)
    own: dict[str, Any] = {"n_max": 150, "design": "paired"}
    with_proxy = sw.simulate("nscore-plus", r0, r1, proxy=(g0, g1), proxy_mean=0.2, **own)
    without = sw.simulate("nscore-plus", r0, r1, **own)

    assert with_proxy.n.mean() < 0.7 * without.n.mean()
    assert with_proxy.rate(1) > without.rate(1)


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_every_pair_of_trials_has_scenes_of_its_own(lower_is_better: bool) -> None:
    """So two thousand of them save nearly as much as a mean that is known, in both directions.

    On average over ten sets of scenes: what one is off it is off in all studies that it serves.
    """
    parts, many, sign = scenes(400, 150), simulated(20_000), 1
    own: dict[str, Any] = {"n_max": 150, "design": "paired", "alternative": "two-sided"}
    if lower_is_better:
        parts, many, sign = [1 - part for part in parts], 1 - many, -1
        own["lower_is_better"] = True
    r0, r1, *proxy = parts
    known = sw.simulate("nscore-plus", r0, r1, proxy=tuple(proxy), proxy_mean=sign * 0.2, **own)
    used = []
    for place, some in enumerate(many.reshape(10, 2000, 2)):
        r0, r1, *proxy = (part[place::10] for part in parts)
        found = sw.simulate("nscore-plus", r0, r1, proxy=tuple(proxy), proxy_scores=some, **own)
        (batches,) = found.rules.proxy_batches or ()
        gained = some[:, 1] - some[:, 0]
        sizes = [100, *map(len, np.array_split(gained[100:], 149))]
        assert np.dot(batches, sizes) == pytest.approx(gained.sum())
        used.append(found.n.mean())
    assert np.mean(used) < 1.15 * known.n.mean()


@pytest.mark.parametrize("batches", [None, [np.linspace(0.6, -0.3, 40)]])
def test_factors_fall_with_the_margin_as_intervals_take_it(batches: Any) -> None:
    """The factor of a batch has no margin in it."""
    own: dict[str, Any] = {"design": "paired", "n_max": 40, "proxy_mean": 0.2}
    own |= {"method": "nscore-plus", "alternative": "greater"}
    comparison = PairTest(pair_rules(proxy_batches=batches, **own))
    test, weights = comparison.test, []
    assert isinstance(test, Proxied)
    state = test.start((1, 1))
    for r0, r1, g0, g1 in np.stack([part[0] for part in scenes(1, 40)], axis=1):
        pair = comparison.directed(np.array([[r0], [g0]]), np.array([[r1], [g1]]))
        after = test.step(state, *pair)
        won = 1 + after.bet.amount * (r1 - r0 - after.weight * (g1 - g0 - state.mean))
        np.testing.assert_allclose(test.margin_fall(state, after, *pair), after.bet.amount / won)
        weights.append(after.weight.item())
        state = after
    assert max(weights) > 0.3
