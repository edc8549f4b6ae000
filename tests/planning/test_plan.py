"""Plans against exact computation, closed forms and an independent slow simulation."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.barnard import barnard_region
from stopwise.core.rules import Rules
from stopwise.planning import studies
from stopwise.planning.fixed_sample import PAIRED_T, barnard_power, t_test_power
from stopwise.planning.guesses import Guess
from stopwise.planning.populations import Guessed
from stopwise.planning.studies import OrderStudy
from stopwise.questions.pairs import PairStates, replay

RATES = [(0.3, 0.6), (0.5, 0.6), (0.9, 0.7)]


@pytest.mark.parametrize("rates", RATES)
def test_step_agrees_with_its_dynamic_programme(rates: tuple[float, float]) -> None:
    """Studies simulated here, probabilities carried backward in ``StepDesign``."""
    plan = sw.plan(*rates, method="step", n_max=[20, 40], ties="paper", detectable=False)

    for row in plan.rows:
        design = sw.step_design(0.05, row.n_max)
        power, wrong = (float(design.power(*sorted(rates)[::way])) for way in (1, -1))
        assert row.power == pytest.approx(power, abs=4 * row.power_error)
        assert row.wrong == pytest.approx(wrong, abs=0.02)
        assert row.mean_n == pytest.approx(float(design.expected_n(*rates)), rel=0.08)
        assert row.power + row.wrong + row.undecided == pytest.approx(1.0)
        assert row.chance_by[-1] == pytest.approx(row.power)


def test_simulated_rows_agree_with_a_slow_simulation() -> None:
    """One stream at a time through ``SequentialTest``, with scores drawn by numpy's own beta."""
    row = sw.plan((0.3, 0.2), (0.55, 0.25), n_max=25, detectable=False).rows[0]
    rng = np.random.default_rng(11)
    studies, found, used = 200, 0, []
    for _ in range(studies):
        test = sw.SequentialTest("nscore-plus", n_max=25, alternative="two-sided", ties="strict")
        pairs = zip(beta(rng, 0.3, 0.2, 25), beta(rng, 0.55, 0.25, 25), strict=True)
        for score0, score1 in pairs:
            if test.update(score0, score1).decided:
                break
        found += test.verdict.decision is sw.Decision.POLICY1
        used.append(test.verdict.n)

    assert stats.binomtest(found, studies, row.power).pvalue > 0.001
    assert abs(np.mean(used) - row.mean_n) < 4 * np.std(used) / np.sqrt(studies)
    assert row.power_error <= 0.015
    assert row.mean_n_error <= 0.03 * row.mean_n


