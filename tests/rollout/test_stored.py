"""Stored trials of a policy in rules, races, files and on the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.core.arrays import Floats

RNG = np.random.default_rng(4)
OLD = (RNG.random(200) < 0.45).astype(float)
NEW = (RNG.random(60) < 0.75).astype(float)
TIMES = RNG.uniform(2.0, 9.0, 200)


def ruled(old: Floats, new: Floats, **settings: Any) -> sw.StopRule:
    rule = sw.StopRule(["old", "new"], stored={"old": old}, **settings)
    for score in new:
        if not rule.stop:
            rule.add("new", float(score))
    return rule


@pytest.mark.parametrize("method", ["nscore-plus", "nscore", "wsr"])
@pytest.mark.parametrize("n_max", [50, 60])
def test_rule_and_file_say_the_same(method: str, n_max: int) -> None:
    settings: dict[str, Any] = {"method": method, "n_max": n_max, "bounds": (0, 10)}
    live = ruled(TIMES, NEW * 8, **settings).analysis()
    new = live.scores["new"]
    filed = sw.analyze({"old": TIMES, "new": new}, stored="old", **settings)

    assert live.pairs[0].p_value == filed.pairs[0].p_value
    assert live.pairs[0].interval == filed.pairs[0].interval
    assert live.sentence == filed.sentence
    assert live.policies == filed.policies
    assert "were run before the study and are assumed to come from" in filed.methods_paragraph
    (old,) = (policy for policy in live.policies if policy.name == "old")
    assert (old.n, old.trials_saved) == (200, 0)
    assert old.mean == pytest.approx(TIMES.mean())


def test_a_saved_rule_goes_on_identically() -> None:
    rule = sw.StopRule(["old", "new"], stored={"old": OLD}, n_max=60, fresh=10)
    assert rule.needed == ("new", "old")
    for turn in range(60):
        for policy in rule.needed:
            rule.add(policy, float(NEW[turn]) if policy == "new" else 1.0)
        if turn in (7, 30):
            again = sw.StopRule.from_json(rule.to_json())
            assert (again.needed, again.rows) == (rule.needed, rule.rows)
            assert again.analysis().to_dict() == rule.analysis().to_dict()
            rule = again
    assert rule.stop
    (doubt,) = rule.analysis().doubts
    assert "10 fresh trials of old went better (mean 1)" in doubt
    assert "stored trials from the conditions of today" in rule.analysis().sentence


def test_a_race_runs_the_new_policy_only_and_goes_on(tmp_path: Path) -> None:
    def episode(policy: float, seed: int) -> float:
        return float(np.random.default_rng(seed).random() < policy)

    settings: dict[str, Any] = {"n_max": 50, "journal": tmp_path / "race.jsonl"}
    first = sw.race({"new": 0.8}, episode, stored={"old": OLD}, **settings)
    again = sw.race({"new": 0.8}, episode, stored={"old": OLD}, **settings)

    assert {episode.policy for episode in first.episodes} == {"new"}
    assert first.analysis.to_dict() == again.analysis.to_dict()
    assert first.sentence == f"new > old (alpha 0.05), after {first.rows} episodes instead of 50"
    filed = sw.analyze(first.trials, stored="old", n_max=50)
    assert filed.pairs[0].p_value == first.analysis.pairs[0].p_value
    with pytest.raises(sw.InvalidInput, match="belongs to another race: its stored trials"):
        sw.race({"new": 0.8}, episode, stored={"old": 1 - OLD}, **settings)
    with pytest.raises(sw.InvalidInput, match="'new' has stored trials and is among"):
        sw.race({"new": 0.8}, episode, stored={"new": OLD}, n_max=50)


def test_several_stored_policies_are_compared_too() -> None:
    stored = {"old": OLD, "older": np.zeros(120)}
    rule = sw.StopRule(["old", "older", "new"], stored=stored, n_max=50)
    while not rule.stop:
        rule.add("new", float(NEW[rule.rows]))

    analysis = rule.analysis()
    assert analysis.letters["older"] != analysis.letters["old"]
    assert {pair.better for pair in analysis.pairs if "older" in (pair.policy0, pair.policy1)} == {
        "old",
        "new",
    }


def test_files_say_what_lies_unused_and_groups_use_it(tmp_path: Path) -> None:
    trials = {"old": OLD, "new": NEW}
    short, every = sw.analyze(trials), sw.analyze(trials, unequal="groups")

    (note,) = (note for note in short.warnings if "unequal numbers" in note)
    assert "the last 140 trials of the longest lie unused" in note
    assert "unequal='groups' uses every trial" in note
    assert not any("unequal numbers" in note for note in every.warnings)
    assert any("old 200 in 60 rows" in note for note in every.warnings)
    assert every.n_max == 60
    same = sw.analyze({"old": OLD[:60], "new": NEW}, unequal="groups", n_max=60)
    assert same.rules.groups is None

    path = tmp_path / "trials.csv"
    rows = [f"{name},{score:g}" for name, own in trials.items() for score in own]
    path.write_text("\n".join(["policy,score", *rows]))
    for more, said in (([], "--unequal groups"), (["--stored", "old"], "conditions of today")):
        done = CliRunner().invoke(app, ["analyze", str(path), "--bounds", "0,1", *more])
        assert said in " ".join(done.output.split())


STORED: dict[str, Any] = {"stored": {"old": OLD}, "n_max": 50}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"stored": {"older": OLD}}, "policies are old, new, but got stored trials of 'older'"),
        ({"n_max": None}, "follow from n_max"),
        ({"n_max": 300}, "'old' has 200 trials, but n_max is 300"),
        ({"design": "paired"}, "the independent design, but the design is 'paired'"),
        ({"stored": {"old": OLD, "new": OLD}}, "none to try"),
        ({"stored": {"old": OLD * 3}}, "within the bounds"),
        ({"stored": {"old": [np.nan] * 60}}, "each a score"),
        ({"method": "step"}, "takes any score, but step does not"),
        ({"goal": "best"}, "belong to the goal 'order'"),
        ({"stored": {}, "fresh": 2}, "fresh must be 0 without them, but got 2"),
        ({"fresh": 201}, "fresh must be at most 200"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(sw.InvalidInput, match=complaint) as error:
        sw.StopRule(["old", "new"], **{**STORED, **changes})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"stored": "older"}, "but got 'older' as stored"),
        ({"stored": "old", "design": "paired"}, "need one task and the independent design"),
        ({"stored": "old", "n_max": 300}, "has 200 trials"),
        ({"stored": ["old", "new"]}, "none to try"),
        ({"unequal": "all"}, "unequal must be one of shorter, groups"),
        ({"fresh": 5}, "fresh must be 0 without them"),
    ],
)
def test_files_that_cannot_be_grouped(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(sw.InvalidInput, match=complaint):
        sw.analyze({"old": OLD, "new": NEW}, **settings)


def test_a_stored_policy_takes_no_new_trials() -> None:
    rule = sw.StopRule(["old", "new"], **STORED)
    with pytest.raises(sw.InvalidInput, match="200 stored trials and is not tried again"):
        rule.add("old", 1.0)
