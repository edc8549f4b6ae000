"""``stopwise study``, as it is typed."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import stopwise as sw
from stopwise.cli import app
from stopwise.cli.study.keeping import keeping
from tests.study.plans import plan

MILESTONES = {
    "kind": "milestones",
    "milestones": [{"name": "reached"}, {"name": "grasped", "weight": 2}, {"name": "lifted"}],
}


def call(*arguments: str | Path, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["study", *map(str, arguments)], input=typed)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A locked study with a checklist."""
    folder = tmp_path / "study"
    task = {"name": "stack", "score": MILESTONES, "conditions": {"listed": ["left", "right"]}}
    sw.Study.create(folder, plan(tasks=[task], n_max=20)).lock()
    return folder


def test_init_writes_a_plan_that_can_be_locked(tmp_path: Path) -> None:
    folder = tmp_path / "mine"

    assert "study.yaml" in call("init", folder).output
    assert "The plan is fine" in call("status", folder).output
    assert "SHA-256" in call("lock", folder, "--who", "ada").output
    again = call("init", folder)
    assert again.exit_code == 2
    assert "exists" in again.output


def test_a_wrong_plan_is_named_with_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    call("init", folder)
    path = folder / "study.yaml"
    path.write_text(path.read_text().replace("alpha: 0.05", "alpha: 5"))
    line = (
        path.read_text()
        .splitlines()
        .index(next(text for text in path.read_text().splitlines() if text.startswith("alpha: 5")))
    )

    found = call("lock", folder)

    assert found.exit_code == 2
    assert f"study.yaml, line {line + 1}: alpha: must be below 1, but got 5" in found.output


def test_run_asks_until_it_is_told_to_quit(folder: Path) -> None:
    typed = "1 2\nnone\nall\nundo\nnone\nvoid the cable\nnonsense\n7\nquit\n"

    found = call("run", folder, "--station", "left", typed=typed)

    assert found.exit_code == 0, found.output
    assert "start from: " in found.output
    assert "type a number from 1 to 3 or a name of the list, but got 'nonsense'" in found.output
    assert "saved: trial 1, reached, grasped, score 0.75" in found.output
    assert "trial 3: its score again" in found.output
    assert "corrected: trial 3, none" in found.output
    assert "voided: trial 4; its place is tried again" in found.output
    study = sw.Study.open(folder)
    status = study.status()
    assert (status.scored, status.voided, status.in_flight) == (3, 1, 0)
    scores = study.records().filter(pl.col("status") == "scored")["score"]
    assert sorted(scores) == [0.0, 0.0, 0.75]
    assert not any(name in found.output for name in ("old", "new"))


def test_run_goes_on_when_a_trial_is_not_ours_any_more(folder: Path) -> None:
    """A score that was undone is not released; the next run gets its trial again."""
    with sw.Study.open(folder) as study:
        trial = study.next_trial("left")
        assert trial is not None
        study.record(trial.trial, [], station="left")
        study.undo(trial.trial, station="left")
    first = call("run", folder, "--station", "left", typed="release\nquit\n")
    again = call("run", folder, "--station", "left", typed="none\nquit\n")

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert first.output.count("trial 1 was run: enter its score") == 1
    assert "trial 1 stays yours: it was run and needs its score" in first.output
    assert again.output.splitlines()[1].startswith("trial 1 ")


def test_undo_keeps_the_trial_at_hand(folder: Path) -> None:
    """It was shown, not run: it is not given back, and the report lists none begun and left."""
    typed = "all\nall\nundo\nnonsense\nnone\nundo\nback\nall\nundo\nvoid the cable\nquit\n"

    found = call("run", folder, "--station", "left", typed=typed)

    assert found.exit_code == 0, found.output
    assert "a name of the list, but got 'nonsense'" in found.output
    assert found.output.count("corrected: trial 2, none") == 1
    assert "voided: trial 3; its place is tried again" in found.output
    study = sw.Study.open(folder)
    numbers = [entry.content["trial"] for entry in study.journal() if entry.kind == "released"]
    assert numbers == [4]  # by quit
    rows = study.records().filter(pl.col("status") == "scored")
    assert rows["score"].to_list() == [1.0, 0.0]
    assert study.report().count("given back: ") == 1
    assert "there is no trial before" in call("run", folder, typed="undo\nquit\n").output


