"""The promise with a proxy: whatever it says, equal policies are told apart with at most alpha.

The proofs are in ``docs/design/proxy.md``. Each assumption has a test that shows what breaks
without it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core import proxy as proxy_module
from stopwise.core.arrays import Floats
from stopwise.core.comparison import Comparison
from stopwise.core.nscore_plus import Proxied
from stopwise.core.pair_rules import pair_rules
from stopwise.core.proxy import bounds_of_pairs, scene_bounds, unlike_chance
from stopwise.core.rules import Rules
from stopwise.core.scene_watch import SceneTests, WatchState
from stopwise.core.simulate import Simulation
from stopwise.questions.pairs import replay
from stopwise.questions.ranking import Ranking
from tests.guarantees.pinned import assert_at_most

RUNS, N = 2000, 100
Scene = tuple[Floats, Floats, Floats, Floats]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Scene]


def coins(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Success or failure of equal policies."""
    return (rng.random(shape) < 0.6) * 1.0, (rng.random(shape) < 0.6) * 1.0


def useless(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that knows nothing, and prefers policy 1: G = .3."""
    return *coins(rng, shape), (rng.random(shape) < 0.3) * 1.0, (rng.random(shape) < 0.6) * 1.0


def good(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that is right in nine of ten trials."""
    r0, r1 = coins(rng, shape)
    g0, g1 = (np.where(rng.random(shape) < 0.9, r, rng.random(shape) < 0.6) for r in (r0, r1))
    return r0, r1, g0, g1


def wrong_sign(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that says the opposite."""
    r0, r1, g0, g1 = good(rng, shape)
    return r0, r1, 1 - g0, 1 - g1


def biased(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A good proxy through an affine map of its own for each policy: G = .34."""
    r0, r1, g0, g1 = good(rng, shape)
    return r0, r1, 0.1 + 0.4 * g0, 0.5 + 0.3 * g1


def adversarial(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """A proxy that agrees with small differences, and is worst where policy 1 loses all."""
    r0, r1 = np.clip(rng.normal(0.5, 0.15, (2, *shape)), 0, 1)
    lost = rng.random(shape) < 0.02
    won = rng.random(shape) < 0.02
    r0, r1 = (
        np.where(lost, 1.0, np.where(won, 0.0, r0)),
        np.where(lost, 0.0, np.where(won, 1.0, r1)),
    )
    return r0, r1, np.where(lost, 0.0, r0), np.where(lost, 1.0, r1)


# By name: the scenes, and the mean of g1 - g0.
PROXIES: dict[str, tuple[Draw, float]] = {
    "useless": (useless, 0.3),
    "good": (good, 0.0),
    "wrong in sign": (wrong_sign, 0.0),
    "biased": (biased, 0.5 + 0.3 * 0.6 - 0.1 - 0.4 * 0.6),
    "adversarial": (adversarial, 0.04),
}


def studies(draw: Draw, runs: int = RUNS, **settings: Any) -> Simulation:
    r0, r1, g0, g1 = draw(np.random.default_rng(24), (runs, N))
    usual = {"method": "nscore-plus", "n_max": N, "design": "paired", "workers": 1}
    return sw.simulate(scores0=r0, scores1=r1, proxy=(g0, g1), **{**usual, **settings})


def errors(found: Simulation) -> int:
    return int((found.decision >= 0).sum())


@pytest.mark.parametrize("name", PROXIES)
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_no_proxy_breaks_the_level(name: str, alternative: str) -> None:
    """Catches a weight that has seen the pair (shown below)."""
    draw, mean = PROXIES[name]
    found = studies(draw, alternative=alternative, ties="strict", proxy_mean=mean)

    assert_at_most(errors(found), RUNS, 0.05)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_max": None},
        {"alpha": 0.002},
        {"last_look": "randomised", "seed": 3},
        {"deadline": False},
    ],
    ids=str,
)
def test_it_holds_under_other_plans(settings: dict[str, Any]) -> None:
    found = studies(good, proxy_mean=0.0, **settings)

    assert_at_most(errors(found), RUNS, settings.get("alpha", 0.05))


@pytest.mark.parametrize("margin", [-0.1, 0.1])
def test_it_holds_at_the_edge_of_a_margin(margin: float) -> None:
    def edge(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
        r0, level = (rng.random(shape) < 0.5) * 1.0, rng.random(shape)
        r1 = (level < 0.5 + margin) * 1.0
        return r0, r1, r0, (level < 0.5) * 1.0

    found = studies(edge, margin=margin, proxy_mean=0.0)

    assert_at_most(errors(found), RUNS, 0.05)


@pytest.mark.parametrize("name", ["good", "biased"])
def test_it_holds_in_the_independent_design(name: str) -> None:
    """Bets are those on differences, which assume nothing of how scenes go together."""
    draw, mean = PROXIES[name]
    found = studies(draw, design="independent", proxy_mean=mean)
    paired = studies(draw, proxy_mean=mean)

    assert_at_most(errors(found), RUNS, 0.05)
    np.testing.assert_array_equal(found.log_e, paired.log_e)
    with pytest.raises(AssertionError):  # what the mean of another proxy would do
        assert_at_most(
            errors(studies(draw, design="independent", proxy_mean=mean + 0.2)), RUNS, 0.05
        )


def errors_with_own_means(draw: Draw, means: list[float], alpha: float, n: int) -> int:
    """Return the errors of studies that each declare a mean of their own."""
    rules = pair_rules(method="nscore-plus", alpha=alpha, n_max=n, design="paired", proxy_mean=0.0)
    comparison = Comparison(rules)
    of_each: Any = tuple((mean,) for mean in means)
    assert isinstance(comparison.test, Proxied)
    test = replace(comparison.test, proxy_means=of_each)
    r0, r1, g0, g1 = draw(np.random.default_rng(24), (len(means), n))
    state, wrong = test.start((len(means), 1)), np.zeros((len(means), 1), dtype=bool)
    for scores0, scores1 in zip(np.stack((r0, g0)).T, np.stack((r1, g1)).T, strict=True):
        state = test.step(state, *comparison.directed(scores0.T, scores1.T))
        wrong |= test.evidence(state).rejected
    return int(wrong.sum())


def scenes_of_studies(runs: int, scenes: int) -> Floats:
    """Return simulated scenes (runs, scenes, 2), of their own for each study."""
    _, _, g0, g1 = biased(np.random.default_rng(7), (runs, scenes))
    return np.stack((g0, g1), axis=-1)


def test_an_unknown_mean_is_bounded_by_simulated_scenes() -> None:
    """A twentieth of alpha is for the bounds, the rest for the test."""
    lows = [scene_bounds(own, Rules(), 0.0025)[0][0] for own in scenes_of_studies(RUNS, 300)]

    assert_at_most(errors_with_own_means(biased, lows, 0.0475, 300), RUNS, 0.05)
    assert_at_most(sum(low > PROXIES["biased"][1] for low in lows), RUNS, 0.0025)


VALUES: dict[str, Callable[[np.random.Generator], Floats]] = {
    "rare": lambda rng: (rng.random((1000, 80)) < 0.03) * 1.0,
    "frequent": lambda rng: (rng.random((1000, 80)) < 0.97) * 1.0,
    "even": lambda rng: (rng.random((1000, 80)) < 0.5) * 1.0,
    "steady": lambda rng: rng.beta(20, 20, (1000, 80)),
}
MEANS = {"rare": 0.03, "frequent": 0.97, "even": 0.5, "steady": 0.5}


@pytest.mark.parametrize("name", VALUES)
def test_bounds_of_a_mean_hold_for_any_scores(name: str) -> None:
    """Also if the file is sorted."""
    values = np.sort(VALUES[name](np.random.default_rng(4)), axis=1)[:, ::-1]
    scenes = np.stack((np.zeros_like(values), values), axis=-1)
    bounds = np.array([scene_bounds(own, Rules(), 0.05)[0] for own in scenes])

    assert_at_most(int((bounds[:, 0] > MEANS[name]).sum()), 1000, 0.05)
    assert_at_most(int((bounds[:, 1] < MEANS[name]).sum()), 1000, 0.05)


def test_a_bound_half_as_far_away_would_be_caught() -> None:
    values = VALUES["even"](np.random.default_rng(4))
    means = values.mean(axis=1)
    lows = np.array([proxy_module.least_mean(own, 0.05) for own in values])

    with pytest.raises(AssertionError):
        assert_at_most(int((0.5 * (lows + means) > 0.5).sum()), 1000, 0.05)


def claims_of_equal(means: dict[str, float]) -> int:
    """Return how many studies of three equal policies claim any order, under these means."""
    rng = np.random.default_rng(24)
    scores = (rng.random((RUNS, N, 3)) < 0.5) * 1.0
    guesses = scores * [0.9, 0.5, 0.6] + [0.0, 0.5, 0.1]  # one map per policy, all wrong
    rules = Rules.of(policies=("a", "b", "c"), n_max=N, design="paired", proxy_mean=means)
    ranking = Ranking(rules)
    both = np.stack([scores, guesses])
    found = replay(ranking.comparison, ranking.budget, both, with_p_values=False)
    return int(found.claims.any(axis=(1, 2)).sum())


def test_no_proxy_breaks_the_level_of_several_policies() -> None:
    assert_at_most(claims_of_equal({"a": 0.45, "b": 0.75, "c": 0.4}), RUNS, 0.05)


def test_means_of_other_policies_would_be_caught() -> None:
    with pytest.raises(AssertionError):
        assert_at_most(claims_of_equal({"a": 0.75, "b": 0.45, "c": 0.4}), RUNS, 0.05)


def test_an_estimate_in_place_of_the_bound_would_be_caught() -> None:
    means = [float((own[:, 1] - own[:, 0]).mean()) for own in scenes_of_studies(RUNS, 50)]

    with pytest.raises(AssertionError):
        assert_at_most(errors_with_own_means(biased, means, 0.05, 300), RUNS, 0.05)


def test_the_test_runs_at_what_the_bounds_leave() -> None:
    settings: dict[str, Any] = {"design": "paired", "alternative": "two-sided", "ties": "strict"}
    scenes = scenes_of_studies(1, 300)[0]
    rules = pair_rules(scenes, method="nscore-plus", n_max=N, **settings)

    assert bounds_of_pairs(rules) == scene_bounds(scenes, Rules(), 0.05 * 0.05 / 2)
    assert Comparison(rules).test.alpha == pytest.approx(0.95 * 0.05 / 2)


def other(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
    """Scenes in which the proxy favours policy 0 more than in those that its mean is of."""
    r0, r1, g0, g1 = good(rng, shape)
    return r0, r1, np.maximum(g0, rng.random(shape) < 0.4), g1


def ever_doubted(draw: Draw, mean: float, n: int = N, level: float = 0.01) -> int:
    """Return in how many studies it is ever said that scenes differ, in one direction."""
    rules = pair_rules(method="nscore-plus", n_max=n, design="paired", proxy_mean=mean)
    test = Comparison(rules).test
    assert isinstance(test, Proxied)
    tests = SceneTests.of(test, 0, level)
    _, _, g0, g1 = draw(np.random.default_rng(5), (RUNS, n))
    watch = tests.start((RUNS,))
    for guesses0, guesses1 in zip(g0.T[..., None] * 1.0, g1.T[..., None] * 1.0, strict=True):
        watch = tests.step(watch, guesses0, guesses1)
    return int(tests.differ(watch).sum())


@pytest.mark.parametrize("name", PROXIES)
def test_scenes_as_simulated_are_hardly_ever_doubted(name: str) -> None:
    draw, mean = PROXIES[name]

    assert_at_most(ever_doubted(draw, mean), RUNS, 0.01)


def test_a_doubt_that_forgets_pairs_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in three of those in which the proxy prefers policy 1."""
    rng = np.random.default_rng(6)

    def picky(self: SceneTests, watch: WatchState, guesses0: Floats, guesses1: Floats) -> Any:
        forgotten = (guesses1 > guesses0) & (rng.random(guesses0.shape) < 1 / 3)
        return honest(self, watch, guesses0, np.where(forgotten, guesses0, guesses1))

    honest = SceneTests.step
    monkeypatch.setattr(SceneTests, "step", picky)
    with pytest.raises(AssertionError):
        assert_at_most(ever_doubted(*PROXIES["good"]), RUNS, 0.01)


def test_scenes_that_differ_are_doubted() -> None:
    """Of .16 in a third of studies of a hundred pairs, in most of three hundred; and it is said."""
    assert ever_doubted(other, 0.0, level=0.005) > 0.25 * RUNS
    assert ever_doubted(other, 0.0, 300, level=0.005) > 0.8 * RUNS
    r0, r1, g0, g1 = (part[0] for part in other(np.random.default_rng(2), (1, 300)))
    test = sw.SequentialTest(design="paired", proxy_mean=0.0)
    for pair in range(300):
        verdict = test.update(r0[pair], r1[pair], proxy=(g0[pair], g1[pair]))
    assert verdict.scenes_differ
    assert "different from the simulated ones" in str(verdict)
    means = {"a": 0.5, "b": 0.5}
    columns, guesses = {"a": r0, "b": r1}, {"a": g0, "b": g1}
    found = sw.analyze(columns, design="paired", proxy=guesses, proxy_mean=means)
    assert any("different from the simulated ones" in doubt for doubt in found.doubts)


def test_a_proxy_chosen_after_the_data_breaks_it() -> None:
    """Of ten that are equally good, the one that decides."""
    rng = np.random.default_rng(9)
    r0, r1 = coins(rng, (500, N))
    wrong = np.zeros(500, dtype=bool)
    for _ in range(10):
        same, (f0, f1) = rng.random((2, *r0.shape)) < 0.6, coins(rng, r0.shape)
        proxy = np.where(same[0], r0, f0), np.where(same[1], r1, f1)
        own: dict[str, Any] = {"proxy": proxy, "proxy_mean": 0.0, "n_max": N, "design": "paired"}
        found = sw.simulate("nscore-plus", r0, r1, **own)
        wrong |= found.decision >= 0
    with pytest.raises(AssertionError):
        assert_at_most(int(wrong.sum()), 500, 0.05)


def test_scenes_that_differ_from_the_simulated_ones_break_it() -> None:
    """Where policy 0 does better in simulation there than here, policy 1 seems to win."""
    with pytest.raises(AssertionError):
        assert_at_most(errors(studies(other, proxy_mean=0.0)), RUNS, 0.05)


def errors_in_order(*, by_outcome: bool) -> int:
    """Return the errors where of each twenty scenes those that suit policy 1 are put first, or not.

    Each scene is used once.
    """

    def ordered(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
        scenes = np.stack(good(rng, shape))
        parts = scenes.reshape(4, shape[0], -1, 20)
        gain = parts[1] - parts[0] if by_outcome else rng.random(parts.shape[1:])
        order = np.argsort(-gain, axis=-1, kind="stable")[None]
        r0, r1, g0, g1 = np.take_along_axis(parts, order, axis=-1).reshape(scenes.shape)
        return r0, r1, g0, g1

    return errors(studies(ordered, proxy_mean=0.0))


def test_an_order_that_depends_on_outcomes_breaks_it() -> None:
    """As if scenes in which policy 1 lost were put off and written down later."""
    assert_at_most(errors_in_order(by_outcome=False), RUNS, 0.05)
    with pytest.raises(AssertionError):
        assert_at_most(errors_in_order(by_outcome=True), RUNS, 0.05)


def test_a_mean_taken_from_the_real_scenes_would_be_caught() -> None:
    """What the proxy says then adds up to nothing, but its noise counts as explained."""
    _, _, g0, g1 = good(np.random.default_rng(24), (RUNS, N))
    means = (g1 - g0).mean(axis=1).tolist()

    with pytest.raises(AssertionError):
        assert_at_most(errors_with_own_means(good, means, 0.05, N), RUNS, 0.05)


def test_a_weight_chosen_after_the_pair_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def afterwards(self: Proxied, state: Any, r0: Floats, r1: Floats) -> Any:
        after = honest(self, state, r0, r1)
        hint = after.hint - state.hint
        worse = after.weight * np.maximum(hint, 0.0)  # left out where it would cost
        gain = np.log1p(after.amount * worse / np.exp(after.log_e - state.log_e))
        return after._replace(log_e=after.log_e + gain)

    honest = Proxied.step
    monkeypatch.setattr(Proxied, "step", afterwards)

    with pytest.raises(AssertionError):
        assert_at_most(errors(studies(good, proxy_mean=0.0)), RUNS, 0.05)


def test_intervals_cover_with_a_proxy() -> None:
    """The interval agrees with the decision, and holds the true difference, here .1."""
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(30):
        level0, level1 = rng.random((2, 60))
        r0, r1 = (level0 < 0.5) * 1.0, (level1 < 0.6) * 1.0
        test = sw.SequentialTest(n_max=60, design="paired", proxy=True, proxy_mean=0.0)
        verdict = test.run(r0, r1, proxy=(r0, (level1 < 0.5) * 1.0))
        assert (verdict.interval.low > 0) == (verdict.decision == sw.Decision.POLICY1)
        missed += verdict.interval.low > 0.1
    assert_at_most(missed, 30, 0.05)


JUDGES: dict[str, Draw] = {
    "useless": useless,
    "good": good,
    "wrong in sign": wrong_sign,
    "biased": biased,
    "adversarial": adversarial,
}


def audited(draw: Draw, chance: float, *, by_judge: bool = False, **settings: Any) -> int:
    """Return the errors of studies in which people score a random share of the pairs.

    With ``by_judge``, those where the judge prefers policy 1 are audited more often than others.
    """
    rng = np.random.default_rng(24)
    r0, r1, f0, f1 = draw(rng, (RUNS, N))
    tilt = 0.5 * np.sign(f1 - f0) if by_judge else 0.0
    asked = rng.random((RUNS, N)) < chance * (1 + tilt)
    scores = [np.where(asked, own, np.nan) for own in (r0, r1)]
    usual: dict[str, Any] = {"n_max": N, "design": "paired", "workers": 1, "ties": "strict"}
    return errors(
        sw.simulate("nscore-plus", *scores, proxy=(f0, f1), audit=chance, **{**usual, **settings})
    )


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("chance", [0.3, 0.8])
def test_no_judge_breaks_the_level(name: str, chance: float) -> None:
    found = audited(JUDGES[name], chance, alternative="two-sided")

    assert_at_most(found, RUNS, 0.05)


@pytest.mark.parametrize("margin", [-0.1, 0.1])
def test_audits_hold_at_the_edge_of_a_margin(margin: float) -> None:
    def edge(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
        r0, level = (rng.random(shape) < 0.5) * 1.0, rng.random(shape)
        return r0, (level < 0.5 + margin) * 1.0, r0, (level < 0.5) * 1.0

    assert_at_most(audited(edge, 0.5, margin=margin), RUNS, 0.05)


def test_audits_because_of_the_judge_would_be_caught() -> None:
    """Where the judge is right, policy 1 is seen to win more often than it does."""
    with pytest.raises(AssertionError):
        assert_at_most(audited(good, 0.5, by_judge=True), RUNS, 0.05)


def test_audits_because_of_the_judge_are_doubted() -> None:
    rng = np.random.default_rng(3)
    r0, r1, f0, f1 = (part[0] for part in good(rng, (1, 400)))
    asked = rng.random(400) < 0.5 * (1 - 0.5 * np.sign(f1 - f0))
    test = sw.SequentialTest(design="paired", audit=0.5, alternative="two-sided", ties="strict")
    for pair in range(400):
        scores = (r0[pair], r1[pair]) if asked[pair] else (None, None)
        verdict = test.update(*scores, proxy=(f0[pair], f1[pair]))
    assert verdict.scenes_differ
    assert "audited more often" in str(verdict)


def worst_pair(chance: float) -> float:
    """Return the evidence left by the pair that costs most, after pairs that invite large bets."""
    test = sw.SequentialTest(design="paired", audit=chance, alpha=1e-9)
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


def audits_doubted(chance: float, n: int = 200) -> int:
    """Return in how many studies audits with this chance contradict it."""
    drawn = np.random.default_rng(8).random((RUNS, n)) < chance
    return sum(unlike_chance(own, chance, 0.01) for own in drawn)


@pytest.mark.parametrize("chance", [0.05, 0.3, 0.8])
def test_random_audits_are_hardly_ever_doubted(chance: float) -> None:
    assert_at_most(audits_doubted(chance), RUNS, 0.01)


def test_forecasts_that_know_the_draw_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(drawn: Any) -> Floats:
        return np.roll(honest(drawn), -1, axis=1)

    honest = proxy_module._forecasts
    monkeypatch.setattr(proxy_module, "_forecasts", late)
    with pytest.raises(AssertionError):
        assert_at_most(audits_doubted(0.3), RUNS, 0.01)


def test_audits_in_the_wrong_places_are_doubted() -> None:
    """The first ones only, every third, and more at first than later."""
    places, rng = np.arange(100), np.random.default_rng(1)
    uneven = [rng.random(100) < np.where(places < 50, 0.6, 0.0) for _ in range(20)]
    assert unlike_chance(places < 30, 0.3, 0.01)
    assert unlike_chance(places % 3 == 0, 0.3, 0.01)
    assert sum(unlike_chance(own, 0.3, 0.01) for own in uneven) >= 18
