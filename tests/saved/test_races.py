"""Journals of races that were kept are read, and go on where the race was stopped."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from tests.saved.same import SAVED, read, require_same


@pytest.mark.parametrize(("name", "said"), [("begun", "gone on"), ("finished", "read again")])
def test_a_race_comes_to_the_end_it_had_then(name: str, said: str, tmp_path: Path) -> None:
    kept, journal = read("races/said.json"), tmp_path / "race.jsonl"
    shutil.copy(SAVED / "races" / f"{name}.jsonl", journal)
    before = journal.read_text().splitlines()

    found: dict[str, Any] = sw.race(**kept["call"], journal=journal).to_dict()

    del found["race"]["seconds"]
    require_same(found, kept[said])
    after = journal.read_text().splitlines()
    assert after[: len(before)] == before
    assert sum('"row"' in line for line in after) == found["race"]["episodes"]
