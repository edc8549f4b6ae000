"""Watching results that grow: rows count once, in order, when they are complete."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.data.formats import lerobot as lerobot_format
from stopwise.data.formats.text_file import Head
from stopwise.questions import order
from stopwise.questions.rank import rank
from stopwise.rollout.watch import PastChanged, Watch

RNG = np.random.default_rng(0)
TOLD_APART = (("low", 0.0), ("one", 0.8), ("other", 0.8))
SCORES = {"base": RNG.random(60) < 0.3, "new": RNG.random(60) < 0.8}


def lerobot(folder: Path, policy: str, first: int, last: int) -> None:
    """Write one run of lerobot-eval, as its version 0.4 and later does."""
    path = folder / policy / f"batch-{first:04d}" / "eval_info.json"
    path.parent.mkdir(parents=True)
    successes = SCORES[policy][first:last].tolist()
    metrics = {"sum_rewards": [1.0 * s for s in successes], "successes": successes}
    content = {"per_task": [{"task_group": "pusht", "task_id": 0, "metrics": metrics}]}
    path.write_text(json.dumps(content))


def watch(source: Any, design: str = "auto", state: Path | None = None, **settings: Any) -> Watch:
    settings = {"n_max": 60, **settings}
    return Watch(source, reading={}, design=design, settings=settings, state=state)


def test_lerobot_batches_with_the_same_seeds_are_paired(tmp_path: Path) -> None:
    reading: Any = {"columns": {"block": "batch_episode"}}
    watching = Watch(tmp_path, reading=reading, design="paired", settings={"n_max": 60})
    for start in range(0, 60, 5):
        for policy in SCORES:
            lerobot(tmp_path, policy, start, start + 5)
        (sight,) = watching.look()
        if sight.stop:
            break

    rule = sw.StopRule(list(SCORES), n_max=60, design="paired")
    while not rule.stop:
        for policy in rule.needed:
            rule.add(policy, float(SCORES[policy][rule.taken(policy)]))
    read = sw.analyze(tmp_path, n_max=60, **reading)
    assert (sight.rows, sight.standings) == (rule.rows, rule.standings())
    assert read.design == "paired"
    assert read.pairs[0].p_value == rule.standings()[0].p_value


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


@pytest.mark.parametrize("again", [False, True], ids=["same watch", "next watch"])
def test_a_past_that_changes_is_refused(tmp_path: Path, again: bool) -> None:
    path, state = tmp_path / "results.csv", tmp_path / "seen.json"
    rows = [("a", 1, 0.0), ("b", 1, 1.0), ("a", 2, 0.0), ("b", 2, 1.0)]
    changes = [[("a", 1, 0.5), *rows[1:]], rows[:2], [*rows, ("c", 1, 1.0)]]
    for changed in changes:
        state.unlink(missing_ok=True)
        watching = watch(table(path, rows), state=state)
        watching.look()
        kept = state.read_bytes()
        table(path, changed)
        with pytest.raises(PastChanged):
            (watch(path, state=state) if again else watching).look()
        assert state.read_bytes() == kept


def test_a_state_goes_on_as_one_watch_would(tmp_path: Path) -> None:
    """Also where a policy that is told apart has no more trials, and gets some later."""
    path, state = tmp_path / "results.csv", tmp_path / "seen.json"
    rows = [(policy, seed, score) for seed in range(60) for policy, score in TOLD_APART]
    late = [row for row in rows if row[0] == "low" and row[1] > 30]
    early = [row for row in rows if row not in late]
    one, sights = watch(table(path, early), design="paired"), []
    for end in (*range(9, len(early), 9), len(early)):
        table(path, early[:end])
        (sight,) = watch(path, design="paired", state=state).look()
        (same,) = one.look()
        assert sight.to_dict() == same.to_dict()
        sights.append(sight.rows)
    table(path, [*early, *late])

    assert sights == sorted(sights)
    assert "low" not in sight.needed
    (sight,), (same,) = watch(path, design="paired", state=state).look(), one.look()
    assert sight.to_dict() == same.to_dict()


def test_a_state_is_of_the_same_rules(tmp_path: Path) -> None:
    path, state = table(tmp_path / "results.csv", [("a", 1, 0.0), ("b", 1, 1.0)]), tmp_path / "s"
    watch(path, state=state).look()
    kept = state.read_bytes()

    with pytest.raises(PastChanged, match=r"alpha was 0\.05 at earlier looks, but is now 0\.1"):
        watch(path, state=state, alpha=0.1).look()
    assert state.read_bytes() == kept


@pytest.mark.parametrize("content", ["", "[]", '{"kind": "else", "version": 1, "tasks": {}}'])
def test_a_file_that_is_no_state_is_left_alone(tmp_path: Path, content: str) -> None:
    state = tmp_path / "seen.json"
    state.write_text(content)
    with pytest.raises(sw.InvalidState, match=r"seen\.json: this is not a watch state"):
        watch(tmp_path / "results.csv", state=state)
    assert state.read_text() == content


@pytest.mark.parametrize("inside", ["seen.json", "runs/seen.json", "runs/results.csv"])
def test_a_state_is_not_among_the_results(tmp_path: Path, inside: str) -> None:
    results = tmp_path / "runs" / "results.csv"
    for source in (tmp_path, [results, tmp_path], {"a": str(tmp_path), "b": str(results)}):
        with pytest.raises(sw.InvalidInput, match="the state must not be among the results"):
            watch(source, state=tmp_path / inside)


def test_a_task_that_is_gone_is_a_past_that_changes(tmp_path: Path) -> None:
    """Without it, the verdict of the tasks left would be taken for that of all."""
    for task in ("cup", "plate"):
        (tmp_path / f"{task}.csv").write_text(f"task,policy,score\n{task},a,0\n{task},b,1\n")
    watching = watch(tmp_path)
    assert [sight.task for sight in watching.look()] == ["cup", "plate"]
    (tmp_path / "plate.csv").unlink()

    with pytest.raises(PastChanged, match="task 'plate' was there at an earlier look"):
        watching.look()


def test_what_is_wrong_with_a_row_is_said_at_each_look(tmp_path: Path) -> None:
    watching = watch(table(tmp_path / "results.csv", [("a", 1, 0.5), ("b", 2, 41)]))
    for _ in range(2):
        with pytest.raises(sw.InvalidInput, match=r"but 'b' got 41; give the range with bounds="):
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
    with pytest.raises(sw.InvalidInput, match="later belongs to the goal 'best'"):
        watch(tmp_path, later=["c"])
    with pytest.raises(sw.InvalidInput, match="bounds must be declared"):
        Watch(tmp_path, reading={"bounds": "data"}, settings={})
    with pytest.raises(sw.InvalidInput, match="needs weights of every task"):
        Watch(tmp_path, reading={}, settings={}, tasks="mean")
    with pytest.raises(sw.InvalidInput, match="there is no folder"):
        watch(tmp_path / "r.csv", state=tmp_path / "none" / "s.json")


@pytest.mark.parametrize(
    ("name", "written", "rest"),
    [
        ("r.jsonl", '{"policy": "é", "score": 3}\n{"policy": "b", "score": 2}\n'
                    '{"policy": "é", "score": 3}\n{"policy": "b", "score": 1', "00}"),
        ("r.csv", "score,policy\n3,é\n2,b\n3,b\n100,", "é\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_unfinished_lines_of_all_kinds_wait(
    tmp_path: Path, name: str, written: str, rest: str, encoding: str
) -> None:
    """Also where the end is in the middle of a character."""
    path, whole = tmp_path / name, (written + rest).encode(encoding)
    before = len(written.encode(encoding))
    rows = []
    watching = Watch(path, reading={"bounds": (0.0, 100.0)}, settings={"n_max": 60})
    for end in (before, before + 1, len(whole)):
        path.write_bytes(whole[:end])
        (sight,) = watching.look()
        rows.append(sight.rows)
        assert sight.analysis is not None
        notes = [getattr(note, "code", "") for note in sight.analysis.warnings]
        assert ("line-unfinished" in notes) == (end < len(whole))

    assert rows == [1, 1, 2]


def test_only_what_has_changed_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counted(head: Head) -> Any:
        read.append(head.path.parent.parent.name)
        return own(head)

    own = lerobot_format.read
    monkeypatch.setattr(lerobot_format, "read", counted)
    for policy in SCORES:
        lerobot(tmp_path, policy, 0, 5)
    for path in tmp_path.rglob("*.json"):
        os.utime(path, (1e9, 1e9))
    watching = watch(tmp_path)
    first = watching.look()
    assert watching.look() is first
    assert sorted(read) == ["base", "new"]
    lerobot(tmp_path, "base", 5, 10)
    lerobot(tmp_path, "new", 5, 10)
    (sight,) = watching.look()

    assert sight.rows == 10
    assert sorted(read) == ["base", "base", "new", "new"]
    # What was written just now may change again within the resolution of the clock.
    assert watching.look() is not first
    assert len(read) == 6
    next(tmp_path.rglob("*.json")).unlink()
    with pytest.raises(PastChanged):
        watching.look()


def test_the_analysis_of_a_look_is_made_when_asked_for_and_of_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made at each look, it takes most of the time; made later, it must not know more."""
    made: list[int] = []
    own = rank

    def counted(*given: Any) -> Any:
        made.append(1)
        return own(*given)

    monkeypatch.setattr(order, "rank", counted)
    rows = [(name, seed, score) for seed in range(9) for name, score in (("a", 0.0), ("b", 1.0))]
    watching = watch(table(tmp_path / "results.csv", rows[:6]), design="paired")
    (first,) = watching.look()
    table(tmp_path / "results.csv", rows)
    (second,) = watching.look()
    assert made == []

    for sight, number in ((first, 3), (second, second.rows)):
        assert sight.analysis is sight.analysis
        assert sight.analysis is not None
        assert sight.analysis.pairs[0].n == number
    assert len(made) == 2


def test_a_list_is_watched_in_the_order_in_which_its_scenes_were_drawn(tmp_path: Path) -> None:
    drawn = [int(scene) for scene in RNG.permutation(60)]
    base = [f"base,s{scene},{int(SCORES['base'][scene])}" for scene in range(60)]
    new = [f"new,s{scene},{int(SCORES['base'][59 - scene])}" for scene in drawn]
    path = tmp_path / "results.csv"
    watching = watch(path, list_size=60, bounds=(0, 1))
    for end in (6, 20, 60):
        path.write_text("\n".join(["policy,scene,success", *base, *new[:end], ""]))
        (sight,) = watching.look()

    # Equal in all: told at the last scene, or not, by the order that was drawn.
    assert sight.analysis is not None
    assert sight.rows == 60
    assert "on these 60 scenes, in this run" in sight.analysis.sentence
    path.write_text("\n".join(["policy,scene,success", *base[:20], *new[:20], ""]))
    with pytest.raises(sw.InvalidInput, match="come in the order of the list"):
        watch(path, list_size=60).look()
