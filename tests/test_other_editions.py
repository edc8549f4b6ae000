"""What another stopwise saved is refused in one line, for each kind of saved thing.

The numbers are changed as another version would have written them, with the digest made anew.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.questions import pose, resume
from stopwise.rollout.watch import Watch

OTHER = 77
POLICIES = {"a": lambda seed: seed % 2, "b": lambda seed: seed // 2 % 2}


def dumped(text: str, **changes: Any) -> str:
    """Return a dumped text with another format, or with another edition in its content."""
    document = json.loads(text)
    edition, document["version"] = changes.get("edition"), changes.get("version", 1)
    content = document["content"]
    if edition is not None and "question" in content:
        content["question"] = dumped(content["question"], edition=edition)
    elif edition is not None:
        content.get("declared", content)["edition"] = edition
    document["digest"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps(document)


def of_question(goal: str) -> tuple[str, Callable[[str], object]]:
    question = pose(Rules(policies=("a", "b", "c"), method="wsr", goal=goal))
    question.add({"a": 0.2, "b": 0.9, "c": 0.4})
    return question.to_json(), resume


def of_test() -> tuple[str, Callable[[str], object]]:
    test = sw.SequentialTest("wsr")
    test.update(0.2, 0.9)
    return test.to_json(), sw.SequentialTest.from_json


def of_rule() -> tuple[str, Callable[[str], object]]:
    rule = sw.StopRule(["a", "b"], method="wsr")
    rule.add("a", 0.2)
    return rule.to_json(), sw.StopRule.from_json


TEXTS: dict[str, Callable[[], tuple[str, Callable[[str], object]]]] = {
    "test": of_test,
    "order": lambda: of_question("order"),
    "best": lambda: of_question("best"),
    "rule": of_rule,
}


class File:
    """A saved file of some kind: how to use it, and how to write another number into it."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "saved.json"
        self.folder = folder

    def use(self) -> object:
        """Go on with what is saved, or begin it."""
        raise NotImplementedError

    def change(self, **numbers: int) -> None:
        """Write other numbers than ours."""
        self.place.write_text(dumped(self.place.read_text(), **numbers) + "\n")


class GateState(File):
    """The memory of a gate."""

    def use(self) -> object:
        scores = [0.2, 0.9, 0.4] * 5
        return sw.gate(scores, scores, 0.1, method="wsr", state=self.place)


class RaceJournal(File):
    """The journal of a race."""

    def use(self) -> object:
        return sw.race(
            POLICIES, lambda act, seed: float(act(seed)), method="wsr", n_max=4, journal=self.place
        )

    def change(self, **numbers: int) -> None:
        first, rest = self.place.read_text().split("\n", 1)
        head = json.loads(first)
        head["version"] = numbers.get("version", 1)
        head["race"]["edition"] = numbers.get("edition", 1)
        self.place.write_text(f"{json.dumps(head)}\n{rest}")


class WatchState(File):
    """The state of a watch."""

    def use(self) -> object:
        trials = self.folder / "trials.csv"
        trials.write_text("policy,score\n" + "a,0.2\nb,0.9\n" * 4)
        settings: Any = {"method": "wsr"}
        return Watch(
            trials, reading={}, design="independent", settings=settings, state=self.place
        ).look()

    def change(self, **numbers: int) -> None:
        content = json.loads(self.place.read_text())
        content["version"] = numbers.get("version", 1)
        for task in content["tasks"].values():
            task["rules"]["edition"] = numbers.get("edition", 1)
        self.place.write_text(json.dumps(content))


def refused(use: Callable[[], object]) -> str:
    """Return the one line with which it is refused."""
    with pytest.raises(sw.InvalidState) as error:
        use()
    assert "\n" not in str(error.value)
    return str(error.value)


WORDS = {
    "edition": f"with edition {OTHER} of wsr, but this stopwise has edition 1: ",
    "version": f"in format {OTHER}, but this stopwise reads format 1: ",
}
REMEDY = "continue with the stopwise version it was started with"


@pytest.mark.parametrize("number", WORDS)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_saved_text(kind: str, number: str) -> None:
    text, use = TEXTS[kind]()

    use(text)
    assert f"{WORDS[number]}{REMEDY}" in refused(lambda: use(dumped(text, **{number: OTHER})))


@pytest.mark.parametrize("number", WORDS)
@pytest.mark.parametrize("kind", [GateState, RaceJournal, WatchState])
def test_a_saved_file_that_stays_as_it_is(kind: type[File], number: str, tmp_path: Path) -> None:
    file = kind(tmp_path)
    file.use()
    file.use()
    file.change(**{number: OTHER})
    before = file.place.read_bytes()

    assert f"{WORDS[number]}{REMEDY}" in refused(file.use)
    assert file.place.read_bytes() == before


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_without_its_numbers(kind: str) -> None:
    text, use = TEXTS[kind]()
    document = json.loads(text)

    del document["version"]
    assert "this is not a saved" in refused(lambda: use(json.dumps(document)))
