"""``stopwise gate`` as CI runs it: exit codes, files for machines, and a memory over the nights."""

import json
import os
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

import stopwise as sw
from stopwise.core.snapshot import dump
from tests.cli.typed import EXAMPLE, run

ROOT = Path(__file__).parents[2]
GOOD, BAD = [1, 1, 1, 0], [0, 0, 1, 0]
MARGIN = ["--margin", "5%"]


def written(place: Path, scores: list[int], column: str = "success") -> str:
    """Write a file of one policy."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join([column, *map(str, scores)]) + "\n")
    return str(place)


@pytest.mark.parametrize(
    ("new", "pairs", "code", "words"),
    [
        (GOOD, 160, 0, "Pass: new is less than 0.2 worse than old, shown after"),
        (BAD, 160, 1, "Fail: new is more than 0.2 worse than old, shown after"),
        (GOOD, 8, 3, "Undecided: about "),
    ],
)
def test_two_files_and_three_ends(
    tmp_path: Path, new: list[int], pairs: int, code: int, words: str
) -> None:
    files = [written(tmp_path / "new.csv", (new * 40)[:pairs]), "--baseline"]
    files.append(written(tmp_path / "old.csv", (GOOD[::-1] * 40)[:pairs]))

    found = run("gate", *files, "--margin", ".2", "--n-max", "160")
    answer = json.loads(run("gate", *files, "--margin", ".2", "--n-max", "160", "--json")[1])

    assert found[0] == code
    assert found[1].startswith(words)
    assert answer["answer"] == {0: "pass", 1: "fail", 3: "undecided"}[code]
    assert (answer["needed"] == 0) == (code != 3)
    assert answer["all_trials"]["p_value"] <= 0.05 or code == 3
    assert answer["all_trials"]["means"] == {"old": 0.75, "new": sum(new) / 4}
    assert answer["all_trials"]["trials"] == {"old": pairs, "new": pairs}
    assert answer["all_trials"]["pairs"] == pairs
    assert (answer["decision"] is None) == (code == 3)
    if code != 3:
        assert answer["decision"]["trials"] == dict.fromkeys(("old", "new"), answer["n"])


def test_one_file_with_both_policies_and_the_library_agree(tmp_path: Path) -> None:
    place = tmp_path / "both.csv"
    rows = [f"{name},{x}" for name in ("old", "new") for x in (GOOD if name == "old" else BAD) * 30]
    place.write_text("policy,success\n" + "\n".join(rows) + "\n")
    trials = sw.read_trials(place)

    by_name = run("gate", "new", "--baseline", "old", "--results", str(place), *MARGIN, "--json")
    by_file = run("gate", str(place), "--baseline", "old", "--json", *MARGIN)
    found = sw.gate("new", "old", 0.05, results=trials)

    assert by_name == by_file == (1, found.to_json() + "\n")
    assert sw.gate(place, "old", 0.05).to_dict() == found.to_dict()
    assert sw.gate(BAD * 30, GOOD * 30, 0.05, bounds=(0, 1)).n == found.n


def test_a_bug_never_looks_like_a_worse_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("stopwise.questions.gate.align", broken)

    assert run("gate", "base", "--baseline", "aug", "--results", EXAMPLE, *MARGIN)[0] == 2


def test_files_for_machines(tmp_path: Path) -> None:
    names = [tmp_path / "a|b.csv", tmp_path / "old<1>.csv"]
    written(names[0], BAD * 40)
    written(names[1], GOOD * 40)
    summary, page = tmp_path / "summary.md", tmp_path / "gate.html"
    summary.write_text("# before\n")

    both = ["--summary", str(summary), "--html", str(page)]
    code, _ = run("gate", str(names[0]), "--baseline", str(names[1]), *MARGIN, *both)
    lines = summary.read_text().splitlines()

    assert code == 1
    assert lines[0] == "# before"
    assert r"| fail | a\|b | old\<1\> | 0.05 |" in summary.read_text()
    bars = [line.replace(r"\|", "").count("|") for line in lines if line.startswith("|")]
    assert len(bars) == 3
    assert all(one == other for one, other in pairwise(bars))
    html = page.read_text()
    assert "<h1>a|b: fail</h1>" in html
    assert "old&lt;1&gt;.csv <span" in html
    assert "<title>stopwise: a|b: fail</title>" in html
    assert "up to the decision" in html


def nights(tmp_path: Path, number: int) -> list[str]:
    """Write a file per policy and night; return the command for all of them."""
    for night in range(1, number + 1):
        for name, scores in (("old", GOOD), ("new", GOOD[::-1])):
            tonight = random.Random(night).sample(scores * 7, 28)
            written(tmp_path / name / f"night-{night}.csv", tonight)
    return [str(tmp_path / "new"), "--baseline", str(tmp_path / "old"), "--margin", ".2"]


def test_nights_add_up_to_what_one_long_look_says(tmp_path: Path) -> None:
    state = ["--state", str(tmp_path / "gate.json"), "--json"]
    ends: list[dict[str, Any]] = []
    for number in range(1, 6):
        command = nights(tmp_path, number)
        ends.append(json.loads(run("gate", *command, *state)[1]))
        again = json.loads(run("gate", *command, *state)[1])
        assert again == ends[-1]  # looked at twice, counted once
    alone = json.loads(run("gate", *command, "--json")[1])

    assert ends[0]["answer"] == "undecided"
    assert [end["n"] for end in ends][:2] == [28, 56]
    assert ends[-1]["answer"] == "pass"
    assert ends[-1] == alone


def test_a_changed_past_or_other_rules_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "gate.json"
    command = [*nights(tmp_path, 2), "--state", str(place)]
    assert run("gate", *command)[0] == 3
    before = place.read_text()
    old, new = tmp_path / "old" / "night-1.csv", tmp_path / "new" / "night-2.csv"
    kept = old.read_text(), new.read_text()

    def refused(*more: str) -> str:
        code, output = run("gate", *command, *more)
        assert code == 2
        assert output.count("\n") == 1
        assert place.read_text() == before
        return output

    assert "margin was -0.2 before, but is now -0.1" in refused("--margin", ".1")
    assert "alpha was 0.05 before" in refused("--alpha", ".2")
    assert "n_max was not given before, but is now 500" in refused("--n-max", "500")
    assert "method was" in refused("--method", "wsr")
    lines = kept[0].splitlines()
    flipped = "1" if lines[5] == "0" else "0"
    old.write_text("\n".join([*lines[:5], flipped, *lines[6:]]) + "\n")
    assert "some of the 56 pairs counted before have changed" in refused()
    old.write_text(kept[0])
    new.unlink()
    assert "56 pairs counted before have changed or are missing" in refused()
    new.write_text(kept[1])
    (tmp_path / "new").rename(tmp_path / "newer")
    command[0] = str(tmp_path / "newer")
    assert "policies was" in refused()


def test_another_edition_or_a_damaged_state_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "gate.json"
    command = [*nights(tmp_path, 1), "--state", str(place)]
    run("gate", *command)
    content = json.loads(place.read_text())["content"]

    content["declared"]["edition"] = 77
    place.write_text(dump("stopwise gate", 1, content))
    edition = run("gate", *command)
    place.write_text(place.read_text().replace("0.05", "0.06"))
    damaged = run("gate", *command)
    place.write_bytes(b"\xff\xfe")
    other = run("gate", *command)
    within = run("gate", *command[:-1], str(tmp_path / "new" / "gate.json"))

    assert [found[0] for found in (edition, damaged, other, within)] == [2, 2, 2, 2]
    assert "edition was 77 before" in edition[1]
    assert "damaged" in damaged[1]
    assert "this is not the state of a gate" in other[1]
    assert "the state must not be among the results" in within[1]


ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def act(tmp_path: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Run the steps of the action as a runner does, without the one that installs stopwise."""
    given = {name: own.get("default", "") for name, own in ACTION["inputs"].items()} | inputs
    output, summary = tmp_path / "output", tmp_path / "summary"
    for place in (output, summary):
        place.write_text("")
    folder = Path(sys.executable).parent
    code = 0
    for step in ACTION["runs"]["steps"]:
        if step["id"] == "install":
            continue
        script = tmp_path / "step.sh"
        script.write_text(step["run"])
        own = {name: filled(value, given) for name, value in step["env"].items()}
        known = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        path = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        python = {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            env={**os.environ, **path, **python, **known, **own},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        code = code or done.returncode
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return code, outputs, summary.read_text()


def filled(value: str, inputs: dict[str, str]) -> str:
    """Put an input where the runner does."""
    name = value.removeprefix("${{ inputs.").removesuffix(" }}")
    return inputs[name]


def test_the_action_says_what_the_command_says(tmp_path: Path) -> None:
    written(tmp_path / "new one.csv", BAD * 40)
    written(tmp_path / "old.csv", GOOD * 40)

    code, outputs, summary = act(tmp_path, results="new one.csv", baseline="old.csv", margin=".1")

    assert code == 1
    assert outputs["verdict"] == "fail"
    assert float(outputs["p-value"]) <= 0.05
    assert outputs["needed"] == "0"
    assert "| fail | new one | old | 0.1 |" in summary
    assert set(outputs) == set(ACTION["outputs"])


@pytest.mark.parametrize(("undecided", "code"), [("fail", 3), ("pass", 0), ("maybe", 2)])
def test_the_action_lets_the_undecided_pass_if_asked(
    tmp_path: Path, undecided: str, code: int
) -> None:
    trials = {"results": EXAMPLE, "policy": "aug", "baseline": "base", "margin": "0.05"}

    found = act(tmp_path, **trials, options="--n-max 60 --bounds 0,1", undecided=undecided)

    assert found[0] == code
    assert found[1].get("verdict") == (None if code == 2 else "undecided")


def test_the_action_fails_on_bad_input(tmp_path: Path) -> None:
    assert act(tmp_path, results="nowhere.csv", baseline="old.csv", margin="5%")[:2] == (2, {})
