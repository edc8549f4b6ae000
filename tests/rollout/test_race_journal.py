"""Races that go on from their journal, and journals that are refused."""

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.rollout.watch import Watch
from tests.rollout.players import draw

RATES = {"low": 0.3, "high": 0.8}


def test_a_race_goes_on_from_its_journal_after_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "race.jsonl"
    race = partial(sw.race, RATES, n_max=200, seed=9, alpha=0.001)
    whole = race(draw)
    runs = []

    def crashing(policy: Any, seed: int) -> float:
        runs.append(seed)
        if len(runs) == 8:
            raise KeyboardInterrupt
        return draw(policy, seed)

    crashing.__qualname__ = draw.__qualname__
    with pytest.raises(KeyboardInterrupt):
        race(crashing, journal=path)
    with path.open("a") as file:
        file.write('{"policy": "low", "row": 3, "se')
    resumed = race(draw, journal=path)
    finished = race(draw, journal=path)

    assert resumed.rows == whole.rows
    assert [e.place for e in resumed.episodes] == [e.place for e in whole.episodes]
    assert [e.score for e in resumed.episodes] == [e.score for e in whole.episodes]
    assert any("cut off" in warning for warning in resumed.analysis.warnings)
    assert finished.episodes == resumed.episodes
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["race"]["seed"] == 9
    assert sum("resumed" in line for line in lines) == 2
    assert sum("score" in line for line in lines) == len(whole.episodes)


def test_two_races_do_not_write_one_journal(tmp_path: Path) -> None:
    """Their lines would mix, and each would cut off what the other was just writing."""
    path = tmp_path / "race.jsonl"
    race = partial(sw.race, RATES, n_max=5, seed=9, journal=path)
    refused: list[bytes] = []

    def meddling(policy: Any, seed: int) -> float:
        if not refused:
            with pytest.raises(sw.InvalidInput, match="another race is writing to this journal"):
                race(draw)
            refused.append(path.read_bytes())
        return draw(policy, seed)

    meddling.__qualname__ = draw.__qualname__
    first = race(meddling)

    assert refused[0].count(b"\n") == 1
    assert race(draw).episodes == first.episodes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 8}, "its seed is 7, not 8"),
        ({"env": "CartPole-v1"}, "its env is 'function draw', not 'CartPole-v1'"),
        ({"score": "success"}, "its score is None, not 'success'"),
        ({"policies": {**RATES, "high": 0.9}}, "its policy 'high' is 0.8, not 0.9"),
    ],
)
def test_a_journal_of_another_race_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = tmp_path / "race.jsonl"
    settings: dict[str, Any] = {
        "policies": RATES, "env": draw, "n_max": 5, "seed": 7, "journal": path,
    }  # fmt: skip
    sw.race(**settings)
    before = path.read_bytes()

    with pytest.raises(sw.InvalidInput, match=f"another race: {message}"):
        sw.race(**{**settings, **change})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("policy,score\n", "not a race journal"),
        ('{"kind": "stopwise race", "version": 99}\n', "in format 99"),
        ('{"kind": "else"}\n', "not a race journal"),
        ('{"kind": "stopwise race", "version": 1, "race": 5}\n', "line 1: the journal is damaged"),
    ],
)
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "race.jsonl"
    path.write_text(content)

    error = sw.InvalidInput if "not a race journal" in said else sw.InvalidState
    with pytest.raises(error, match=rf"race\.jsonl.*{said}"):
        sw.race(RATES, draw, n_max=5, journal=path)
    assert path.read_text() == content


def refusals(race: Any, path: Path, lines: list[str]) -> set[str]:
    """Messages of the race and of the file reader for a journal with these lines."""
    path.write_text("\n".join([*lines, ""]))
    found = set()
    for refused in (race, partial(sw.read_trials, path)):
        with pytest.raises(sw.StopwiseError) as caught:
            refused()
        found.add(str(caught.value))
    return found


