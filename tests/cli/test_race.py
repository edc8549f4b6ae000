"""The commands that run or watch comparisons, in processes of their own."""

import contextlib
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

from typer.testing import CliRunner

from stopwise.cli import app
from tests.cli import typed

STOPWISE = Path(sys.executable).with_name("stopwise")
POLICIES = [
    "--policy", "fair=tests.rollout.players:make_fair",
    "--policy", "good=tests.rollout.players:make_good",
]  # fmt: skip
RACE = ["race", "--env", "tests.rollout.players:short_cart_pole", "--bounds", "0", "120"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [STOPWISE, *arguments], capture_output=True, text=True, timeout=6000, check=False
    )


def test_race_runs_keeps_its_journal_and_reports(tmp_path: Path) -> None:
    journal, page = tmp_path / "race.jsonl", tmp_path / "race.html"
    options = [*POLICIES, "--n-max", "50", "--journal", str(journal)]
    first = run(*RACE, *options, "--executor", "processes", "--workers", "2", "--html", str(page))
    again = run(*RACE, *options, "--json")

    assert first.returncode == 0, first.stderr
    assert "good > fair" in first.stdout
    assert first.stderr == ""
    assert page.read_text().startswith("<!doctype html>")
    outcome = json.loads(again.stdout)
    assert outcome["order_text"] == "good > fair"
    assert outcome["race"]["decided"]
    assert f"{outcome['race']['used']} of at most" in first.stdout
    assert outcome["trials_used"] == outcome["race"]["used"]
    assert outcome["trials_used"] + outcome["trials_saved"] == 100
    assert f"with {outcome['trials_used']} of at most 100 trials" in outcome["sentence"]
    # The second run found everything in the journal: its first line, and that it was taken up.
    assert len(journal.read_text().splitlines()) == outcome["race"]["episodes"] + 2


def test_a_page_that_cannot_be_written_loses_no_race(tmp_path: Path) -> None:
    page = tmp_path / "nowhere" / "race.html"
    before, after = (
        CliRunner().invoke(app, [*RACE, *POLICIES, "--n-max", "50", "--html", place])
        for place in (str(page), "/dev/full")
    )

    assert before.exit_code == after.exit_code == 2
    assert before.stderr == f"stopwise race: {page}: No such file or directory\n"
    assert before.stdout == ""  # refused before the first episode
    assert "good > fair" in after.stdout
    assert "No space left on device" in after.stderr


def test_race_shows_its_progress_in_a_terminal_only() -> None:
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [STOPWISE, *RACE, *POLICIES, "--n-max", "50"], stdout=subprocess.PIPE, stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as process:  # fmt: skip
        os.close(end)
        shown = b""
        # A closed terminal reads as an error on Linux, and as nothing elsewhere.
        with contextlib.suppress(OSError):
            while part := os.read(terminal, 4096):
                shown += part
        process.wait(timeout=600)
    os.close(terminal)

    assert process.returncode == 0
    text = shown.decode()
    assert "episode" in text
    assert "of at most 50 rows" in text
    assert "evidence" in text


def test_watch_once_says_stop_or_go_on(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("policy,score\na,0\nb,1\n")
    arguments = ["watch", str(path), "--once", "--bounds", "0,1"]
    few = CliRunner().invoke(app, arguments)
    path.write_text("policy,score\n" + "a,0\nb,1\n" * 30)
    many = CliRunner().invoke(app, [*arguments, "--json"])

    assert few.exit_code == 3
    assert "go on: more trials are needed" in few.stdout
    assert many.exit_code == 0
    assert json.loads(many.stdout)["stop"] is True


def test_watch_follows_a_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    command = [
        str(STOPWISE), "watch", str(path), "--bounds", "0,1", "--interval", "0.05", "--n-max", "40",
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "COLUMNS": "200"},
    ) as process:  # fmt: skip
        with path.open("w", buffering=1) as file:
            file.write("policy,score\n")
            for _ in range(40):
                file.write("a,0.1\nb,0.9\n")
                time.sleep(0.02)
        out, err = process.communicate(timeout=600)

    assert process.returncode == 0
    assert "b > a" in out
    assert "stop: no more trials are needed" in out
    assert "every pair is decided" in err


def test_a_race_of_checkpoints(tmp_path: Path) -> None:
    for name, rate in {"ckpt_9": 0.2, "ckpt_10": 0.5, "ckpt_40": 0.95}.items():
        (tmp_path / f"{name}.txt").write_text(str(rate))
    env = ["--env", "tests.rollout.players:draw", "--load", "tests.rollout.players:read_rate"]
    words = ["race", *env, "--checkpoints", f"{tmp_path}/ckpt_*.txt", "--goal", "best"]
    code, out = typed.run(*words, "--n-max", "60")
    found = json.loads(CliRunner().invoke(app, [*words, "--n-max", "60", "--json"]).stdout)

    assert code == 0
    lines = [line for line in out.splitlines() if "ckpt" in line]
    assert "best" in lines[0]
    assert "ckpt_40" in lines[0]
    assert f"dropped after row {found['eliminated']['ckpt_9']['row']}" in out
    assert " ".join(found["sentence"].split()) in " ".join(out.split())
    assert found["race"]["sentence"] == (
        f"ckpt_40 is the best of 3 (alpha 0.05), after {found['race']['used']} episodes instead of "
        "180"
    )
    assert (found["goal"], found["best"], found["candidates"]) == ("best", "ckpt_40", ["ckpt_40"])
