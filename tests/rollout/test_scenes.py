"""Races on a fixed list of scenes: each once, the same for all, in an order drawn before."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.rollout.executors import processes
from tests.rollout.players import draw

RATES = {"low": 0.3, "high": 0.7, "mid": 0.5}


def answer(found: sw.Analysis) -> list[tuple[str, float, int]]:
    return [(pair.relation, pair.p_value, pair.n) for pair in found.pairs]


def test_all_policies_meet_each_scene_once_and_the_totals_decide() -> None:
    result = sw.race(RATES, draw, scenes=30, alpha=1e-9)
    scenes = {
        name: [e.seed for e in result.episodes if e.policy == name and e not in result.overshoot]
        for name in RATES
    }

    longest = max(scenes.values(), key=len)
    assert len({*longest}) == len(longest)
    assert {*longest} <= {*range(30)}
    assert longest != sorted(longest)
    assert all(own == longest[: len(own)] for own in scenes.values())
    assert result.decided
    means = {name: sum(draw(rate, seed) for seed in range(30)) for name, rate in RATES.items()}
    assert means["high"] > means["mid"] > means["low"]
    assert result.analysis.order_text == "high > mid; mid > low"
    assert "on these 30 scenes, in this run" in result.sentence
    tie = sw.race({"one": 0.5, "same": 0.5}, draw, scenes=30)
    assert sorted(episode.seed for episode in tie.episodes[::2]) == list(range(30))


def test_a_race_that_was_killed_goes_on_in_the_order_drawn(tmp_path: Path) -> None:
    journal = tmp_path / "race.jsonl"
    race = partial(sw.race, RATES, draw, scenes=[7, 90, *range(200, 260)], journal=journal)
    whole = race()
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:31]))
    again = race(executor=processes(2))

    assert answer(again.analysis) == answer(whole.analysis)
    assert again.seed == whole.seed
    assert json.loads(lines[0])["race"]["scenes"]["low"][0] == whole.episodes[0].seed
    for source in (journal, whole.trials):
        read: Any = sw.analyze(source, list_size=62, n_max=62, design="paired")
        assert answer(read) == answer(whole.analysis)
    with pytest.raises(sw.InvalidInput, match="another race: its n_max is 62, not 61"):
        sw.race(RATES, draw, scenes=[7, 90, *range(200, 259)], journal=journal)
    lines[3] = json.dumps({**json.loads(lines[3]), "seed": 8}) + "\n"
    journal.write_text("".join(lines))
    with pytest.raises(sw.InvalidState, match="line 4: the seed of"):
        race()


def test_each_policy_may_have_an_order_of_its_own(tmp_path: Path) -> None:
    journal = tmp_path / "race.jsonl"
    race = partial(sw.race, RATES, draw, scenes=range(200, 240), design="independent")
    result = race(journal=journal, alpha=1e-9)
    met = [[e.seed for e in result.episodes if e.policy == name] for name in RATES]

    orders = json.loads(journal.read_text().splitlines()[0])["race"]["scenes"]
    assert all(own == orders[name][: len(own)] for name, own in zip(RATES, met, strict=True))
    assert all(sorted(order) == list(range(200, 240)) for order in orders.values())
    assert len({order[0] for order in orders.values()}) > 1
    assert "on these 40 scenes, in this run" in result.sentence
    assert answer(race(journal=journal, alpha=1e-9).analysis) == answer(result.analysis)
    read = sw.analyze(journal, list_size=40, n_max=40, design="independent", alpha=1e-9)
    assert answer(read) == answer(result.analysis)


@pytest.mark.parametrize("design", ["paired", "independent"])
def test_a_baseline_that_was_run_on_the_list_before_is_stored(design: str) -> None:
    stored = {"mid": [draw(0.5, seed) for seed in range(30)]}
    result = sw.race({"low": 0.3}, draw, scenes=30, stored=stored, design=design, alpha=1e-9)
    run = sw.race({"mid": 0.5, "low": 0.3}, draw, scenes=30, design=design, alpha=1e-9)

    assert {episode.policy for episode in result.episodes} == {"low"}
    assert answer(result.analysis) == answer(run.analysis)
    assert result.analysis.order_text == "mid > low"
    if design == "paired":
        assert answer(sw.analyze(result.trials, list_size=30, n_max=30, alpha=1e-9)) == answer(
            run.analysis
        )


@pytest.mark.parametrize("given", ["60", "file"])
def test_the_command_takes_a_number_or_a_file_and_a_watch_follows(
    tmp_path: Path, given: str
) -> None:
    scenes, journal = tmp_path / "seeds.txt", str(tmp_path / "race.jsonl")
    scenes.write_text("".join(f"{seed}\n" for seed in range(60)))
    policies = [f"{name}=tests.rollout.players:make_{name}" for name in ("low", "high")]
    done = CliRunner().invoke(
        app,
        ["race", "--env", "tests.rollout.players:draw", "--policy", policies[0],
         "--policy", policies[1], "--scenes", given if given == "60" else str(scenes),
         "--journal", journal],
    )  # fmt: skip
    watched = CliRunner().invoke(
        app, ["watch", journal, "--list-size", "60", "--n-max", "60", "--once", "--json"]
    )

    assert done.exit_code == 0, done.stderr
    assert "high > low on these 60 scenes, in this run" in done.stdout
    assert "of at most 60 rows" in done.stdout
    (task,) = json.loads(watched.stdout)["tasks"]
    assert task["stop"]
    assert f"in {task['rows']} rows" in done.stdout or f"({task['rows']} of" in done.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_max": 30}, "of a list of scenes n_max is their number, 60: leave it out"),
        ({"list_size": 500}, "of a list of scenes list_size is their number, 60: leave it out"),
        ({"on_error": "void"}, "none may be left out"),
        ({"stored": {"old": [0.5] * 20}}, "has 20 stored trials, but the list has 60 scenes"),
        ({"env": {"a": draw, "b": draw}, "tasks": "mean"}, "all are of one environment"),
        ({"scenes": 0}, "scenes must be a whole number"),
        ({"scenes": 10**12}, "scenes must be a whole number from 1 to 10000000"),
        ({"scenes": 3.5}, "scenes must be a whole number from 1"),
        ({"scenes": [1, 1]}, "a scene is in the list twice"),
        ({"scenes": [-1]}, "a scene must be a whole number"),
        ({"scenes": "nowhere.txt"}, r"nowhere\.txt: the scenes cannot be read"),
    ],
)
def test_what_makes_no_list_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.race(**{"policies": RATES, "env": draw, "scenes": 60, **settings})
