"""--equivalence in the commands that compare."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from stopwise.cli import app

OPTIONS = ["--equivalence", "0.15", "--n-max", "100", "--bounds", "0,1"]


def typed(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture
def results(tmp_path: Path) -> dict[str, Path]:
    rng = np.random.default_rng(1)
    means = {"old": 0.6, "new": 0.6, "bad": 0.2}
    scores = {name: rng.binomial(6, mean, 100) / 6 for name, mean in means.items()}
    paths = {name: tmp_path / f"{name}.csv" for name in scores}
    for name, path in paths.items():
        path.write_text("\n".join(["score", *(f"{score:.6f}" for score in scores[name]), ""]))
    lines = [f"{name},{scores[name][row]:.6f}" for row in range(100) for name in scores]
    paths["all"] = tmp_path / "all.csv"
    paths["all"].write_text("\n".join(["policy,score", *lines, ""]))
    return paths


def test_analyze_watch_and_compare_show_the_fourth_end(results: dict[str, Path]) -> None:
    found = json.loads(typed("analyze", results["all"], *OPTIONS, "--json")[1])
    assert [pair["decision"] for pair in found["pairs"]].count("equivalent") == 1
    assert "(within 0.15)" in found["order_text"]

    code, output = typed("watch", results["all"], *OPTIONS, "--once")
    assert code == 0
    assert "every pair is decided" in output

    _, output = typed("compare", results["old"], results["new"], *OPTIONS)
    assert "(within 0.15)" in output
    assert "assumes a difference that stays the same" in output