def test_undo_with_the_same_answer_changes_nothing(folder: Path) -> None:
    found = call("run", folder, typed="1 2\nundo\n1 2\nall\nundo\nnone\nundo\nnone\nquit\n")

    assert found.exit_code == 0, found.output
    assert "trial 1: that is its score already, reached, grasped\n" in found.output
    assert "saved: trial 2" in found.output
    assert "trial 2: that is its score already, none\n" in found.output
    undone = [e.content["trial"] for e in sw.Study.open(folder).journal() if e.kind == "undone"]
    assert undone == [2]


def test_run_can_hide_the_evidence_until_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    sw.Study.create(folder, plan(n_max=3)).lock()

    hidden = call("run", folder, "--no-evidence", typed="y\ny\ny\nquit\n")
    assert "saved: trial 3, success, score 1" in hidden.output
    assert not any(word in hidden.output for word in ("p = ", "|", "decided"))
    assert "p = 1, open, n = 2" in call("run", folder, typed="y\nquit\n").output
    ended = call("run", folder, "--no-evidence", typed="y\n" * 2)
    assert "p = " not in ended.output
    assert "nothing is decided after 3 rows of trials." in ended.output


def test_of_many_pairs_those_that_matter_are_shown(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    sw.Study.create(folder, plan(policies=list("abcdef"), n_max=3)).lock()

    found = call("run", folder, typed="y\nquit\n")

    assert found.output.count("p = ") == 6
    assert "and 9 more open, 0 decided, of 15 pairs" in found.output
    assert call("status", folder).output.count("p = ") == 15


def test_an_empty_station_is_refused(folder: Path) -> None:
    found = call("run", folder, "--station", "")

    assert found.exit_code == 2
    assert "a station must have 1 to 200 printable characters, but got ''" in found.output


def test_names_may_be_typed_instead_of_numbers(folder: Path) -> None:
    found = call("run", folder, typed="Reached, lifted\ngrasped 3\nreached\nquit\n")

    assert "saved: trial 1, reached, lifted, score 0.5" in found.output
    assert "saved: trial 2, grasped, lifted, score 0.75" in found.output
    assert "saved: trial 3, reached, score 0.25" in found.output


def test_names_that_are_numbers_are_not_numbered(tmp_path: Path) -> None:
    """Else "1" would be the first of the levels 0, 1 and 2, which is 0."""
    levels = [{"name": str(value), "value": value} for value in range(3)]
    task = {"name": "stack", "score": {"kind": "levels", "levels": levels}}
    sw.Study.create(tmp_path / "study", plan(tasks=[task])).lock()
    found = call("run", tmp_path / "study", typed="3\n1\nquit\n")

    assert "outcome (0, 1, 2): which one" in found.output
    assert "type a name of the list, but got '3'" in found.output
    assert "saved: trial 1, 1, score 1" in found.output


def test_a_wrong_score_can_be_corrected_afterwards(folder: Path) -> None:
    """Above all the last one, which ended the study: `run` asks for no further trial there."""
    call("run", folder, typed="all\nquit\n")

    assert "a stated reason" in call("correct", "1", "none", folder).output
    assert "there is no trial 9" in call("correct", "9", "none", folder, "--reason", "x").output
    found = call("correct", "1", "reached", folder, "--reason", "typed all")
    assert found.output == "corrected: trial 1, reached\n"
    assert sw.Study.open(folder).records()["score"].to_list()[:1] == [0.25]


def test_a_correction_keeps_what_the_operator_reported(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", plan(tags=["slipped"]))
    study.lock()
    for _ in range(2):
        trial = study.next_trial("left")
        assert trial is not None
        study.record(
            trial.trial, False, station="left", note="wet", tag="slipped", seconds=7.5, who="bo"
        )
    call("correct", "1", "y", tmp_path / "study", "--reason", "typed n", "--who", "ada")

    row = study.records().to_dicts()[0]

    assert (row["score"], row["answer"]) == (1.0, "True")
    assert (row["note"], row["tag"], row["seconds"], row["who"]) == ("wet", "slipped", 7.5, "bo")
    assert (row["reason"], row["corrected_by"]) == ("typed n", "ada")
    study.unblind()
    page = study.report()
    cells = r"</td>\s*<td[^>]*>".join(["ada", "typed n", "0", "1"])
    assert re.search(cells, page)


def test_an_imported_score_that_was_corrected_is_in_the_report(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", plan())
    study.lock()
    trials = sw.Trials.from_columns({"policy": ["old", "new"], "score": [0, 0]}, bounds=(0, 1))
    study.add_trials(trials, source="notebook", reason="pilot")
    study.correct(2, True, "misread", who="ada")
    study.unblind()

    assert re.search(r"</td>\s*<td[^>]*>".join(["ada", "misread", "0", "1"]), study.report())


def _interrupted(process: "subprocess.Popen[bytes]") -> int:
    """Press Ctrl-C, and again if it came before the question had begun to wait; never Enter."""
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=2)
    raise AssertionError("Ctrl-C does not end the question")


def test_ctrl_c_ends_the_question_at_once(folder: Path) -> None:
    """Not only after Enter, as when the system resumes the reading (polars asks it to)."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from stopwise.cli import app; app()", "study", "run"]
    with subprocess.Popen(
        [*command, str(folder), "--station", "a"], stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        seen = b""
        while b"> " not in seen:
            seen += os.read(ours, 4096)
        try:
            code = _interrupted(process)
        finally:
            process.kill()
    seen += os.read(ours, 4096)
    os.close(theirs)
    os.close(ours)

    assert code == 130
    assert b"trial 1 stays with station a" in seen


def test_a_trial_at_the_terminal_is_kept_while_it_runs(folder: Path) -> None:
    study = sw.Study.open(folder)
    study.amend("quick", {"lease_minutes": 0.2 / 60})
    trial = study.next_trial("left")
    assert trial is not None
    with keeping(study, trial, None):
        time.sleep(0.6)
        assert study.holding("left") is not None
    time.sleep(0.3)
    assert study.holding("left") is None


def test_run_waits_for_other_stations_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "study"
    study = sw.Study.create(folder, plan(n_max=1))
    study.lock()
    held = [study.next_trial(station) for station in ("a", "b")]
    monkeypatch.setattr("stopwise.cli.study.run.SECONDS_BETWEEN_LOOKS", 0.05)

    def report() -> None:
        for trial in held:
            assert trial is not None
            study.record(trial.trial, True, station=trial.station)

    later = threading.Timer(1.0, report)
    later.start()
    found = call("run", folder, "--station", "c")
    later.join()

    assert found.output.count("Other stations hold what is left") == 1
    assert "Nothing is left to try: stop." in found.output


def test_run_says_stop_when_all_is_decided(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    study = sw.Study.create(folder, plan(blinding="none", n_max=20))
    study.lock()
    while not study.finished:
        trial = study.next_trial("elsewhere")
        assert trial is not None
        study.record(trial.trial, trial.code == "new", station="elsewhere")

    found = call("run", folder)

    assert "Nothing is left to try: stop." in found.output
    assert "new is better than old" in found.output
    assert f"Next: stopwise study unblind {folder}" in found.output
    assert "new > old" in call("status", folder).output


def test_status_void_amend_and_verify(folder: Path) -> None:
    call("run", folder, typed="all\nquit\n")

    assert call("void", "1", folder, "--reason", "lights").exit_code == 0
    assert "stated reason" in call("void", "1", folder).output
    assert call("amend", folder, "--reason", "slow", "--set", "lease_minutes=45").exit_code == 0
    assert call("amend", folder, "--reason", "slow", "--set", "alpha=1").exit_code == 2
    found = json.loads(call("status", folder, "--json").output)
    assert (found["voided"], found["amendments"]) == (1, 1)
    assert found["verdict"]["blinded"] is True
    assert "everything holds" in call("verify", folder).output


def test_verify_exits_with_1_where_something_is_wrong(folder: Path) -> None:
    study = sw.Study.open(folder)
    study._ledger.save()
    saved = study.store.snapshot()
    assert saved is not None
    study.store.save_snapshot((*saved[:2], "wrong"))

    found = call("verify", folder, "--json")

    assert found.exit_code == 1
    assert json.loads(found.output)["problems"] == ["the saved state is not that of entry 2"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_export_is_blind_until_unblinded(folder: Path, tmp_path: Path, ending: str) -> None:
    call("run", folder, typed="all\nnone\nquit\n")
    file = tmp_path / f"trials.{ending}"
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        "csv": pl.read_csv,
        "jsonl": pl.read_ndjson,
        "parquet": pl.read_parquet,
    }
    read = readers[ending]

    assert "2 trials" in call("export", file, folder).output
    assert set(read(file)["policy"]) == {"A", "B"}
    # A number or a code beside a label would let a trial be voided by its arm.
    assert read(file).columns == ["task", "policy", "score"]
    assert "2 trials" in call("export", file, folder, "--used").output
    assert "A is " in call("unblind", folder, "--yes").output
    assert "3 trials" in call("export", file, folder).output
    assert set(read(file)["policy"]) == {"old", "new"}
    assert {"code", "station", "answer"} <= set(read(file).columns)
    assert "2 trials" in call("export", file, folder, "--used").output


def test_a_forgotten_file_is_named_before_a_study_is_looked_for(folder: Path) -> None:
    found = call("export", folder)

    assert found.exit_code == 2
    assert f"the file must end in .csv, .jsonl, .parquet, but got {str(folder)!r}" in found.output


def test_import_adds_rows_and_the_report_says_so(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "earlier.csv"
    file.write_text("policy,score\n" + "old,0.25\nnew,1\n" * 8)

    assert "imported: 16 trials" in call("import", file, folder, "--reason", "pilot").output
    assert call("import", file, folder).exit_code == 2
    call("void", "3", folder, "--reason", "the <b>cup</b> broke")
    call("amend", folder, "--reason", "new camera")
    call("run", folder, typed="release it looked odd\nall\nquit\n")
    page = tmp_path / "report.html"
    assert "written" in call("report", folder, "--html", page).output
    text = page.read_text()
    assert "Imported trials" in text
    assert "earlier.csv" in text
    assert "new camera" in text
    assert "the &lt;b&gt;cup&lt;/b&gt; broke" in text
    assert "not revealed" in text
    assert "given back: it looked odd" in text


def test_the_same_trials_are_imported_once(folder: Path, tmp_path: Path) -> None:
    """By their content, whatever the file is called, also if it grew."""
    rows = "old,0.25\nnew,1\n"
    names = ("db.csv", "copy.csv", "more/db.csv", "grown.csv")
    file, other, grown, renamed = (tmp_path / name for name in names)
    grown.parent.mkdir()
    file.write_text("policy,score\n" + rows * 2)
    other.write_text("policy,score\n" + rows * 2)
    grown.write_text("policy,score\n" + rows * 3)
    renamed.write_text("policy,score\n" + rows * 2 + "old,1\nnew,1\n")
    assert call("import", file, folder, "--reason", "pilot").output == "imported: 4 trials\n"
    before = sw.Study.open(folder).verdict()

    start = "stopwise study import: "
    first = "the first 2 rows of "
    for path, which in ((file, ""), (other, ""), (grown, first), (renamed, first)):
        found = call("import", path, folder, "--reason", "pilot")
        assert found.exit_code == 2
        assert found.output == (
            f"{start}{which}these trials of 'stack' have the scores that were imported before, "
            "from 'db.csv': the same trials would count twice; "
            f"{'import the new ones alone, or, ' if which else ''}"
            "if these are other trials, say so with --again\n"
        )
    study = sw.Study.open(folder)
    assert study.verdict() == before
    study._ledger.save()
    assert "imported before" in call("import", file, folder, "--reason", "pilot").output
    other.write_text("policy,score\n" + rows + "old,1\nnew,1\n")
    assert call("import", other, folder, "--reason", "others").output == "imported: 4 trials\n"


def test_other_trials_that_went_alike_are_imported_if_that_is_said(
    folder: Path, tmp_path: Path
) -> None:
    """Scores do not tell trials apart: to leave some out for their scores would be a selection."""
    one, two, three = (tmp_path / f"{day}.csv" for day in ("monday", "tuesday", "wednesday"))
    for file in (one, two):
        file.write_text("policy,score\nold,0\nnew,1\n")
    three.write_text(one.read_text() + "old,1\nnew,1\n")
    assert call("import", one, folder, "--reason", "pilot").exit_code == 0
    assert "; if these are other trials" in call("import", two, folder, "--reason", "x").output
    grown = call("import", three, folder, "--reason", "x").output
    assert "import: the first row of these trials of 'stack' has the scores" in grown

    said = call("import", two, folder, "--reason", "another day", "--again")

    assert said.output == "imported: 2 trials\n"
    study = sw.Study.open(folder)
    entries = [entry for entry in study.journal() if entry.kind == "imported"]
    assert [entry.content.get("again") for entry in entries] == [None, True]
    assert study.status().scored == 4
    assert study.verify().sound
    page = study.report()
    for reason, again in (("pilot", "-"), ("another day", "said to be other trials")):
        assert re.search(rf"{reason}</td>\s*<td[^>]*>{again}</td>", page)


def test_the_report_counts_what_was_handed_out_and_what_was_imported(
    folder: Path, tmp_path: Path
) -> None:
    def row(name: str, count: int) -> re.Match[str] | None:
        return re.search(rf"{name}</td>\s*<td[^>]*>{count}</td>", sw.Study.open(folder).report())

    call("run", folder, typed="all\nnone\nquit\n")
    assert row("trials handed out", 3)
    assert "trials imported" not in sw.Study.open(folder).report()
    file = tmp_path / "earlier.csv"
    file.write_text("policy,score\n" + "old,0.25\nnew,1\n" * 4)
    call("import", file, folder, "--reason", "pilot")

    assert row("trials handed out", 3)
    assert row("trials imported", 8)
    assert row("with a score", 10)
    status = json.loads(call("status", folder, "--json").output)
    assert (status["assigned"], status["imported"]) == (3, 8)


def test_what_a_study_exported_another_can_import(tmp_path: Path) -> None:
    """Trials without a score are left out, and the rows of a design with blocks are its blocks."""
    for name in ("first", "second"):
        sw.Study.create(tmp_path / name, plan(design="blocks", n_max=20)).lock()
    call("run", tmp_path / "first", typed="y\nn\nvoid cable\nn\ny\nquit\n")
    call("unblind", tmp_path / "first", "--yes")
    file = tmp_path / "trials.csv"
    call("export", file, tmp_path / "first")
    command: list[str | Path] = ["import", file, tmp_path / "second", "--reason", "moved"]

    assert "; --missing drop leaves such trials out" in call(*command).output
    gaps = call(*command, "--missing", "drop")
    assert gaps.output.rstrip().endswith("name it with --column block=NAME")
    done = call(*command, "--missing", "drop", "--column", "block=row")
    assert done.output == "imported: 4 trials\n"


def test_tokens_are_made_listed_and_revoked(folder: Path) -> None:
    text = call("token", "create", "operator", "Ben", folder).output.strip()
    listed = json.loads(call("token", "list", folder, "--json").output)

    assert sw.Study.open(folder).authenticate(text) is not None
    assert text not in call("token", "list", folder).output
    assert call("token", "revoke", listed[0]["token"], folder).exit_code == 0
    assert sw.Study.open(folder).authenticate(text) is None
    assert call("token", "create", "king", "Ben", folder).exit_code == 2


def test_resolve_tells_the_robot_what_to_start(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    policies = [{"name": "old", "run": "serve --old"}, {"name": "new", "run": "serve --new"}]
    study = sw.Study.create(folder, plan(policies=policies))
    study.lock()
    trial = study.next_trial("left")
    assert trial is not None

    assert call("resolve", trial.code.lower(), folder).output.startswith("serve --")
    assert call("resolve", "nonsense", folder).exit_code == 2


def test_a_place_without_a_study_is_a_clear_error(tmp_path: Path) -> None:
    found = call("status", tmp_path)

    assert found.exit_code == 2
    assert "there is no study" in found.output