def test_a_race_goes_on_with_the_design_of_its_journal(tmp_path: Path) -> None:
    """One that was begun when independent was the default."""
    path = tmp_path / "race.jsonl"
    begun = sw.race(RATES, draw, n_max=20, design="independent", journal=path)

    resumed = sw.race(RATES, draw, n_max=20, journal=path)

    assert resumed.analysis.to_dict() == begun.analysis.to_dict()
    with pytest.raises(sw.InvalidInput, match="its design is 'independent', not 'paired'"):
        sw.race(RATES, draw, n_max=20, design="paired", journal=path)


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (4, {"policy": "mid"}, "the policy 'mid' takes no part in this race"),
        (4, {"row": -1}, "the row must be a whole number of at least 0, but is -1"),
        (4, {"row": 1.0}, "the row must be a whole number of at least 0, but is 1.0"),
        (4, {"row": 20}, "row 20 cannot be: the race has 20 rows, from 0 on"),
        (4, {"row": 0}, "'low' has a score in row 0 already"),
        (4, {"score": None}, "an episode has a score or an error, but this has None and None"),
        (4, {"score": "1"}, "the score must be a finite number, but is '1'"),
        (4, {"score": math.nan}, "the score must be a finite number, but is nan"),
        (4, {"seed": 5}, "the seed of 'low' in row 1 must be 3581274545, but is 5"),
        (4, {"task": ["reach"]}, "the task ['reach'] is not of this race"),
        (42, {"joined": ["mid"], "row": 3, "policy": "0.5"}, "the journal is damaged here"),
        (42, {"resumed": 3, "on_error": "score:none"}, "the journal is damaged here"),
        (42, [], "the journal is damaged here"),
    ],
)
def test_what_a_race_cannot_have_written_is_refused_with_its_line(
    tmp_path: Path, number: int, change: Any, message: str
) -> None:
    path = tmp_path / "race.jsonl"
    race = partial(sw.race, RATES, draw, n_max=20, alpha=1e-9, journal=path)
    race()
    lines = path.read_text().splitlines()
    own = {**json.loads(lines[number - 1]), **change} if number <= len(lines) else change
    lines[number - 1 :] = [json.dumps(own), *lines[number:]]

    assert refusals(race, path, lines) == {f"{path}, line {number}: {message}"}


@pytest.mark.parametrize("change", [{"seed": "x"}, {"bounds": ["a", "b"]}, {"n_max": "many"}])
def test_a_damaged_first_line_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    race = {"policies": list(RATES), "design": "paired", "seed": 1, **change}
    (tmp_path / "race.jsonl").write_text(json.dumps({"kind": "stopwise race", "race": race}) + "\n")

    with pytest.raises(sw.InvalidInput, match="line 1: the journal is damaged here"):
        sw.read_trials(tmp_path / "race.jsonl")


def test_a_journal_is_read_by_all_that_read_files(tmp_path: Path) -> None:
    path = tmp_path / "race.jsonl"
    raced = sw.race(RATES, draw, n_max=60, seed=3, journal=path)
    (sight,) = Watch(path, reading={}, settings={"n_max": 60}).look()

    expected = [(pair.n, pair.decision, pair.p_value) for pair in raced.analysis.pairs]
    assert sight.stop
    for found in (sw.analyze(path, n_max=60), sight.analysis):
        assert found is not None
        assert [(pair.n, pair.decision, pair.p_value) for pair in found.pairs] == expected
    assert "low 0.273 (n = 11), high 0.909 (n = 11)" in str(
        sw.plan(pilot=path, n_max=20, precision=0.1)
    )
    assert sw.forecast(path, n_max=60).seen == {"low": 11, "high": 11}
    with path.open("a") as file:  # a line that is being written
        file.write('{"policy": "low", "row": 3, "se')
    assert any("cut off" in note for note in sw.read_trials(path).notes)
    text = path.read_text().replace('"score": 0.0', '"score": 7.0', 1)
    number = next(n for n, line in enumerate(text.splitlines(), 1) if '"score": 7.0' in line)
    path.write_text(text)
    with pytest.raises(sw.InvalidInput, match=rf"race\.jsonl, line {number}, .*but got 7"):
        sw.read_trials(path)
