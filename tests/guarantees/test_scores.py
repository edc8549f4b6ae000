"""Errors where scores are wins, come from few training runs, or are sorted by scene."""

from collections.abc import Iterator

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.readings.wins import Wins
from stopwise.rows.align import align
from stopwise.study.blinding import Draws
from tests.guarantees.pinned import assert_at_most, assert_pinned

ALPHA, RUNS = 0.05, 3000


def claims(scores0: Floats, scores1: Floats, **settings: str) -> int:
    """Return in how many studies (rows) either policy was declared better."""
    keywords = {"alternative": "two-sided", "ties": "strict", "n_max": scores0.shape[1]}
    found = sw.simulate("nscore-plus", scores0, scores1, **{**keywords, **settings})
    return int((found.decision >= 0).sum())


def equal_winners(kind: str) -> tuple[Floats, Floats]:
    """Return scores without bounds of two policies that win as often as each other."""
    rng = np.random.default_rng(7)
    if kind == "means apart":  # the rare losses are enormous: the means differ by 500
        low = rng.normal(size=(RUNS, 80))
        return low, low + np.where(rng.random((RUNS, 80)) < 0.5, 1.0, -1000.0)
    tails = rng.standard_cauchy((2, RUNS, 80))
    return (tails[0], 5 * tails[1]) if kind == "tails" else (tails[0].round(), tails[1].round())


@pytest.mark.parametrize("design", ["paired", "independent"])
@pytest.mark.parametrize("kind", ["means apart", "tails", "ties"])
def test_equal_winners_are_hardly_ever_told_apart(kind: str, design: str) -> None:
    """Means, tails and ties do not matter: only how often each wins."""
    errors = claims(*equal_winners(kind), by="wins", design=design)

    assert_at_most(errors, RUNS, ALPHA)
    assert_pinned(f"wins/{kind}/{design}", [errors])


def test_a_tie_that_counts_as_a_win_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sabotage: policy 1 wins where both are equal."""

    def generous(_: Wins, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        won = (r1 >= r0).astype(float)
        return 1.0 - won, won

    monkeypatch.setattr(Wins, "met", generous)

    assert claims(*equal_winners("ties"), by="wins") > 2.5 * ALPHA * RUNS


def test_the_ends_of_a_meeting_taken_for_independent_would_be_noticed() -> None:
    """The sabotage: what both win is tested as two independent scores, which it is not."""
    won = (np.random.default_rng(1).random((RUNS, 80)) < 0.5).astype(float)
    paired = claims(1 - won, won, design="paired")

    assert_at_most(paired, RUNS, ALPHA)
    assert claims(1 - won, won, design="independent") > 2 * paired


@pytest.mark.parametrize("drawn", [True, False])
def test_a_liking_for_the_second_trial_favours_no_policy(drawn: bool) -> None:
    """Operators who see no difference say "second": only the lots of each row keep that fair.

    The sabotage: one order for all rows, with which every study claims something.
    """
    runs, rows = 300, 60
    orders = np.array(
        [
            [Draws(f"{run}", 0).shuffled("ab", "order", "fold", row if drawn else 0)[1] == "b"
             for row in range(rows)]
            for run in range(runs)
        ]
    )  # fmt: skip
    won = np.where(np.random.default_rng(5).random((runs, rows)) < 0.2, 0.5, orders.astype(float))

    found = claims(1 - won, won, by="wins", design="paired")

    if drawn:
        assert_at_most(found, runs, ALPHA)
    else:
        assert found == runs


def training_runs(runs: int, episodes: int, effect: float) -> Floats:
    """Return successes (studies, 2 algorithms, runs, episodes) of equal algorithms."""
    rng = np.random.default_rng(11)
    rates = 1 / (1 + np.exp(-effect * rng.standard_normal((RUNS, 2, runs))))
    return (rng.random((RUNS, 2, runs, episodes)) < rates[..., None]).astype(float)


def test_training_runs_are_what_is_drawn() -> None:
    """With a mean per run equal algorithms are safe; episodes as fresh draws are the sabotage."""
    scores = training_runs(30, 5, 1.0)
    means = scores.mean(axis=-1)
    episodes = scores.reshape(RUNS, 2, -1)

    errors = claims(means[:, 0], means[:, 1])
    assert_at_most(errors, RUNS, ALPHA)
    assert claims(episodes[:, 0], episodes[:, 1]) > 3 * ALPHA * RUNS
    assert_pinned("training runs", [errors])


def by_scene(scenes: int, trials: int, effect: float) -> Iterator[Floats]:
    """Yield successes (studies, scenes, trials): each policy is better at half of the scenes."""
    rng = np.random.default_rng(13)
    better = np.where(np.arange(scenes) < scenes / 2, effect, -effect) / 2
    for sign in (-1, 1):
        drawn = rng.random((RUNS, scenes, trials)) < (0.5 + sign * better)[:, None]
        yield drawn.astype(float)


@pytest.mark.parametrize(("scenes", "trials"), [(4, 25), (20, 5)])
def test_no_scene_decides_alone(scenes: int, trials: int) -> None:
    """A file sorted by scene is gone through in turn; the sabotages keep its order, or round."""
    labels = [f"scene {scene}" for scene in range(scenes) for _ in range(trials)]
    numbers = np.arange(scenes * trials, dtype=float)
    columns = {"policy": ["a"] * len(labels) + ["b"] * len(labels), "block": labels * 2}
    file = sw.Trials.from_columns({**columns, "score": np.tile(numbers, 2)})
    order = align(file).scores[:, 0].astype(int)
    assert align(file).scores[:, 1].astype(int).tolist() == order.tolist()
    a, b = (drawn.reshape(RUNS, -1) for drawn in by_scene(scenes, trials, 0.6))

    errors = claims(a[:, order], b[:, order], design="paired")

    assert_at_most(errors, RUNS, ALPHA)
    assert claims(a, b, design="paired") > 0.8 * RUNS
    if scenes == 20:
        rounds = numbers.astype(int).reshape(scenes, trials).T.ravel()
        assert claims(a[:, rounds], b[:, rounds], design="paired") > 5 * ALPHA * RUNS
    assert_pinned(f"scenes/{scenes}", [errors])
