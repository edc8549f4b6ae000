"""The promise with a proxy whose mean comes from simulated scenes, and what real scenes must be.

The proofs are in ``docs/design/readings.md``.
"""

from typing import Any

import numpy as np
import pytest

from stopwise.core.arrays import Floats
from stopwise.core.readings import scenes as scenes_module
from stopwise.core.readings.proxied import Proxied
from stopwise.core.readings.scenes import scene_batches, unit_scenes
from stopwise.core.rules import Rules, pair_rules
from stopwise.core.simulate import run_studies
from tests.guarantees.pinned import assert_at_most
from tests.guarantees.proxies import (
    PROXIES,
    RUNS,
    Draw,
    N,
    Scene,
    biased,
    errors,
    errors_with_own_means,
    good,
    studies,
)


def scenes_of_studies(runs: int, scenes: int) -> Floats:
    """Return simulated scenes (runs, scenes, 2), of their own for each study."""
    _, _, g0, g1 = biased(np.random.default_rng(7), (runs, scenes))
    return np.stack((g0, g1), axis=-1)


def test_an_estimate_in_place_of_the_mean_would_be_caught() -> None:
    means = [float((own[:, 1] - own[:, 0]).mean()) for own in scenes_of_studies(RUNS, 50)]

    with pytest.raises(AssertionError):
        assert_at_most(errors_with_own_means(biased, means, 0.05, 300), RUNS, 0.05)


def means_of_batches(draw: Draw, scenes: int, runs: int = RUNS) -> Floats:
    """Return the mean of g1 - g0 in so many simulated scenes for each pair of each study."""
    _, _, g0, g1 = draw(np.random.default_rng(7), (runs, N, scenes))
    return np.asarray((g1 - g0).mean(axis=2))


def errors_with_batches(draw: Draw, batches: Floats) -> int:
    return errors_with_own_means(draw, [0.0] * len(batches), 0.05, N, batches)


@pytest.mark.parametrize(("name", "scenes"), [*((each, 1) for each in PROXIES), ("biased", 8)])
def test_batches_of_scenes_keep_the_level(name: str, scenes: int) -> None:
    """Also with a single scene per pair, and so with a guess of the mean that is far off.

    In 20,000 studies with the proxy that leaves the least of alpha unused.
    """
    draw, _ = PROXIES[name]
    runs = 20_000 if name == "wrong in sign" else RUNS

    assert_at_most(errors_with_batches(draw, means_of_batches(draw, scenes, runs)), runs, 0.05)


def test_scenes_that_serve_every_pair_would_be_caught() -> None:
    batches = means_of_batches(biased, 1)[:, :15].mean(axis=1, keepdims=True)

    with pytest.raises(AssertionError):
        assert_at_most(errors_with_batches(biased, np.repeat(batches, N, axis=1)), RUNS, 0.05)


def test_a_guess_without_its_batches_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = means_of_batches(biased, 8)
    monkeypatch.setattr(Proxied, "_drawn", lambda *_: 0.0)

    with pytest.raises(AssertionError):
        assert_at_most(errors_with_batches(biased, batches), RUNS, 0.05)


