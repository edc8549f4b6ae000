"""The claim about the mean over tasks, where policies trade tasks and are equal in the mean.

One policy is far better on some tasks and far worse on others. Tasks are drawn by the code that
races use, and averaged by the code that files use; each rule has its sabotage, which is caught.
"""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.rules import Rules
from stopwise.data.trials import Trials
from stopwise.errors import InvalidInput
from stopwise.questions.pairs import PairTests, replay
from stopwise.rollout.draws import drawn_task
from stopwise.rows.task_mean import over_tasks, shares
from tests.guarantees.pinned import assert_at_most, assert_pinned

ALPHA, RUNS, ROWS = 0.2, 1500, 60
SHARES = shares(["lift", "push", "reach"], {"lift": 2})
WEIGHTS = np.array(list(SHARES.values()))
# Equal in the weighted mean: 2 x .4 - .5 - .3 = 0.
RATES = np.array([[0.3, 0.8, 0.6], [0.7, 0.3, 0.3]])


def tasks_drawn(seeds: range | list[int], rows: int = ROWS) -> Ints:
    names = list(SHARES)
    drawn = {
        seed: [names.index(drawn_task(seed, SHARES, row, 0, paired=True)) for row in range(rows)]
        for seed in set(seeds)
    }
    return np.array([drawn[seed] for seed in seeds])


def successes(rng: np.random.Generator, tasks: Ints) -> Floats:
    """Scores (policies, ...) on these tasks."""
    return (rng.random((2, *tasks.shape)) < RATES[:, tasks]) * 1.0


def decided(scores: Floats, design: str) -> int:
    sim = sw.simulate(
        *("nscore-plus", *scores),
        alpha=ALPHA,
        n_max=scores.shape[-1],
        design=design,
        alternative="two-sided",
        ties="strict",
        workers=1,
    )
    wrong: int = round(scores.shape[1] * float(sim.rate(0) + sim.rate(1)))
    return wrong


def test_tasks_drawn_afresh_claim_no_more_than_the_mean() -> None:
    """Sabotage caught: one seed for all, and tasks drawn by their scores, as the next two show."""
    rng = np.random.default_rng(1)

    wrong = decided(successes(rng, tasks_drawn(range(RUNS))), "paired")

    assert_at_most(wrong, RUNS, ALPHA)
    assert_pinned("tasks, drawn for each row", [wrong])


def test_one_seed_for_all_would_be_caught() -> None:
    """A constant seed is one order of tasks, and some orders favour a policy for long."""
    rng = np.random.default_rng(3)
    wrong = decided(successes(rng, tasks_drawn([1] * 300)), "paired")

    with pytest.raises(AssertionError):
        assert_at_most(wrong, 300, ALPHA)


def test_tasks_drawn_by_their_scores_would_be_caught() -> None:
    """The task is drawn again among those on which the second policy has done well so far."""
    rng = np.random.default_rng(4)
    ahead, scores = np.zeros((300, 3)), np.zeros((2, 300, ROWS))
    for row in range(ROWS):
        liked = np.where(rng.random((300, 1)) < 0.5, 0.0, ahead)
        task = np.argmax(liked + 1e-3 * rng.random((300, 3)), axis=1)
        scores[:, :, row] = found = successes(rng, task)
        ahead[np.arange(300), task] += found[1] - found[0]

    with pytest.raises(AssertionError):
        assert_at_most(decided(scores, "paired"), 300, ALPHA)


def averaged(rng: np.random.Generator, runs: int, rounds: int, *, lost: float = 0.0) -> Floats:
    """Averages of rounds (policies, runs, rounds), of a file that is sorted by task.

    All runs are policies of one file. With ``lost``, the second policy lacks so many of its trials
    on the tasks that it finds hard, and the others are averaged all the same: the sabotage.
    """
    tasks = np.broadcast_to(np.arange(3), (runs, rounds, 3))
    scores = successes(rng, tasks)
    scores[1, :, :, 1:][rng.random((runs, rounds, 2)) < lost] = np.nan
    if lost:
        kept = ~np.isnan(scores)
        means: Floats = np.nansum(scores * WEIGHTS, axis=-1) / (kept * WEIGHTS).sum(axis=-1)
        return means
    names = np.array(list(SHARES))
    policy, run, turn, task = np.indices(scores.shape)
    order = np.argsort(task, axis=None, kind="stable")
    columns = {
        "task": names[task.ravel()[order]],
        "policy": (policy * runs + run).ravel()[order].astype(str),
        "score": scores.ravel()[order],
    }
    trials = Trials.from_columns(columns, bounds=(0, 1))
    table = over_tasks(trials, order="rounds", weights={"lift": 2}, design="independent")
    assert turn.max() + 1 == len(table.scores)
    by_policy = table.arranged([str(number) for number in range(2 * runs)])
    return by_policy.T.reshape(2, runs, rounds)