@pytest.mark.parametrize(
    "settings",
    [{}, {"alternative": "less"}, {"futility": "binding"}, {"equivalence": 0.2}, {"list_size": 60}],
)
@pytest.mark.parametrize("design", ["independent", "paired"])
def test_the_simulator_and_the_replay_of_pairs_plan_alike(
    settings: dict[str, Any], design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two policies go through the faster one, studies with a past through the other."""
    rules = Rules.of(policies=("a", "b"), n_max=40, design=design, **settings)
    study = OrderStudy(rules, Guessed((Guess.of_rate(0.4), Guess.of_rate(0.6))))
    fast = study.simulate(np.random.SeedSequence(2), 200)

    def replayed(_: Rules, scores: Floats) -> PairStates:
        return replay(study.comparison, study.budget, scores, with_p_values=False)

    monkeypatch.setattr(studies, "_TwoPolicies", replayed)
    slow = study.simulate(np.random.SeedSequence(2), 200)
    for name, first in vars(fast).items():
        assert np.array_equal(first, getattr(slow, name)), name


def beta(rng: np.random.Generator, mean: float, deviation: float, n: int) -> list[float]:
    weight = mean * (1 - mean) / deviation**2 - 1
    drawn: list[float] = rng.beta(mean * weight, (1 - mean) * weight, n).tolist()
    return drawn


def test_many_policies_agree_with_a_slow_simulation() -> None:
    """Study by study through ``analyze``, all pairs with Holm's adjustment."""
    rates = (0.1, 0.5, 0.9)
    row = sw.plan(*rates, n_max=40, detectable=False).rows[0]
    rng = np.random.default_rng(3)
    studies, right, trials, shares = 40, 0, [], []
    for _ in range(studies):
        scores = {str(rate): (rng.random(40) < rate) * 1.0 for rate in rates}
        analysis = sw.analyze(scores, n_max=40)
        order = {("0.1", "0.5"): "0.5", ("0.1", "0.9"): "0.9", ("0.5", "0.9"): "0.9"}
        right += all(pair.better == order[pair.policy0, pair.policy1] for pair in analysis.pairs)
        trials.append(analysis.trials_used)
        shares.append(np.mean([pair.better is not None for pair in analysis.pairs]))

    assert stats.binomtest(right, studies, row.power).pvalue > 0.001
    assert abs(np.mean(trials) - row.mean_trials) < 4 * np.std(trials) / np.sqrt(studies)
    assert abs(np.mean(shares) - row.pair_power) < 4 * np.std(shares) / np.sqrt(studies) + 0.01


@pytest.mark.parametrize("level", [0.05, 0.025])
def test_barnard_region_is_that_of_scipy(level: float) -> None:
    n = 9
    region = barnard_region(n, level)

    for x0 in range(n + 1):
        for x1 in range(n + 1):
            table = [[x1, x0], [n - x1, n - x0]]
            p_value = stats.barnard_exact(table, alternative="greater").pvalue
            assert region[x0, x1] == (p_value <= level)


def test_barnard_power_is_the_probability_of_its_region_and_goes_over_into_its_limit() -> None:
    chance0, chance1 = (stats.binom.pmf(np.arange(31), 30, rate) for rate in (0.4, 0.65))
    expected = chance0 @ barnard_region(30, 0.05) @ chance1

    assert barnard_power(30, 0.4, 0.65, 0.05) == pytest.approx(expected)
    exact, limit = (barnard_power(n, 0.5, 0.6, 0.05) for n in (300, 301))
    assert exact == pytest.approx(limit, abs=0.02)


def test_power_of_t_tests_is_that_of_their_simulation() -> None:
    population = Guessed((Guess.of_moments(0.4, 0.2), Guess.of_moments(0.55, 0.25)))
    power = t_test_power(25, population, 0.05, paired=False)
    scores = population.begin(np.random.default_rng(1), 4000).draw(25)
    welch = {"axis": 1, "equal_var": False, "alternative": "greater"}
    p_values = stats.ttest_ind(scores[..., 1], scores[..., 0], **welch).pvalue

    assert np.mean(p_values <= 0.05) == pytest.approx(power, abs=0.03)

    paired = Guessed(population.guesses, 0.5)
    power = t_test_power(15, paired, 0.05, paired=True)
    scores = paired.begin(np.random.default_rng(1), 4000).draw(15)
    p_values = stats.ttest_rel(scores[..., 1], scores[..., 0], axis=1, alternative="greater").pvalue
    assert np.mean(p_values <= 0.05) == pytest.approx(power, abs=0.03)


def test_smallest_gap_has_the_power_wanted() -> None:
    simulated = sw.plan(0.3, 0.6, n_max=40, power=0.7).detectable[0]

    assert simulated.gap is not None
    again = sw.plan(0.3, 0.3 + simulated.gap, n_max=40, detectable=False, seed=9)
    assert again.rows[0].power == pytest.approx(0.7, abs=0.06)
    assert 0 < simulated.gap_error < 0.02


def test_a_plan_depends_on_its_seed_and_not_on_its_neighbours() -> None:
    """Chunks of several n_max have the same seed: what one spawns from it must not move another."""
    settings: dict[str, Any] = {"design": "paired", "correlation": 0.4, "detectable": False}
    both = sw.plan(0.3, 0.7, n_max=[5, 10], **settings)

    assert sw.plan(0.3, 0.7, n_max=[5, 10], **settings).to_json() == both.to_json()
    assert sw.plan(0.3, 0.7, n_max=10, **settings).rows == both.rows[1:]
    assert sw.plan(0.3, 0.7, n_max=[5, 10], seed=5, **settings).to_json() != both.to_json()


def test_correlation_and_budget_and_hours() -> None:
    apart = sw.plan(0.4, 0.6, budget=80, design="paired", minutes_per_trial=3, detectable=False)
    close = sw.plan(0.4, 0.6, budget=80, design="paired", correlation=0.6, detectable=False)
    row = apart.table()[0]

    assert row["n_max"] == 40
    assert close.rows[0].power > apart.rows[0].power + 0.1
    assert row["most_hours"] == 4.0
    assert row["mean_hours"] == pytest.approx(row["mean_trials"] / 20)
    assert close.rows[0].fixed_test == PAIRED_T


def test_pilot_is_resampled_with_its_uncertainty() -> None:
    rng = np.random.default_rng(2)
    scores = {"a": rng.beta(2, 3, 12), "b": rng.beta(3, 2, 12)}
    row = sw.plan(pilot=scores, n_max=60, detectable=False).rows[0]
    certain = [(float(np.mean(values)), float(np.std(values))) for values in scores.values()]
    sure = sw.plan(*certain, n_max=60, detectable=False).rows[0]

    # What is not known spreads the power: some truths are clear, some are close to ties.
    assert sure.power > 0.95
    assert 0.3 < row.power < sure.power - 0.02
    assert row.wrong < 0.02
    assert "a 0.4" in row.scenario


@pytest.mark.parametrize(
    ("method", "promised"),
    [
        ("savi", "whether or not they hold, the chance of a false claim is at most 0.05 ("),
        ("step", "is at most 0.05, given success rates that stay the same throughout ("),
    ],
)
def test_the_sentence_says_what_the_method_promises(method: str, promised: str) -> None:
    plan = sw.plan(0.1, 0.9, method=method, n_max=10, detectable=False, precision=0.1)

    assert promised in plan.sentence
    assert "whatever is true" not in plan.sentence


def test_bounds_from_the_pilots_data_void_the_promise() -> None:
    columns = {"policy": ["a", "b"] * 8, "score": [20.0, 50.0, 50.0, 30.0] * 4}
    inferred = sw.read_trials(columns, bounds="data")
    quick = partial(sw.plan, pilot=inferred, n_max=10, detectable=False, precision=0.1)
    midway = partial(sw.forecast, inferred, n_max=12, precision=0.1)

    for found in (quick(), midway()):
        assert found.bounds_inferred
        assert json.loads(found.to_json())["bounds_inferred"]
        assert "nothing is guaranteed, since the bounds were taken from the data" in found.sentence
        assert "at most 0.05" not in found.sentence
        assert "bounds: taken from the data, which voids the guarantee" in found.notes
    assert "the chance of a false claim is at most 0.05 (" in quick(bounds=(0, 100)).sentence
    assert "reason you stop, the chance of a false claim is at most 0.05." in str(
        midway(bounds=(0, 100))
    )


@pytest.mark.parametrize(
    ("guesses", "settings", "line"),
    [
        ((0.4, 0.6), {"power": 1.2}, "power must lie strictly between alpha = 0.05 and 1"),
        ((0.5, 0.5), {}, "nothing to plan: with means 0.5, 0.5 no claim"),
        ((0.4, 1.3), {}, r"a success rate must lie in \[0, 1\], but got 1.3"),
        ((0.7,), {"gaps": [0.4]}, "within the bounds, at most 0.3, but got 0.4"),
        ((), {"gaps": [0.0]}, "a gap must be above 0"),
        ((0.4, 0.6), {"gaps": [0.2]}, "gaps cannot be combined with so many guesses"),
        (((0.5, 0.6), (0.6, 0.1)), {}, r"below 0.5 \(success or failure only\), but got 0.6"),
        (({0: 0.5, 1: 0.4}, 0.5), {}, "that sum to 1, but got {0: 0.5, 1: 0.4}"),
        (({2: 1.0}, 0.5), {}, r"milestones need scores in \[0, 1\]"),
        (("half", 0.5), {}, "a guess must be a success rate"),
        (([0] * 99, 0.5), {}, r"but got \[0, [0, ]+\.\.\.$"),
        ((0.4, 0.6), {"bounds": (0, 5)}, r"a success rate needs bounds \(0, 1\)"),
        ((0.4, 0.6), {"n_max": 1}, "n_max must be a whole number from 2 to 100000"),
        ((0.4, 0.6), {"n_max": []}, "n_max needs at least one candidate"),
        ((0.4, 0.6), {"n_max": 10, "budget": 20}, "either n_max or budget"),
        ((0.4, 0.6), {"budget": 3}, "budget must be a whole number of at least 4"),
        ((0.4, 0.6), {"correlation": 0.3}, "needs design='paired'"),
        ((0.1, 0.9), {"correlation": 0.9, "design": "paired"}, "correlation from 0 to 0.111"),
        ((0.6, 0.4), {"alternative": "greater"}, "with means 0.6, 0.4 no claim"),
        ((0.4, 0.6, 0.7), {"alternative": "greater"}, "compared in both directions"),
        ((0.4, 0.6), {"minutes_per_trial": 0}, "minutes_per_trial must be above 0"),
        ((0.4, 0.6, 0.7), {"policies": 5}, "give 2 guesses, or one for each of the 5"),
        (((0.4, 0.2), 0.6), {"method": "step"}, "step takes success or failure only"),
        ((0.4, 0.6), {"pilot": {"a": [0, 1], "b": [1, 1]}}, "either guesses or a pilot"),
        ((), {"pilot": {"a": [0, 1]}}, "at least 2 policies"),
        ((), {"pilot": {"a": [0], "b": [1, 1]}}, "at least 2 trials of each policy"),
        ((0.4, 0.6), {"n_max": 10, "goal": "nonsense"}, "goal must be one of order, best"),
        ((0.4, 0.6), {"precision": 0}, "precision must lie between"),
    ],
)
def test_impossible_input_has_one_clear_line(
    guesses: tuple[Any, ...], settings: dict[str, Any], line: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=line) as error:
        sw.plan(*guesses, **settings)

    assert "\n" not in str(error.value)


def test_an_n_max_that_cannot_decide_is_named() -> None:
    notes = sw.plan(0.1, 0.9, n_max=[6, 40], alpha=0.001, precision=0.1, detectable=False).notes
    small = [note for note in notes if "too small" in note]
    assert len(small) == 1
    assert small[0].startswith("n_max = 6 is too small for alpha 0.001: nothing could be decided")


def test_no_gap_within_the_bounds_is_said_in_words() -> None:
    """Three policies from .5 upwards are at most .25 apart, too little for so few trials."""
    made = sw.plan(0.5, policies=3, n_max=10, precision=0.05)

    assert "is none at n_max = 10." in str(made)
