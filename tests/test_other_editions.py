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
    scores = {"a": 0.2, "b": 0.9, "c": 0.4}
    question.add({name: [scores[name]] * len(numbers) for name, numbers in question.places.items()})
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


def gate(place: Path) -> object:
    scores = [0.2, 0.9, 0.4] * 5
    return sw.gate(scores, scores, 0.1, method="wsr", state=place)


def race(place: Path) -> object:
    def run(policy: Callable[[int], int], seed: int) -> float:
        return float(policy(seed))

    return sw.race(POLICIES, run, method="wsr", n_max=4, journal=place)


def watch(place: Path) -> object:
    trials = place.with_name("trials.csv")
    trials.write_text("policy,score\n" + "a,0.2\nb,0.9\n" * 4)
    settings: Any = {"method": "wsr"}
    return Watch(trials, reading={}, design="independent", settings=settings, state=place).look()


def changed(text: str, **numbers: int) -> str:
    """A saved file with numbers that differ from ours."""
    first, line, rest = text.partition("\n")
    if rest:  # a race's journal
        head = json.loads(first)
        head["version"] = numbers.get("version", 1)
        head["race"]["edition"] = numbers.get("edition", 1)
        return f"{json.dumps(head)}{line}{rest}"
    content = json.loads(text)
    if "tasks" not in content:
        return dumped(text, **numbers) + "\n"
    content["version"] = numbers.get("version", 1)
    for task in content["tasks"].values():
        task["rules"]["edition"] = numbers.get("edition", 1)
    return json.dumps(content)


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


@pytest.mark.parametrize(
    ("use", "number"),
    [(gate, "version"), *((use, number) for use in (race, watch) for number in WORDS)],
)
def test_a_saved_file_that_stays_as_it_is(
    use: Callable[[Path], object], number: str, tmp_path: Path
) -> None:
    place = tmp_path / "saved.json"
    use(place)
    use(place)
    place.write_text(changed(place.read_text(), **{number: OTHER}))
    before = place.read_bytes()

    assert f"{WORDS[number]}{REMEDY}" in refused(lambda: use(place))
    assert place.read_bytes() == before


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_without_its_numbers(kind: str) -> None:
    text, use = TEXTS[kind]()
    document = json.loads(text)

    del document["version"]
    assert "this is not a saved" in refused(lambda: use(json.dumps(document)))
