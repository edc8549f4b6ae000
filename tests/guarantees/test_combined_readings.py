"""Readings on top of each other keep the promise: equal policies are told apart with at most alpha.

Each pair of readings is made by the code that files use, and has a rule without which it fails.
"""

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.simulate import run_studies
from stopwise.questions.pairs import PairTests, replay
from stopwise.rows.align import align
from stopwise.rows.task_mean import over_tasks
from tests.guarantees.pinned import assert_at_most

ALPHA = 0.1
TASKS = np.array(["lift", "push"])
STORED, ROWS = 120, 30


def rate(
    rules: Rules, first: Floats, second: Floats, proxy: tuple[Floats, Floats] | None = None
) -> int:
    found = run_studies(rules, first, second, proxy=proxy, workers=1)
    return int((found.decision >= 0).sum())


def caught(errors: int, runs: int) -> None:
    with pytest.raises(AssertionError):
        assert_at_most(errors, runs, ALPHA)


def stored_rounds(runs: int, *, rounds: bool) -> int:
    """Tell equal policies apart that trade tasks, of which one was tried before; count how often.

    Without ``rounds`` the stored trials come in the order of the file, one task after the other.
    """
    rng = np.random.default_rng(1)
    old, new = (
        rng.random((runs, n, 2)) < rates for n, rates in ((STORED, [0.3, 0.7]), (ROWS, 0.5))
    )
    parts = [(f"old {run}", own) for run, own in enumerate(old)]
    parts += [(f"new {run}", own) for run, own in enumerate(new)]
    trials = sw.Trials.from_columns(
        {
            "policy": [name for name, own in parts for _ in range(own.size)],
            "task": np.concatenate([np.repeat(TASKS, len(own)) for _, own in parts]),
            "score": np.concatenate([own.T.ravel() * 1.0 for _, own in parts]),
        },
        bounds=(0, 1),
    )
    table = over_tasks(trials, order="rounds", weights=None, design="independent")
    first = table.arranged([f"old {run}" for run in range(runs)]).T
    if not rounds:
        first = old.transpose(0, 2, 1).reshape(runs, -1)[:, ::2] * 1.0
    second = table.arranged([f"new {run}" for run in range(runs)]).T[:, :ROWS]
    rules = Rules(alpha=ALPHA, n_max=ROWS, groups={"policy 0": STORED}, stored=("policy 0",))
    blank = np.zeros((STORED, 1))
    rows = [rules.reading.rows(np.hstack((own[:, None], blank)))[:, 0] for own in first]
    return rate(rules, np.array(rows), second)


def test_stored_rounds_of_tasks() -> None:
    assert_at_most(stored_rounds(300, rounds=True), 300, ALPHA)
    caught(stored_rounds(300, rounds=False), 300)


def stored_beside_a_proxy(runs: int, error: float) -> int:
    """Tell equal policies apart with a proxy whose mean is taken to be too great by the error."""
    rng = np.random.default_rng(2)

    def trials(number: int) -> Floats:
        scores = rng.random((runs, number)) < 0.5
        proxy = np.where(rng.random((runs, number)) < 0.8, scores, rng.random((runs, number)) < 0.5)
        return np.stack([scores, proxy], axis=-1) * 1.0

    rules = Rules(
        alpha=ALPHA, n_max=ROWS, groups={"policy 0": STORED}, stored=("policy 0",), proxy_mean=error
    )
    old, new = trials(STORED), trials(ROWS)
    layers = np.full((2, runs, STORED, 2), np.nan)  # kinds, runs, trials, policies
    layers[..., 0], layers[:, :, :ROWS, 1] = np.moveaxis(old, -1, 0), np.moveaxis(new, -1, 0)
    (r0, r1), (g0, g1) = np.moveaxis(rules.reading.rows(layers), -1, 1)
    return rate(rules, r0, r1, proxy=(g0, g1))


def test_stored_trials_beside_a_proxy() -> None:
    assert_at_most(stored_beside_a_proxy(1000, 0.0), 1000, ALPHA)
    caught(stored_beside_a_proxy(1000, 0.3), 1000)


def wins_over_tasks(runs: int, *, by_task: bool) -> int:
    """Tell policies apart that win equally often in the mean over tasks.

    The first wins most of one task by little, the second most of the other by much. Without
    ``by_task`` averages of rounds are compared, which the second mostly wins.
    """
    rng = np.random.default_rng(3)
    scores = np.full((runs, 60, 2, 2), 0.5)  # runs, rows, tasks, policies
    scores[..., 0, 0] += np.where(rng.random((runs, 60)) < 0.9, 0.1, -0.1)
    scores[..., 1, 1] += np.where(rng.random((runs, 60)) < 0.9, 0.4, -0.4)
    layers = np.concatenate([scores.mean(axis=2, keepdims=True), scores], axis=2)
    rules = Rules(alpha=ALPHA, n_max=60, by="wins", rounds=(0.5, 0.5), design="paired")
    shown = np.moveaxis(layers, 2, 0)
    if not by_task:
        rules, shown = Rules(alpha=ALPHA, n_max=60, by="wins", design="paired"), shown[0]
    ranking = PairTests(rules)
    outcome = replay(ranking.comparison, ranking.budget, shown)
    return int(outcome.claims.any(axis=(1, 2)).sum())


def test_wins_in_the_mean_over_tasks() -> None:
    assert_at_most(wins_over_tasks(500, by_task=True), 500, ALPHA)
    caught(wins_over_tasks(500, by_task=False), 500)


def training_runs(pairs: int, unit: str) -> int:
    """Tell equal algorithms apart whose runs of the same seed share their luck."""
    rng = np.random.default_rng(4)
    seeds, episodes = 15, 6
    shared = rng.random((pairs, 1, seeds, 1))
    chance = np.clip(shared + rng.uniform(-0.4, 0.4, (pairs, 2, seeds, 1)), 0, 1)
    scores = rng.random((pairs, 2, seeds, episodes)) < chance
    pair, policy, seed, _ = (own.ravel() for own in np.indices(scores.shape))
    trials = sw.Trials.from_columns(
        {
            "policy": (2 * pair + policy).astype(str),
            "seed": seed.astype(str),
            "block": seed.astype(str),
            "score": scores.ravel() * 1.0,
        },
        bounds=(0, 1),
    )
    design = "paired" if unit == "seed" else "stratified"
    table = align(trials, design=design, unit=unit, in_turn=False)
    columns = table.arranged([str(number) for number in range(2 * pairs)]).T
    rules = Rules(alpha=ALPHA, n_max=columns.shape[1], design="paired")
    return rate(rules, columns[::2], columns[1::2])


def test_training_runs_that_share_their_seeds() -> None:
    assert_at_most(training_runs(500, "seed"), 500, ALPHA)
    caught(training_runs(500, "trial"), 500)