@pytest.mark.parametrize("design", ["independent", "paired"])
def test_averages_of_rounds_claim_no_more_than_the_mean(design: str) -> None:
    """Sabotage caught: rounds that lack a task, as the next test shows."""
    scores = averaged(np.random.default_rng(5), 500, 40)

    wrong = decided(scores, design)

    assert_at_most(wrong, 500, ALPHA)
    assert_pinned(f"tasks, rounds averaged, {design}", [wrong])


def test_rounds_that_lack_a_task_would_be_caught() -> None:
    scores = averaged(np.random.default_rng(6), 300, 40, lost=0.8)

    with pytest.raises(AssertionError):
        assert_at_most(decided(scores, "paired"), 300, ALPHA)


def claimed(tasks: Floats, weights: Floats, **settings: Any) -> Bools:
    """Whether a policy is declared better, by studies of rounds (tasks, studies, rows, policies).

    One bet is held through each round.
    """
    rules = Rules(
        policies=("a", "b"), design="paired", alpha=ALPHA, rounds=tuple(weights), **settings
    )
    ranking = PairTests(rules)
    rounds = np.concatenate([np.tensordot(weights, tasks, axes=1)[None], tasks])
    outcome = replay(ranking.comparison, ranking.budget, rounds, with_p_values=False)
    return np.asarray(outcome.claims.any(axis=(1, 2)))


def traded(number: int) -> tuple[Floats, Floats]:
    """Success rates (tasks, policies) that differ by task, and weights that even them out."""
    gaps = np.where(np.arange(number) % 2 == 0, 0.6, -0.3)
    rates = np.stack([0.5 - gaps / 2, 0.5 + gaps / 2], axis=1)
    weights = np.where(gaps > 0, 1.0 / (gaps > 0).sum() / 3, 2.0 / (gaps < 0).sum() / 3)
    return rates, weights


@pytest.mark.parametrize("number", [5, 10, 40])
@pytest.mark.parametrize("null", ["traded", "ties"])
def test_bets_held_through_rounds_claim_no_more_than_the_mean(number: int, null: str) -> None:
    """Sabotages caught: a shared shock, and a look inside a round, as the next tests show."""
    rates, weights = traded(number)
    if null == "ties":
        rates = np.repeat(np.linspace(0.05, 0.95, number)[:, None], 2, axis=1)
    luck = np.random.default_rng(number).random((number, 400, 40, 2))

    found = claimed((luck < rates[:, None, None]) * 1.0, weights)

    assert_at_most(int(found.sum()), 400, ALPHA)


def shocked() -> tuple[Floats, Floats]:
    """Scores (tasks, studies, rows, policies) of rounds in which all tasks have the same luck."""
    luck = np.random.default_rng(8).random((1, 400, 40, 2))
    return np.broadcast_to((luck < 0.5) * 1.0, (10, 400, 40, 2)), np.full(10, 0.1)


def test_a_shock_that_a_round_shares_would_be_caught_and_averages_bear_it() -> None:
    tasks, weights = shocked()

    with pytest.raises(AssertionError):
        assert_at_most(int(claimed(tasks, weights).sum()), 400, ALPHA)
    assert_at_most(decided(np.moveaxis(tasks.mean(axis=0), -1, 0), "paired"), 400, ALPHA)


def test_a_look_inside_a_round_would_be_caught() -> None:
    """The policies trade tasks, and the first half of each round is looked at by itself."""
    rates, weights = traded(40)
    order = np.argsort(-(rates[:, 1] - rates[:, 0]), kind="stable")
    tasks = (np.random.default_rng(9).random((40, 400, 10, 2)) < rates[order][:, None, None]) * 1.0
    halves = np.repeat(tasks, 2, axis=2)
    halves[20:, :, ::2] = halves[:20, :, 1::2] = 0.0  # what is not seen yet, and what was

    with pytest.raises(AssertionError):
        assert_at_most(int(claimed(halves, weights[order]).sum()), 400, ALPHA)


def test_trials_of_one_training_run_in_several_tasks_are_not_independent() -> None:
    columns = {
        "task": ["lift", "push"] * 8,
        "policy": [name for name in ("old", "new") for _ in range(8)],
        "seed": [seed for _ in range(4) for seed in ("1", "1", "2", "2")],
        "score": [0.0, 1.0] * 8,
    }
    trials = Trials.from_columns(columns, bounds=(0, 1))
    with pytest.raises(InvalidInput, match="trials of several training runs share what a run has"):
        over_tasks(trials, order="independent", weights=None, design="independent")
