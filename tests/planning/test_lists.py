"""Plans for a fixed list of scenes: what is found out about the list, without replacement."""

import numpy as np
import pytest
from scipy import stats

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.planning import studies
from stopwise.planning.guesses import Guess
from stopwise.planning.populations import Guessed
from stopwise.planning.studies import BestStudy
from stopwise.rows.table import Table
from tests.cli.typed import run

SIZE = 40


def test_trials_are_those_of_lists_drawn_at_random() -> None:
    """Lists with .5 and .7 of successes on average, through the simulator; all are decided."""
    rng = np.random.default_rng(4)
    scores0, scores1 = rng.random((2000, SIZE)) < 0.5, rng.random((2000, SIZE)) < 0.7
    seen = sw.simulate("nscore-plus", scores0, scores1, list_size=SIZE)
    (row,) = sw.plan(0.5, 0.7, list_size=SIZE).rows

    assert (row.n_max, row.undecided) == (SIZE, 0.0)
    assert row.power > 0.97
    assert abs(seen.n.mean() - row.mean_n) < 4 * (row.mean_n_error + seen.n.std() / np.sqrt(2000))
    assert (seen.decision >= 0).all()


def test_the_right_verdict_is_that_of_the_list() -> None:
    """Equal rates are no tie on a list, and a limit below its length leaves some undecided."""
    equal = sw.plan(0.5, 0.5, list_size=20)
    assert "list of 30 scenes" in run("plan", "50%", "70%", "--list-size", "30", "--json")[1]
    assert equal.rows[0].power > 0.95
    assert equal.detectable == ()
    assert any("list of 20 scenes" in note for note in equal.notes)
    short = sw.plan(0.5, 0.7, list_size=100, n_max=30).rows[0]
    whole = sw.plan(0.5, 0.7, list_size=100).rows[0]
    plain = sw.plan(0.5, 0.7, n_max=100, detectable=False).rows[0]
    assert 0.2 < short.power < 0.9
    assert short.wrong < 0.05
    assert whole.mean_n < plain.mean_n


def test_the_best_on_a_list_is_named_from_its_scenes() -> None:
    """Each scene once: all trials of all policies are those of the list."""
    row = sw.plan(0.4, 0.6, 0.9, goal="best", list_size=SIZE, precision=0.05).rows[0]
    assert row.power > 0.95
    assert row.most_trials >= row.mean_trials
    wrong = sw.plan(
        0.8, 0.8, 0.8, goal="best", list_size=SIZE, precision=0.03, alpha=0.2, power=0.9
    )
    assert stats.binomtest(round(wrong.rows[0].wrong * 500), 500, 0.2, "greater").pvalue > 0.01


def test_a_running_study_goes_on_over_the_scenes_that_are_left() -> None:
    seen = {"a": [0, 1, 0, 0] * 5, "b": [0, 1, 1, 0] * 5}
    ahead = sw.forecast(seen, n_max=24, list_size=24, precision=0.05)
    assert ahead.chance > 0.9
    assert max(ahead.n_quantiles) <= 4
    rules = Rules(policies=("a", "b"), n_max=24, goal="best", list_size=24)
    past = np.array([[0, 1, 0, 0] * 5, [0, 1, 0, 0] * 5], dtype=float).T
    table = Table(policies=("a", "b"), scores=past, design="independent")
    model = BestStudy.after(table, rules)
    world = Guessed((Guess.of_rate(0.5),) * 2).begin(np.random.default_rng(0), 3)
    trials = studies._Trials(model, world, 3)
    assert np.array_equal(trials._given[1, :20], past)
    assert np.array_equal(trials.means, trials._given.mean(axis=1))


def test_what_a_list_does_not_allow_is_refused() -> None:
    with pytest.raises(sw.InvalidInput, match="is more than the 30 scenes of the list"):
        sw.plan(0.5, 0.7, list_size=30, n_max=40)
    with pytest.raises(sw.InvalidInput, match="goes with nscore-plus"):
        sw.plan(0.5, 0.7, list_size=30, method="wsr")