def test_a_weight_that_knows_the_batch_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Left out where the batch costs."""

    def knowing(self: Proxied, state: Any) -> Any:
        bet, weight = honest(self, state)
        return bet, np.where(self._drawn(state) < 0, 0.0, weight)

    honest = Proxied._weighted_bet
    monkeypatch.setattr(Proxied, "_weighted_bet", knowing)

    with pytest.raises(AssertionError):
        assert_at_most(errors_with_batches(good, means_of_batches(good, 1)), RUNS, 0.05)


def errors_of_sorted_files() -> int:
    """Return the errors of 1,000 studies, each with a sorted file of one scene for every pair."""
    runs, n = 1000, 186
    _, _, g0, g1 = good(np.random.default_rng(7), (runs, n))
    rules, batches = Rules.of(n_max=n, design="paired"), []
    for scenes in np.stack((g0, g1), axis=-1):
        ascending = scenes[np.argsort(scenes[:, 1] - scenes[:, 0], kind="stable")]
        batches.append(scene_batches(unit_scenes(ascending, rules), rules)[0])
    return errors_with_own_means(good, [0.0] * runs, 0.05, n, np.array(batches))


@pytest.mark.slow("thousands of studies: adds sorted files")
def test_a_sorted_file_of_scenes_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would in the same order for all files: that may put the best scenes first in each."""
    assert_at_most(errors_of_sorted_files(), 1000, 0.05)

    def always(scenes: Floats) -> Floats:
        return scenes[np.random.default_rng(0).permutation(len(scenes))]

    monkeypatch.setattr(scenes_module, "mixed", always)
    with pytest.raises(AssertionError):
        assert_at_most(errors_of_sorted_files(), 1000, 0.05)


def test_the_order_of_scenes_is_drawn_by_which_there_are() -> None:
    """Given these, it is the same however they are ordered: independent ones stay so."""
    rng = np.random.default_rng(2)
    scenes, others = rng.random((2, 9, 2))
    places = rng.permutation(9)
    found, elsewhere = (scenes_module.mixed(own) for own in (scenes, scenes[places]))
    order = [int(np.flatnonzero((scenes == own).all(axis=1))[0]) for own in found]

    np.testing.assert_array_equal(elsewhere, scenes[places][order])
    assert not np.array_equal(scenes_module.mixed(others), others[order])
    rules = Rules.of(n_max=9, design="paired")
    (batches,) = scene_batches(unit_scenes(np.sort(scenes, axis=0), rules), rules)
    assert list(batches) != list(scene_batches(np.sort(scenes, axis=0), rules)[0])


def worst_batch() -> float:
    """Return the evidence after a batch that costs most, after pairs that invite large bets."""
    own: dict[str, Any] = {"proxy_mean": 0.9, "proxy_batches": [[0.9] * 60 + [-1.0]]}
    rules = pair_rules(
        alternative="greater", method="nscore-plus", n_max=61, design="paired", alpha=1e-12, **own
    )
    won = np.arange(60) % 3 > 0
    r0, r1 = np.append(np.zeros(60), 0.5), np.append(won * 1.0, 0.5)
    proxy = np.zeros((1, 61)), np.append(np.where(won, 1.0, 0.7), 0.9)[None]
    return float(run_studies(rules, r0[None], r1[None], proxy=proxy, workers=1).log_e[0])


def test_the_worst_batch_leaves_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """And would not, if bets forgot what the batch alone may lose."""
    assert np.isfinite(worst_batch())
    monkeypatch.setattr(Proxied, "_widened", lambda _, weight, mean: weight * (1 - mean))
    with pytest.warns(RuntimeWarning, match="invalid value"):  # the logarithm of what is below 0
        worst_batch()


def other(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """Scenes in which the proxy favours policy 0 more than in those that its mean is of."""
    r0, r1, g0, g1 = good(rng, shape)
    return r0, r1, np.maximum(g0, rng.random(shape) < 0.4), g1


def test_scenes_that_differ_from_the_simulated_ones_break_it() -> None:
    """Where policy 0 does better in simulation there than here, policy 1 seems to win."""
    with pytest.raises(AssertionError):
        assert_at_most(errors(studies(other, proxy_mean=0.0)), RUNS, 0.05)


def test_a_mean_taken_from_the_real_scenes_would_be_caught() -> None:
    """What the proxy says then adds up to nothing, but its noise counts as explained."""
    _, _, g0, g1 = good(np.random.default_rng(24), (RUNS, N))
    means = (g1 - g0).mean(axis=1).tolist()

    with pytest.raises(AssertionError):
        assert_at_most(errors_with_own_means(good, means, 0.05, N), RUNS, 0.05)
