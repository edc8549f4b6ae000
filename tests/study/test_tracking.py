"""What trackers are told of a study: nothing that an operator may not see."""

from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.study import tracking
from tests.cli.typed import study as typed
from tests.study.live import locked, policy_of, take
from tests.study.plans import plan
from tests.study.scripted import fix_draws
from tests.trackers.places import Memory


def told(folder: Path, trials: int, scores: dict[str, list[int]], **changes: Any) -> Memory:
    """Rows reported by a study after so many trials with known scores."""
    memory = Memory()
    with sw.Study.create(folder, plan(n_max=30, **changes), report_to=memory) as study:
        study.lock()
        score(study, trials, scores)
    return memory


def score(study: sw.Study, trials: int, scores: dict[str, list[int]]) -> None:
    seen = dict.fromkeys(scores, 0)
    for _ in range(trials):
        trial = take(study)
        own = policy_of(study, trial.trial)
        study.record(trial.trial, bool(scores[own][seen[own]]), station="left")
        seen[own] += 1


@pytest.mark.parametrize("blinding", ["trial", "policy", "none"])
def test_before_unblinding_nothing_depends_on_a_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blinding: str
) -> None:
    fix_draws(monkeypatch)
    one = told(tmp_path / "1", 8, {"old": [0] * 4, "new": [1] * 4}, blinding=blinding)
    other = told(tmp_path / "2", 8, {"old": [1, 0, 1, 1], "new": [0] * 4}, blinding=blinding)

    assert vars(one) == vars(other)
    assert one.rows[8]["progress/scored"] == 8
    assert {name.partition("/")[0] for own in one.rows.values() for name in own} == {"progress"}
    assert set(one.settings) == {"study", "plan"}
    assert one.verdicts == []
    assert one.page is None
    assert one.ends == 1


def test_a_reporter_that_tells_evidence_would_be_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even under labels, evidence differs with the scores: that is what the test above sees."""
    fix_draws(monkeypatch)
    monkeypatch.setattr(tracking, "revealed", lambda _: True)
    one = told(tmp_path / "1", 8, {"old": [0] * 4, "new": [1] * 4})
    other = told(tmp_path / "2", 8, {"old": [1, 0, 1, 1], "new": [0] * 4})

    assert one.rows != other.rows


def test_unblinding_tells_every_row_and_the_report(tmp_path: Path) -> None:
    memory = Memory()
    scores = {"old": [0, 1, 0, 0, 0, 0, 0], "new": [1] * 7}
    with sw.Study.create(tmp_path / "s", plan(n_max=7), report_to=memory) as study:
        study.lock()
        while not study.finished:
            score(
                study, 2, {name: own[study.status().scored // 2 :] for name, own in scores.items()}
            )
        (task,) = study.verdict().tasks
        assert "stack/mean/new" not in str(memory.rows)
        study.unblind()
        found = study.analyses()["stack"]

    rows = {row: own for row, own in memory.rows.items() if "stack/decided" in own}
    assert sorted(rows) == list(range(1, task.rows + 1))
    for policy in found.policies:
        assert rows[task.rows][f"stack/mean/{policy.name}"] == pytest.approx(policy.mean)
    assert rows[2]["stack/mean/old"] == 0.5
    assert memory.page is not None
    assert "How the study was run" in memory.page
    assert memory.ends == 1


def test_a_study_that_is_not_blind_tells_its_rows_at_the_end(tmp_path: Path) -> None:
    scores = {"old": [0] * 30, "new": [1] * 30}
    memory = Memory()
    with sw.Study.create(tmp_path / "s", plan(blinding="none"), report_to=memory) as study:
        study.lock()
        while not study.finished:
            assert "stack/decided" not in str(memory.rows)
            score(study, 2, scores)
    assert memory.page is not None
    assert any("new > old" in verdict for verdict in memory.verdicts)


def test_a_tracker_that_fails_stores_every_trial(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ArithmeticError("a bug in reporting")

    memory = Memory(fails=True)
    monkeypatch.setattr(tracking, "status", broken)
    with sw.Study.create(tmp_path / "s", plan(), report_to=memory) as study:
        study.lock()
        score(study, 4, {"old": [0, 1], "new": [1, 1]})
        assert study.status().scored == 4
        study.unblind()
    with sw.Study.open(tmp_path / "s") as study:
        assert study.verify().sound
    assert len(caplog.records) == 1


def test_a_function_is_told_no_more_than_a_tracker(tmp_path: Path) -> None:
    told: list[tuple[int, set[str]]] = []

    def keep(row: int, values: dict[str, float]) -> None:
        told.append((row, {name.partition("/")[0] for name in values}))

    with sw.Study.create(tmp_path / "s", plan(n_max=4), on_row=keep) as study:
        study.lock()
        score(study, 4, {"old": [0, 1], "new": [1, 1]})
        study.unblind()
    kinds = [kind for row, kind in told if row <= 4 and kind == {"progress"}]
    assert len(kinds) > 4
    assert told[-2:] == [(1, {"stack"}), (2, {"stack"})]


def test_commands_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory()
    monkeypatch.setattr("stopwise.trackers._made", lambda *_: memory)
    folder = tmp_path / "s"
    locked(folder, n_max=4).close()
    run = typed("run", folder, "--report-to", "wandb", typed="y\nn\ny\ny\nquit\n")
    assert run.exit_code == 0, run.output
    assert memory.rows[4]["progress/scored"] == 4
    assert memory.page is None
    typed("unblind", folder, "--yes", "--report-to", "wandb")
    assert memory.rows[2]["stack/trials/new"] == 2
    assert memory.page is not None
    refused = typed("run", folder, "--report-to", "paper")
    assert refused.exit_code == 2
    assert "--report-to must be one of wandb, tensorboard" in refused.output
