"""What was saved with another edition of its method is refused, in one clear line, for each kind.

The number is changed as another version would have written it: digests and hashes are made anew
from what the files document, without the code that reads them.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.rollout.watch import Watch
from tests.saved.same import SAVED, read

OTHER = 77


def require_refusal(error: BaseException, method: str = "wsr", edition: int = OTHER) -> None:
    """Raise unless this is one line that names the method, both editions and what to do."""
    text = str(error)
    assert "\n" not in text
    ours = sw.methods()[method].edition
    assert re.search(rf"edition {edition} of {method}\b.*\bedition {ours}\b.*version", text), text


def with_other_edition(text: str) -> str:
    """Return a saved test or rule as another edition would have saved it."""
    document = json.loads(text)
    content = document["content"]
    if "contest" in content:
        content["contest"] = with_other_edition(content["contest"])
    else:
        content["edition"] = OTHER
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({**document, "digest": digest})


@pytest.mark.parametrize("name", ["nscore", "wsr", "savi", "step"])
def test_a_saved_test(name: str) -> None:
    saved = read(f"tests/{name}.json")["saved"]
    with pytest.raises(sw.InvalidState) as refused:
        sw.SequentialTest.from_json(with_other_edition(saved))
    require_refusal(refused.value, name)


def test_a_saved_rule() -> None:
    saved = read("rules/holm.json")["saved"]
    with pytest.raises(sw.InvalidState) as refused:
        sw.StopRule.from_json(with_other_edition(saved))
    require_refusal(refused.value)


def test_a_journal_of_a_race(tmp_path: Path) -> None:
    call, journal = read("races/said.json")["call"], tmp_path / "race.jsonl"
    first, rest = (SAVED / "races" / "begun.jsonl").read_text().split("\n", 1)
    head: dict[str, Any] = json.loads(first)
    head["race"]["edition"] = OTHER
    journal.write_text(f"{json.dumps(head)}\n{rest}")
    before = journal.read_bytes()

    with pytest.raises(sw.InvalidState) as refused:
        sw.race(**call, journal=journal)
    require_refusal(refused.value)
    assert journal.read_bytes() == before


def test_a_state_of_a_watch(tmp_path: Path) -> None:
    call, state = read("watch/said.json")["call"], tmp_path / "state.json"
    content = json.loads((SAVED / "watch" / "state.json").read_text())
    for task in content["tasks"].values():
        task["rules"]["edition"] = OTHER
    state.write_text(json.dumps(content))
    before = state.read_bytes()

    with pytest.raises(sw.InvalidState) as refused:
        Watch(SAVED / "watch" / "seen.csv", state=state, **call).look()
    require_refusal(refused.value)
    assert state.read_bytes() == before


KEPT = "other-edition"
# Written by the version that made them, with the second edition of nscore-plus.
SECOND = 2


@pytest.mark.parametrize("name", ["nscore-plus", "nscore-plus-paired", "nscore-plus-extended"])
def test_a_test_that_an_older_version_saved(name: str) -> None:
    with pytest.raises(sw.InvalidState) as refused:
        sw.SequentialTest.from_json(read(f"{KEPT}/tests/{name}.json")["saved"])
    require_refusal(refused.value, "nscore-plus", SECOND)


def test_what_older_rules_races_and_watches_left(tmp_path: Path) -> None:
    journal, state = tmp_path / "race.jsonl", tmp_path / "state.json"
    shutil.copy(SAVED / KEPT / "races" / "begun.jsonl", journal)
    shutil.copy(SAVED / KEPT / "watch" / "state.json", state)
    race, watch = (read(f"{KEPT}/{kind}/said.json")["call"] for kind in ("races", "watch"))
    seen = SAVED / KEPT / "watch" / "seen.csv"
    rule = read(f"{KEPT}/rules/holm.json")["saved"]
    uses: list[Callable[[], object]] = [
        lambda: sw.race(**race, journal=journal),
        lambda: Watch(seen, state=state, **watch).look(),
        partial(sw.StopRule.from_json, rule),
    ]
    for use in uses:
        with pytest.raises(sw.InvalidState) as refused:
            use()
        require_refusal(refused.value, "nscore-plus", SECOND)
