"""The goal "best" in all commands that compare, and the one line for each that it does not fit."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stopwise.cli import app

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
