"""``stopwise study``, as it is typed."""

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

import stopwise as sw
from stopwise.cli.study.run import keeping
from stopwise.web.links import join_link
from tests.cli.processes import wait_for_a_question
from tests.cli.typed import study as call
from tests.study.live import Clock, locked, take
from tests.web.serving import served


def test_init_writes_a_plan_that_can_be_locked(tmp_path: Path) -> None:
    folder = tmp_path / "mine"

    assert "study.yaml" in call("init", folder).output
    assert "The plan is fine" in call("status", folder).output
    assert "SHA-256" in call("lock", folder, "--who", "ada").output
    again = call("init", folder)
    assert again.exit_code == 2
    assert "exists" in again.output


def test_the_check_list_comes_before_the_first_trial(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    with locked(folder, checks=["lights on", "lens clean"], n_max=1) as study:
        said = call("run", folder, "--station", "left", typed="\nn\nscratched\ny\nquit\n").output
        assert said.index("lens clean?") < said.index("CODE")
        (event,) = (e.content for e in study.journal() if e.kind == "checked")
    assert (event["ticked"], event["note"]) == (("lights on",), "scratched")


def test_run_asks_until_it_is_told_to_quit(folder: Path) -> None:
    typed = "1 2\nnone\nall\nundo it\nvoid the cable\n7\nquit\n"

    found = call("run", folder, "--station", "left", typed=typed)

    assert found.exit_code == 0, found.output
    assert "start from: " in found.output
    assert (
        "a name from the list or its number, but got 'void'" in found.output
    )  # which is for the owner
    assert "a name from the list or its number, but got 'undo'" in found.output  # so is this
    assert "trial 4 stays with station left" in found.output
    assert "saved: trial 1, reached, grasped, score 0.75" in found.output
    study = sw.Study.open(folder)
    status = study.status()
    assert (status.scored, status.voided, status.in_flight) == (3, 0, 1)
    assert not [entry for entry in study.journal() if entry.kind == "released"]
    scores = study.records().filter(pl.col("status") == "scored")["score"]
    assert sorted(scores) == [0.0, 0.75, 1.0]
    assert not any(name in found.output for name in ("old", "new"))


def test_run_reaches_a_study_that_another_machine_serves(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sw.Study.open(folder) as study, served(study) as url:
        token = study.create_token("operator", "arm 1")
        found = call("run", join_link(url, token), typed="1 2\nrelease the gripper\nquit\n")
        assert found.exit_code == 0, found.output
        assert "saved: trial 1, reached, grasped, score 0.75" in found.output
        assert "trial 3 stays with station arm 1" in found.output
        monkeypatch.setenv("STOPWISE_TOKEN", token)
        assert call("run", url, typed="none\nquit\n").exit_code == 0
        assert {e.who for e in study.journal() if e.kind in ("scored", "released")} == {"arm 1"}
        assert study.status().scored == 2
        assert "under the name of the token" in call("run", url, "--who", "ada").output


def test_run_goes_on_when_a_trial_is_not_ours_any_more(folder: Path) -> None:
    call("run", folder, "--station", "left", typed="release hot\nquit\n")
    assert ", 1 given back, " in call("status", folder).output


def test_names_may_be_typed_instead_of_numbers(folder: Path) -> None:
    found = call("run", folder, typed="Reached, lifted\ngrasped 3\nreached\nquit\n")

    assert "saved: trial 1, reached, lifted, score 0.5" in found.output
    assert "saved: trial 2, grasped, lifted, score 0.75" in found.output
    assert "saved: trial 3, reached, score 0.25" in found.output


def test_a_wrong_score_can_be_corrected_afterwards(folder: Path) -> None:
    """Above all the last one, which ended the study: `run` asks for no further trial there."""
    call("run", folder, typed="all\nquit\n")

    assert "correcting a score needs --reason" in call("correct", folder, "1", "none").output
    assert "there is no trial 9" in call("correct", folder, "9", "none", "--reason", "x").output
    found = call("correct", folder, "1", "reached", "--reason", "typed all")
    assert found.output == "corrected: trial 1, reached\n"
    assert sw.Study.open(folder).records()["score"].to_list()[:1] == [0.25]


def test_ctrl_c_ends_the_question_at_once(folder: Path) -> None:
    """Not only after Enter, as when the system resumes the reading (polars asks it to)."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "stopwise", "study", "run", str(folder), "--station", "a"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        seen = b""
        while b"> " not in seen:
            seen += os.read(ours, 4096)
        try:
            wait_for_a_question(process.pid)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=600)
        finally:
            process.kill()
    seen += os.read(ours, 4096)
    os.close(theirs)
    os.close(ours)

    assert code == 130
    assert b"trial 1 stays with station a" in seen


def test_a_trial_at_the_terminal_is_kept_while_it_runs(folder: Path) -> None:
    """However slow this machine is: the study's clock waits for each renewal."""
    clock = Clock()
    study = sw.Study.open(folder, clock=clock)
    study.amend("quick", {"lease_minutes": 0.2 / 60})
    trial = take(study)
    with keeping(study, trial, None):
        for _ in range(4):
            clock.time += 0.15
            renewed = study.seq + 1
            while study.seq < renewed:
                time.sleep(0.01)
            assert study.holding("left") is not None
    clock.time += 0.3
    assert study.holding("left") is None


def test_run_waits_for_other_stations_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "study"
    study = locked(folder, n_max=1)
    held = [study.next_trial(station) for station in ("a", "b")]
    pauses = []

    def pause(seconds: float) -> None:
        """Let the others report while the command waits for the third time."""
        pauses.append(seconds)
        if len(pauses) == 3:
            for trial in held:
                assert trial is not None
                study.record(trial.trial, True, station=trial.station)

    monkeypatch.setattr("stopwise.cli.study.run.time.sleep", pause)
    found = call("run", folder, "--station", "c")

    assert len(pauses) == 3
    assert found.output.count("Other stations hold the trials that are left") == 1
    assert "No trials are left: stop." in found.output


def test_run_says_stop_when_all_is_decided(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    study = locked(folder, blinding="none", n_max=20)
    while not study.finished:
        trial = take(study, "elsewhere")
        study.record(trial.trial, trial.code == "new", station="elsewhere")

    found = call("run", folder)

    assert "No trials are left: stop." in found.output
    assert "new is better than old" in found.output
    assert f"Next: stopwise study unblind {folder}" in found.output
    assert "new > old" in call("status", folder).output


def test_status_void_amend_and_verify(folder: Path) -> None:
    call("run", folder, typed="all\nquit\n")

    assert call("void", folder, "1", "--reason", "lights").exit_code == 0
    assert "voiding a trial needs --reason" in call("void", folder, "1").output
    assert call("amend", folder, "--reason", "slow", "--set", "lease_minutes=45").exit_code == 0
    assert call("amend", folder, "--reason", "slow", "--set", "alpha=1").exit_code == 2
    found = json.loads(call("status", folder, "--json").output)
    assert (found["voided"], found["amendments"]) == (1, 1)
    assert found["verdict"]["blinded"] is True
    assert "all checks passed" in call("verify", folder).output


def test_verify_exits_with_1_where_something_is_wrong(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "study.db")) as database:
        database.execute("UPDATE studies SET secret = 'another'")
        database.commit()

    found = call("verify", folder)

    assert found.exit_code == 1
    assert "entry 2: commitment does not match the locked plan" in found.output


def test_tokens_are_made_listed_and_revoked(folder: Path) -> None:
    text = call("token", "create", folder, "operator", "Ben").output.strip()
    token = call("token", "list", folder).output.split()[0]

    assert sw.Study.open(folder).authenticate(text) is not None
    assert text not in call("token", "list", folder).output
    assert call("token", "revoke", folder, token).exit_code == 0
    assert sw.Study.open(folder).authenticate(text) is None
    assert call("token", "create", folder, "king", "Ben").exit_code == 2


def test_resolve_tells_the_robot_what_to_start(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    policies = [{"name": "old", "run": "serve --old"}, {"name": "new", "run": "serve --new"}]
    study = locked(folder, policies=policies)
    trial = take(study)

    assert call("resolve", folder, trial.code.lower()).output.startswith("serve --")
    assert call("resolve", folder, "nonsense").exit_code == 2


def test_a_plan_that_was_edited_after_the_lock_is_told(folder: Path) -> None:
    path = folder / "study.yaml"
    before = call("status", folder).output
    assert call("amend", folder, "--reason", "long", "--set", "lease_minutes=45").exit_code == 0
    assert "edited" not in call("status", folder).output  # an amendment is in the journal

    path.write_text(path.read_text() + "\n")
    assert "edited" not in call("status", folder).output  # the same plan, written otherwise
    path.write_text(re.sub(r"n_max: .*", "n_max: 5000", path.read_text()))
    said = "study.yaml was edited after the lock, which changes nothing: the plan that was"
    assert said in call("status", folder).output
    verified = call("verify", folder)
    assert verified.exit_code == 0
    assert said in verified.output
    path.write_text("nonsense: [")
    assert "edited after the lock" in call("status", folder).output
    assert "(nscore-plus, at most " in before.splitlines()[0]
