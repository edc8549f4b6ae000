"""Guesses and resampling: what is drawn has the distribution that is said."""

import numpy as np
import pytest

from stopwise.core.readings.scale import Scale
from stopwise.planning.guesses import Guess, as_guess
from stopwise.planning.populations import (
    WEIGHTS,
    Guessed,
    Population,
    Resampled,
    chances_of_weights,
)
from stopwise.planning.scenarios import GapFamily

SEEN = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, np.nan]])


@pytest.mark.parametrize(("mean", "deviation"), [(0.3, 0.1), (0.5, 0.49), (0.9, 0.05), (0.2, 0.39)])
def test_beta_has_the_mean_and_spread_asked_for(mean: float, deviation: float) -> None:
    """Also where nearly all its mass lies within rounding of 0 and 1."""
    guess = Guess.of_moments(mean, deviation)

    assert guess.mean == pytest.approx(mean, abs=1e-9)
    assert guess.deviation == pytest.approx(deviation, rel=2e-3)
    assert np.all(np.diff(guess.scores) >= 0)


def test_units_of_the_score() -> None:
    guess = as_guess((10.0, 5.0), Scale(-10.0, 30.0))
    levels = as_guess({0: 0.25, 5: 0.5, 10: 0.25}, Scale(0.0, 10.0))

    assert (guess.mean, guess.deviation) == pytest.approx((0.5, 0.125), rel=1e-3)
    assert levels.scores.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    "guess",
    [Guess.of_rate(0.3), Guess.of_moments(0.3, 0.2), as_guess({0: 0.5, 0.6: 0.5}, Scale(0, 1))],
)
def test_improved_policies_have_the_gap(guess: Guess) -> None:
    assert guess.improved(0.25).mean == pytest.approx(guess.mean + 0.25)
    assert guess.mixed(Guess.of_rate(0.9), 0.5).mean == pytest.approx((guess.mean + 0.9) / 2)


@pytest.mark.parametrize("count", range(5, 60, 6))
def test_shares_that_sum_past_one_by_rounding(count: int) -> None:
    """As of a pilot study with so many different scores; without the cut at 1 the search fails."""
    seen = Guess(np.linspace(0.1, 0.6, count), np.full(count, 1 / count))

    for gap in (1e-12, 1e-3, 0.2):
        assert 0 < GapFamily(seen, 2).at(gap).most_correlation <= 1


def test_draws_have_the_correlation_and_the_margins() -> None:
    population = Guessed((Guess.of_rate(0.3), Guess.of_moments(0.6, 0.2)), 0.4)
    scores = population.begin(np.random.default_rng(0), 2000).draw(20).reshape(-1, 2)

    assert scores.mean(axis=0) == pytest.approx([0.3, 0.6], abs=0.01)
    assert np.corrcoef(scores[:, 0], scores[:, 1])[0, 1] == pytest.approx(0.4, abs=0.015)
    assert np.cov(scores.T) == pytest.approx(population.covariances, abs=0.005)


@pytest.mark.parametrize(
    "population",
    [
        Guessed((Guess.of_rate(0.3), Guess.of_rate(0.6)), 0.3),
        Resampled(SEEN),
        Resampled(SEEN, paired=True),
    ],
)
def test_trials_do_not_depend_on_how_calls_cut_them(population: Population) -> None:
    """Candidates of n_max share their random numbers; a study of the best draws in parts."""
    whole = population.begin(np.random.default_rng(7), 30)
    world = population.begin(np.random.default_rng(7), 30)
    parts = np.concatenate([world.draw(n) for n in (2, 4, 1)], axis=1)

    assert np.array_equal(whole.draw(7), parts)
    assert np.array_equal(whole.means, world.means)


def test_successes_are_resampled_by_their_posterior() -> None:
    """Of 2 in 5 and 3 in 4 successes: with trials of all, 5 in 9, and half of each outcome."""
    means = Resampled(SEEN).begin(np.random.default_rng(0), 20_000).means
    alike, chances = WEIGHTS[:, None], chances_of_weights(SEEN, paired=False)
    successes = np.array([2, 3]) + alike * 5 / 9 + 0.5
    trials = np.array([5, 4]) + alike + 1
    rates = successes / trials
    squares = rates * (1 - rates) / (trials + 1) + rates**2

    assert means.mean(axis=0) == pytest.approx(chances @ rates, abs=0.005)
    assert means.var(axis=0) == pytest.approx(chances @ squares - (chances @ rates) ** 2, rel=0.05)


def test_policies_are_taken_to_be_as_alike_as_they_look() -> None:
    """A fixed weight would understate clear gaps or be too hopeful about small ones."""
    alike = np.tile([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], (10, 1))
    apart = np.tile([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]], (10, 1))
    rows = np.stack([alike[:, 0], alike[:, 0] + 1e-3], axis=1)

    for paired in (False, True):
        likely = [chances_of_weights(scores, paired) @ WEIGHTS for scores in (alike, apart)]
        assert likely[0] > 30
        assert likely[1] < 8
    # In pairs a small gap is clear if every row shows it.
    assert chances_of_weights(rows, paired=True) @ WEIGHTS < 8
    assert chances_of_weights(rows, paired=False) @ WEIGHTS > 30


def test_rows_are_resampled_as_a_whole_in_the_paired_design() -> None:
    rows = np.array([[0.1, 0.3], [0.5, 0.7], [0.9, 1.0]])
    scores = Resampled(rows, paired=True).begin(np.random.default_rng(0), 500).draw(10)
    drawn = {tuple(row) for row in scores.reshape(-1, 2).tolist()}

    swapped = {tuple(row[::-1]) for row in rows.tolist()}
    assert drawn == {tuple(row) for row in rows.tolist()} | swapped


def test_resampled_scores_follow_the_truth_of_their_study() -> None:
    world = Resampled(SEEN).begin(np.random.default_rng(0), 300)

    assert np.abs(world.draw(3000).mean(axis=1) - world.means).max() < 0.05


def test_families_of_gaps_stay_within_the_bounds() -> None:
    centred = GapFamily(None, 3)
    improving = GapFamily(Guess.of_rate(0.7), 2)

    assert [guess.mean for guess in centred.at(0.5).guesses] == [0.0, 0.5, 1.0]
    assert centred.largest == 0.5
    assert improving.largest == pytest.approx(0.3)
    assert improving.at(improving.largest).guesses[1].mean == pytest.approx(1.0)
