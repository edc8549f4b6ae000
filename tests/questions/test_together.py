"""Settings that meet: what goes together works, and what does not is refused in one line."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw

RNG = np.random.default_rng(3)
TASKS = ("lift", "push")
APART = {"design": "independent"}


def trials(rounds: int = 40, **more: Any) -> sw.Trials:
    """Return trials of two policies on two tasks, of which "fast" takes less time on each."""
    rows = [(task, policy) for _ in range(rounds) for task in TASKS for policy in ("slow", "fast")]
    columns = {
        "task": [task for task, _ in rows],
        "policy": [policy for _, policy in rows],
        "score": [RNG.uniform(0, 1 if policy == "slow" else 0.5) for _, policy in rows],
        **more,
    }
    return sw.Trials.from_columns(columns, bounds=(0, 1))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"by": "wins", "task_order": "random"}, "each task is compared by itself"),
        ({"by": "wins", "goal": "best"}, "a best policy need not exist"),
        ({"unit": "seed"}, "belong to one task"),
        ({"stored": "slow", "task_order": "random"}, "were not drawn with those of the rows"),
        ({**APART, "stored": "slow", "task_order": "independent"}, "fair for single trials"),
        ({"stored": "slow", "design": "paired"}, "need the independent design"),
    ],
)
def test_the_mean_over_tasks_refuses_what_it_is_not_proven_for(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=said):
        sw.analyze(
            trials(block=(np.arange(160) // 4).astype(str).tolist()), tasks="mean", **settings
        )


def test_the_mean_of_wins_over_tasks_counts_each_task_by_itself() -> None:
    """The slow policy is far ahead on one task, and behind by little on the others."""
    gaps = {"lift": 0.5, "push": -0.1, "reach": -0.1}
    columns: dict[str, list[Any]] = {"task": [], "policy": [], "score": []}
    for _ in range(60):
        for task, gap in gaps.items():
            columns["task"] += [task, task]
            columns["policy"] += ["slow", "fast"]
            columns["score"] += [0.3 + max(gap, 0), 0.3 + max(-gap, 0)]
    source = sw.Trials.from_columns(columns)

    wins = sw.analyze(source, tasks="mean", by="wins", weights={"lift": 1, "push": 2, "reach": 1})
    means = sw.analyze(source, tasks="mean", bounds=(0, 1))

    assert (wins.best, means.best) == ("fast", "slow")
    assert {own.name: own.mean for own in wins.policies} == {"fast": 0.75, "slow": 0.25}
    assert "each task of a round compared by itself" in wins.sentence
    assert "no bounds were declared" not in " ".join(wins.warnings)


def test_stored_rounds_of_tasks_count_all() -> None:
    """A policy that was tried before has four rounds for each round of the other."""
    rows = [(task, "old") for _ in range(80) for task in TASKS]
    rows += [(task, "new") for _ in range(20) for task in TASKS]
    score = [0.4 if policy == "old" else 0.9 for _, policy in rows]
    columns = {"task": [t for t, _ in rows], "policy": [p for _, p in rows], "score": score}
    source = sw.Trials.from_columns(columns, bounds=(0, 1))

    found = sw.analyze(source, tasks="mean", stored="old", n_max=20)

    assert found.best == "new"
    (pair,) = found.pairs
    assert f"with {pair.n} of at most 20 new averages of a round and {4 * pair.n} stored" in str(
        found.sentence
    )


def test_stored_trials_have_scores_of_a_proxy_too() -> None:
    old = RNG.random((200, 2)).round(2)
    new = (0.5 + 0.5 * RNG.random((50, 2))).round(2)
    means = {"old": 0.5, "new": 0.75}
    rule = sw.StopRule(["old", "new"], stored={"old": old}, n_max=50, proxy_mean=means)
    for score, guess in new.tolist():
        if rule.stop:
            break
        rule.add("new", score, proxy=guess)
    live = rule.analysis()
    filed = sw.analyze(
        {"old": old[:, 0], "new": new[: rule.rows, 0]},
        proxy={"old": old[:, 1], "new": new[: rule.rows, 1]},
        stored="old",
        n_max=50,
        proxy_mean=means,
    )

    assert live.best == "new"
    assert live.pairs[0].p_value == filed.pairs[0].p_value
    assert live.pairs[0].interval == filed.pairs[0].interval
    with pytest.raises(sw.InvalidInput, match="comes without a score of it"):
        sw.StopRule(["old", "new"], stored={"old": old[:, 0]}, n_max=50, proxy_mean=means)


def test_training_runs_of_the_same_seed_meet() -> None:
    """Runs of a seed share its luck, which the paired design takes out."""
    luck = RNG.random(40)
    rows = [(policy, str(seed), luck[seed]) for seed in range(40) for policy in ("a", "b")]
    columns = {
        "policy": [policy for policy, _, _ in rows for _ in "12"],
        "seed": [seed for _, seed, _ in rows for _ in "12"],
        "score": [0.9 * own + 0.1 * (policy == "b") for policy, _, own in rows for _ in "12"],
    }
    source = sw.Trials.from_columns(columns, bounds=(0, 1))

    paired = sw.analyze(source, unit="seed", design="paired")
    apart = sw.analyze(source, unit="seed")

    assert (paired.design, paired.best, apart.best) == ("paired", "b", None)
    assert len(paired.aligned.scores) == 40


def test_drawn_tasks_keep_the_order_of_their_draws() -> None:
    """Going round the strata would sort the rows by what was drawn."""
    drawn = ["lift", "lift", "lift", "push", "lift", "push"]
    columns = {
        "task": [task for task in drawn for _ in "ab"],
        "policy": ["a", "b"] * 6,
        "score": np.repeat(np.arange(6) / 10, 2).tolist(),
        "block": ["scene"] * 12,
    }
    found = sw.analyze(
        sw.Trials.from_columns(columns, bounds=(0, 1)), tasks="mean", task_order="random"
    )

    assert found.aligned.scores[:, 0].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
