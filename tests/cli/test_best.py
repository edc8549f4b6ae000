"""The goal "best" in all commands that compare, and the one line for each that it does not fit."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from stopwise.cli import app
from stopwise.cli.evidence import WORDS, candidate_rows, candidates_text
from stopwise.cli.printing import FittingTable

RATES = {"ckpt_9": 0.2, "ckpt_10": 0.5, "ckpt_40": 0.95}
BEST = ["--goal", "best", "--n-max", "60"]


def typed(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def race(tmp_path: Path) -> list[str]:
    for name, rate in RATES.items():
        (tmp_path / f"{name}.txt").write_text(str(rate))
    env = [
        "race",
        "--env",
        "tests.rollout.players:draw",
        "--load",
        "tests.rollout.players:read_rate",
    ]
    return [*env, "--checkpoints", f"{tmp_path}/ckpt_*.txt"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    scores = {"low": [0, 0, 1], "mid": [0, 1, 0], "high": [1, 1, 1]}
    lines = [f"{name},{own[n % 3]}" for n in range(20) for name, own in scores.items()]
    path.write_text("\n".join(["policy,score", *lines, ""]))
    return path


def test_a_race_of_checkpoints(race: list[str]) -> None:
    code, out, _ = typed(*race, *BEST)
    found = json.loads(typed(*race, *BEST, "--json")[1])

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


def test_files_name_the_best_too(results: Path) -> None:
    code, out, _ = typed("analyze", results, *BEST)
    said = json.loads(typed("analyze", results, *BEST, "--json")[1])
    watched = typed("watch", results, *BEST, "--once", "--json")
    sight = json.loads(watched[1])["tasks"][0]

    assert code == watched[0] == 0
    assert "high is the best of 3" in out
    assert "verdict" in out
    assert "letters" not in out
    assert said["best"] == sight["best"] == "high"
    assert said["eliminated"] == sight["eliminated"]
    assert "stop after" in (line := typed("watch", results, *BEST, "--once")[1])
    assert ", high is named\n" in line


def test_a_watch_waits_for_a_policy_that_was_declared(results: Path, tmp_path: Path) -> None:
    once = ["watch", results, *BEST, "--once", "--state", tmp_path.parent / f"{tmp_path.name}.json"]
    code, out, _ = typed(*once, "--later", "new")
    assert code == 3
    assert "; 2 candidates left (high, new); waits for new to come\n" in out
    with results.open("a") as file:
        file.write("new,0\n" * 20)

    assert typed(*once, "--later", "new")[0] == 0
    unknown = ["watch", results, *BEST, "--once", "--state", once[-1]]
    with results.open("a") as file:
        file.write("newer,0\n" * 20)
    code, _, err = typed(*unknown, "--later", "new")
    assert code == 2
    assert err.endswith(
        "but now there is newer as well; policies that join later must be declared with --later: "
        "start over with all of them\n"
    )


def test_candidates_are_shown_while_a_race_runs() -> None:
    screen = io.StringIO()
    rows = candidate_rows(["a", "b"], {"a": 1.0, "b": 0.06, "c": 0.01}, 0.05)
    Console(file=screen, width=80).print(FittingTable(rows, WORDS, "title"))

    assert "0.06" in screen.getvalue()
    assert " c " not in screen.getvalue()
    assert candidates_text(["a"]) == "1 candidate left (a)"
    assert candidates_text("abcde") == "5 candidates left"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--method", "step"], "needs a method that bets"),
        (["--baseline", "low"], "--baseline belongs to the goal 'order'"),
        (
            ["--adjust", "bonferroni"],
            "--adjust belongs to the goal 'order', but the goal is 'best'",
        ),
        (["--ties", "paper"], "--ties belongs to the goal 'order'"),
        (["--goal", "bst"], "--goal must be one of order, best, but got 'bst'"),
        (["--goal", "order", "--indifference", "0.1"], "indifference belongs to the goal 'best'"),
        (["--indifference", "2"], "indifference must be at least 0 and below 1"),
    ],
)
def test_what_does_not_fit_is_one_line(words: list[str], line: str, results: Path) -> None:
    for command in (["analyze"], ["watch", "--once"]):
        code, out, err = typed(*command, results, *BEST, *words)
        assert (code, out) == (2, "")
        assert err.startswith(f"stopwise {command[0]}: ")
        assert line in err
        assert len(err.splitlines()) == 1


def test_commands_without_that_goal_say_so(results: Path) -> None:
    two = typed("compare", results, results, "--goal", "best")

    assert two[0] == 2
    assert two[2].startswith("stopwise compare: No such option: --goal")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "give either --policy NAME=package.module:factory for each policy, or --checkpoints"),
        (["--policy", "a=m:f", "--checkpoints", "x"], "give either --policy"),
        (["--checkpoints", "x"], "x: checkpoints need --load"),
        (["--checkpoints", "none/*", "--load", "m:f"], "none/*: no checkpoint matches"),
        (["--policy", "a=m:f"], "at least 2 policies, but got 1; give --policy once for each"),
        (["--policy", "a=m:f", "--load", "m:f"], "--load is for checkpoints"),
    ],
)
def test_policies_of_a_race_are_named_or_found(words: list[str], line: str) -> None:
    code, _, err = typed("race", "--env", "tests.rollout.players:draw", *BEST, *words)

    assert code == 2
    assert line in err
    assert len(err.splitlines()) == 1
