"""Trials that go into a study from files, and out of it: import, export, report."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import stopwise as sw
from tests.cli.typed import study as call
from tests.study.live import locked


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

    assert "2 trials" in call("export", folder, file).output
    assert set(read(file)["policy"]) == {"A", "B"}
    # A number or a code beside a label would let a trial be voided by its arm.
    assert read(file).columns == ["task", "policy", "score"]
    assert "2 trials" in call("export", folder, file, "--used").output
    assert "A is " in call("unblind", folder, "--yes").output
    assert "3 trials" in call("export", folder, file).output
    assert set(read(file)["policy"]) == {"old", "new"}
    assert {"code", "station", "answer"} <= set(read(file).columns)
    assert "2 trials" in call("export", folder, file, "--used").output


def test_import_adds_rows_and_the_report_says_so(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "earlier.csv"
    file.write_text("policy,score\n" + "old,0.25\nnew,1\n" * 8)

    assert "imported: 16 trials" in call("import", folder, file, "--reason", "pilot").output
    assert call("import", folder, file).exit_code == 2
    call("void", folder, "3", "--reason", "the <b>cup</b> broke")
    call("amend", folder, "--reason", "new camera")
    call("run", folder, typed="release it looked odd\nall\nquit\n")
    page = tmp_path / "report.html"
    assert "written" in call("report", folder, "--html", page).output
    text = page.read_text()
    assert "rows imported for stack" in text
    assert "new camera" in text
    assert "the &lt;b&gt;cup&lt;/b&gt; broke" in text
    assert "not revealed" in text
    assert "given back: it looked odd" in text


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    call("init", folder)
    call("lock", folder)

    modes = [oct(path.stat().st_mode & 0o777) for path in (folder, *sorted(folder.iterdir()))]

    assert modes[0] == "0o700"
    assert set(modes[1:]) == {"0o600"}
    study = sw.Study.open(folder)
    assert study.folder == folder


def test_other_trials_that_went_alike_are_imported_if_that_is_said(
    folder: Path, tmp_path: Path
) -> None:
    """Scores do not tell trials apart: to leave some out for their scores would be a selection."""
    one, two, three = (tmp_path / f"{day}.csv" for day in ("monday", "tuesday", "wednesday"))
    for file in (one, two):
        file.write_text("policy,score\nold,0\nnew,1\n")
    three.write_text(one.read_text() + "old,1\nnew,1\n")
    assert call("import", folder, one, "--reason", "pilot").exit_code == 0
    assert "if these are different trials" in call("import", folder, two, "--reason", "x").output
    grown = call("import", folder, three, "--reason", "x").output
    assert "these trials of 'stack' begin with the scores that were imported" in grown

    said = call("import", folder, two, "--reason", "another day", "--again")

    assert said.output == "imported: 2 trials\n"
    study = sw.Study.open(folder)
    entries = [entry for entry in study.journal() if entry.kind == "imported"]
    assert [entry.content["again"] for entry in entries] == [False, True]
    assert study.status().scored == 4
    assert study.verify().sound


PRINTING = """
import logging, os, pathlib, sys
from stopwise.cli.study.runner import _alone
with _alone(pathlib.Path(sys.argv[1])) as say:
    say("trial 1: running")
    print("flow")
    print("flow", file=sys.stderr)
    logging.warning("flow")
    os.system("echo flow")
print("over")
"""


def test_what_a_policy_of_the_runners_own_process_prints_is_for_its_owner_alone(
    tmp_path: Path,
) -> None:
    log = tmp_path / "runner.log"
    command = [sys.executable, "-c", PRINTING, str(log)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)

    assert shown.stdout == "trial 1: running\nover\n"
    assert shown.stderr == ""
    assert log.read_text().count("flow") == 4
    assert log.stat().st_mode & 0o777 == 0o600


def test_no_cell_of_an_export_is_a_formula(tmp_path: Path) -> None:
    """Notes are typed by people, and a spreadsheet runs what begins with "="."""
    folder, file, note = tmp_path / "study", tmp_path / "trials.csv", '=HYPERLINK("http://x")'
    study = locked(folder, policies=["+rl", "new"], blinding="none")
    for station in ("@a", "b"):
        trial = study.next_trial(station)
        assert trial is not None
        study.record(trial.trial, True, station=station, note=note)
    study.unblind(reason="x")

    call("export", folder, file)
    cells = [cell for line in csv.reader(file.read_text().splitlines()) for cell in line]
    call("export", folder, file.with_suffix(".jsonl"))

    assert {"'" + note, "'+rl", "'@a", "1.0", "True"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert json.loads(file.with_suffix(".jsonl").read_text().splitlines()[0])["note"] == note
