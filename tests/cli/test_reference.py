"""``--reference``: one policy and a number, on the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.typed import run

GOOD = [1, 1, 1, 0, 1, 1, 1, 1, 1, 1] * 6


@pytest.fixture(name="new")
def _new(tmp_path: Path) -> str:
    place = tmp_path / "new.csv"
    place.write_text("\n".join(["success", *map(str, GOOD)]) + "\n")
    return str(place)


def test_counts_get_the_batch_answer() -> None:
    code, text = run("compare", "45/50", "--reference", ".87")
    assert code == 0
    assert text.startswith(
        "Undecided; this does not show that they are equal: 45/50 against 0.87, exact "
        "binomial test, two-sided p = 0.71"
    )
    assert "exact 95% interval of the success rate 0.900 [0.782, 0.967]" in text
    answer = json.loads(run("compare", "50/50", "--reference", ".87", "--json")[1])
    assert (answer["better"], answer["method"]) == ("policy", "binomial")
    assert answer["p_value"] == pytest.approx(2 * 0.87**50)
    low, high = answer["policies"][0]["interval"]
    assert (low, high) == (pytest.approx(0.025 ** (1 / 50)), 1.0)
    worse = run("compare", "20/50", "--reference", ".87")[1]
    assert worse.startswith("The policy is worse than 0.87: 20/50")


def test_one_file(new: str) -> None:
    settings = ("--reference", ".6", "--n-max", "60", "--bounds", "0,1")
    for command in ("compare", "analyze"):
        code, text = run(command, new, *settings, "--method", "step")
        assert code == 0
        assert "new > 0.6: 1 of 1 pair decided against 0.6 with" in " ".join(text.split())
    assert run("gate", new, *settings)[0] == 0
    assert run("gate", new, "--reference", ".99", "--n-max", "60")[0] == 1
    assert run("gate", new, "--reference", ".9", "--n-max", "60")[0] == 3
    forecast = run("forecast", new, "--reference", ".8", "--n-max", "90", "--precision", ".1")
    assert "Trials so far: new 60." in " ".join(forecast[1].split())


def test_compare_and_gate_call_the_policy_of_one_file_alike(tmp_path: Path) -> None:
    place = tmp_path / "june.csv"
    place.write_text("policy,success\n" + "".join(f"pi,{score}\n" for score in GOOD))
    words = (str(place), "--reference", ".5", "--bounds", "0,1")

    assert run("compare", *words)[1].startswith("pi is better than 0.5.")
    assert run("gate", *words)[1].startswith("Pass: pi is better than 0.5")
    assert run("analyze", *words)[1].count("june") <= 1  # the note on its tasks
