"""A study that was kept is opened, says the same, and goes on."""

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from tests.saved.same import SAVED, read, require_same
from tests.study.live import Clock

VARIANTS = ("study", "unblinded")


def opened(variant: str, tmp_path: Path) -> tuple[sw.Study, dict[str, Any], Clock]:
    """Return a copy of a kept study, what was said of it, and the clock of that day."""
    said, clock = read(f"studies/{variant}/said.json"), Clock()
    clock.time = said["time"]
    folder = tmp_path / "study"
    shutil.copytree(SAVED / "studies" / variant, folder)
    return sw.Study.open(folder, clock=clock), said, clock


def plain(content: Any) -> Any:
    """Return a content as it is after a journey through JSON."""
    return json.loads(json.dumps(content))


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_says_what_it_said_then(variant: str, tmp_path: Path) -> None:
    study, said, _ = opened(variant, tmp_path)
    with study:
        require_same(plain(study.verdict().to_dict()), said["verdict"])
        require_same(plain(study.status().to_dict()), said["status"])
        found = {task: analysis.to_dict() for task, analysis in study.analyses().items()}
        require_same(plain(found), said["analyses"])
        assert study.finished is said["finished"]
        assert list(study.verify().problems) == said["problems"] == []
        study.records().write_csv(tmp_path / "records.csv")
        kept = SAVED / "studies" / variant / "records.csv"
        assert (tmp_path / "records.csv").read_text() == kept.read_text()


@pytest.mark.parametrize("variant", VARIANTS)
def test_its_journal_reads_as_it_did(variant: str, tmp_path: Path) -> None:
    """That of the unblinded study is the same, and one entry longer."""
    lines = (SAVED / "studies" / "study" / "journal.jsonl").read_text().splitlines()
    study, _, _ = opened(variant, tmp_path)
    with study:
        entries = study.journal()
    found = [[entry.seq, entry.who, entry.kind, entry.key, entry.content] for entry in entries]
    plain = json.loads(json.dumps(found))
    assert plain[: len(lines)] == [json.loads(line) for line in lines]
    assert [entry.kind for entry in entries[len(lines) :]] == ["unblinded"] * (variant != "study")


def test_its_tokens_are_those_of_then(tmp_path: Path) -> None:
    study, said, _ = opened("study", tmp_path)
    with study:
        grants = {role: study.authenticate(token) for role, token in said["tokens"].items()}
    assert {role: grant and str(grant.role) for role, grant in grants.items()} == {
        "owner": "owner",
        "operator": "operator",
        "viewer": None,  # was revoked
    }


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_goes_on_as_it_would_have_then(variant: str, tmp_path: Path) -> None:
    """With the same draws, and entries of the same text: the hash of the last one tells."""
    study, said, clock = opened(variant, tmp_path)
    with study:
        for step in said["further"]:
            clock.time = step["time"]
            trial = study.next_trial(step["trial"]["station"])
            assert trial is not None
            require_same(plain(trial.to_dict()), step["trial"])
            recorded = study.record(trial.trial, step["answer"], station=trial.station)
            require_same(dataclasses.asdict(recorded), step["recorded"])
        require_same(plain(study.verdict().to_dict()), said["then"]["verdict"])
        require_same(plain(study.status().to_dict()), said["then"]["status"])
        assert study.verify().problems == ()
        assert study.report().startswith("<!doctype html>")
