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
    assert "exact 95% intervals of the success rates 0.900 [0.782, 0.967]" in text
    answer = json.loads(run("compare", "50/50", "--reference", ".87", "--json")[1])
    assert (answer["better"], answer["method"]) == ("policy", "binomial")
    assert answer["p_value"] == pytest.approx(2 * 0.87**50)
    low, high = answer["policies"][0]["interval"]
    assert (low, high) == (pytest.approx(0.025 ** (1 / 50)), 1.0)
    worse = run("compare", "20/50", "--reference", ".87")[1]
    assert worse.startswith("The policy is worse than 0.87: 20/50")


@pytest.mark.parametrize("successes", range(0, 21, 4))
def test_test_and_interval_agree(successes: int) -> None:
    words = ("compare", f"{successes}/20", "--reference", ".6", "--json")
    answer = json.loads(run(*words)[1])
    low, high = answer["policies"][0]["interval"]
    assert (answer["better"] is None) == (low <= 0.6 <= high)


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
    assert "Trials so far: new 60, of at most 90 each." in " ".join(forecast[1].split())


def test_a_plan() -> None:
    code, text = run("plan", ".95", "--reference", ".87", "--method", "step", "--n-max", "100")
    assert code == 0
    assert "(0.95 against 0.87)" in " ".join(text.split())


def test_a_watch_goes_on(new: str, tmp_path: Path) -> None:
    words = ("watch", new, "--reference", ".6", "--n-max", "60", "--once")
    state = ("--state", str(tmp_path / "state.json"))
    first, second = run(*words, *state), run(*words, *state)
    assert first[0] == second[0] == 0
    assert "0.6" in first[1]
    assert run(*words[:3], ".7", *words[4:], *state)[0] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("45/50",), "45/50 is one policy: give the other too"),
        (("45/50", "40/50", "--reference", ".8"), "40/50 has no place in that"),
        (("45/50", "--reference", "1.2"), "reference must lie strictly between 0 and 1"),
        (("45/50", "--reference", ".8", "--n-max", "9"), "--n-max has no effect on counts"),
        (("51/50", "--reference", ".8"), "51/50 must be successes/trials"),
        (("none.csv", "--reference", ".8"), "neither successes/trials"),
    ],
)
def test_bad_input_gets_one_line(words: tuple[str, ...], message: str) -> None:
    code, error = run("compare", *words)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


def test_compare_and_gate_call_the_policy_of_one_file_alike(tmp_path: Path) -> None:
    place = tmp_path / "june.csv"
    place.write_text("policy,success\n" + "".join(f"pi,{score}\n" for score in GOOD))
    words = (str(place), "--reference", ".5", "--bounds", "0,1")

    assert run("compare", *words)[1].startswith("pi is better than 0.5.")
    assert run("gate", *words)[1].startswith("Pass: pi is better than 0.5")
    assert run("analyze", *words)[1].count("june") <= 1  # the note on its tasks
