"""``stopwise compare`` as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.cli.typed import run


def test_compare_counts_as_json() -> None:
    content = json.loads(run("compare", "10/10", "10/15", "--json")[1])

    assert content["schema"] == 1
    assert content["method"] == "barnard"
    assert content["better"] is None
    assert content["p_value"] == pytest.approx(0.0509, abs=1e-4)
    intervals = [policy.pop("interval") for policy in content["policies"]]
    assert content["policies"] == [
        {"name": "first", "successes": 10, "n": 10, "letters": "a", "mean": 1.0},
        {"name": "second", "successes": 10, "n": 15, "letters": "a", "mean": 10 / 15},
    ]
    assert intervals[0] == pytest.approx([0.025 ** (1 / 10), 1.0])
    assert intervals[1] == pytest.approx([0.384, 0.882], abs=1e-3)
    low, high = content["difference"]
    assert low < -1 / 3 < 0 < high < 0.01  # as close to 0 as p to alpha
    assert f"of second - first [{low:.3g}, " in content["sentence"]


def test_compare_takes_the_options_that_its_errors_advise(tmp_path: Path) -> None:
    for name, score in {"old": 1, "new": 9}.items():
        rows = "".join(f"cup,{score},{score}\ndoor,{score},{score}\n" for _ in range(30))
        for ending in ("txt", "csv"):
            (tmp_path / f"{name}.{ending}").write_text("task,kept,other\n" + rows)
    bounds = ("--bounds", "0,10")
    files = [str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), *bounds]

    unknown = run("compare", *(str(tmp_path / f"{name}.txt") for name in ("old", "new")))[1]
    unnamed = run("compare", *files)[1]
    chosen = [*files, "--score", "kept"]
    undirected = run("compare", *chosen)[1]
    apart = run("compare", *chosen, "--higher-is-better", "--n-max", "30")[1]
    other = run("compare", *chosen, "--higher-is-better", "--method", "wsr")[1]

    assert "give it the ending of its format, such as .csv" in unknown
    assert "name it with --score" in unnamed
    assert "say --lower-is-better or --higher-is-better" in undirected
    assert apart.startswith("On each of the 2 tasks: new is better than old.\n")
    assert apart.count("the claims on 2 tasks share alpha") == 1
    assert "(wsr, " in other
