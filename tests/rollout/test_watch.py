"""Watching results that grow: rows count once, in order, when they are complete."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.rollout.watch import PastChanged, Watch

RNG = np.random.default_rng(0)
SCORES = {"base": RNG.random(60) < 0.3, "new": RNG.random(60) < 0.8}


def lerobot(folder: Path, policy: str, first: int, last: int) -> None:
    """Write one run of lerobot-eval, as its version 0.4 and later does."""
    path = folder / policy / f"batch-{first:04d}" / "eval_info.json"
    path.parent.mkdir(parents=True)
    successes = SCORES[policy][first:last].tolist()
    metrics = {"sum_rewards": [1.0 * s for s in successes], "successes": successes}
    content = {"per_task": [{"task_group": "pusht", "task_id": 0, "metrics": metrics}]}
    path.write_text(json.dumps(content))


def watch(source: Any, design: str = "auto", **settings: Any) -> Watch:
    return Watch(source, reading={}, design=design, settings={"n_max": 60, **settings})


def test_lerobot_batches_are_taken_in_as_they_come_until_it_is_enough(tmp_path: Path) -> None:
    watching = watch(tmp_path)
    seen = []
    for start in range(0, 60, 5):
        lerobot(tmp_path, "base", start, start + 5)
        if start == 0:
            with pytest.raises(sw.InvalidInput, match="at least 2 policies"):
                watching.look()
        lerobot(tmp_path, "new", start, start + 5)
        (sight,) = watching.look()
        seen.append(sight.rows)
        if sight.stop:
            break

    expected = sw.analyze({name: s.astype(float) for name, s in SCORES.items()}, n_max=60)
    assert sight.decided
    assert sight.rows == expected.pairs[0].n
    assert seen[:-1] == [5 * (look + 1) for look in range(len(seen) - 1)]
    assert sight.analysis is not None
    assert sight.analysis.pairs[0].p_value == expected.pairs[0].p_value
    assert sight.analysis.order_text == "new > base"


def table(path: Path, rows: list[tuple[str, int, float]]) -> Path:
    lines = [f"{policy},{seed},{score}" for policy, seed, score in rows]
    path.write_text("\n".join(["policy,seed,score", *lines, ""]))
    return path


def test_a_row_waits_for_its_slowest_trial(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows = [("a", 1, 0.0), ("b", 1, 1.0), ("a", 2, 0.0), ("a", 3, 0.0), ("b", 3, 1.0)]
    watching = watch(table(path, rows), design="paired")
    (first,) = watching.look()
    (second,) = (table(path, [*rows, ("b", 2, 0.5)]), watching.look())[1]

    assert (first.rows, first.waiting) == (1, 3)
    assert (second.rows, second.waiting) == (3, 0)


def test_a_past_that_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows = [("a", 1, 0.0), ("b", 1, 1.0), ("a", 2, 0.0), ("b", 2, 1.0)]
    changes = [
        [("a", 1, 0.5), *rows[1:]],
        rows[:2],
        [*rows, ("c", 1, 1.0)],
    ]
    for changed in changes:
        watching = watch(table(path, rows))
        watching.look()
        table(path, changed)
        with pytest.raises(PastChanged):
            watching.look()


def test_a_design_that_shows_only_later_is_refused(tmp_path: Path) -> None:
    """Trials taken for independent must not go on as pairs that share their seeds."""
    rows = [("base", 1, 0.0), ("new", 2, 1.0)]
    watching = watch(table(tmp_path / "results.csv", rows))
    assert watching.look()[0].rows == 1
    table(tmp_path / "results.csv", [*rows, ("new", 1, 1.0)])  # the first row looks as it did

    with pytest.raises(PastChanged, match="showed the design independent, but now it is paired"):
        watching.look()


def test_wrong_settings_are_refused_before_the_first_look(tmp_path: Path) -> None:
    with pytest.raises(sw.InvalidInput, match="alpha"):
        watch(tmp_path, alpha=2)
    with pytest.raises(sw.InvalidInput, match="bounds must be declared"):
        Watch(tmp_path, reading={"bounds": "data"}, settings={})
