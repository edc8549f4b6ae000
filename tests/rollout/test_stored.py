"""Stored trials of a policy in rules, races, files and on the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.core.arrays import Floats
from tests.cli.typed import run

RNG = np.random.default_rng(4)
OLD = (RNG.random(200) < 0.45).astype(float)
NEW = (RNG.random(60) < 0.75).astype(float)
TIMES = RNG.uniform(2.0, 9.0, 200)


def ruled(old: Floats, new: Floats, **settings: Any) -> sw.StopRule:
    rule = sw.StopRule(["old", "new"], stored={"old": old}, **settings)
    for score in new:
        if not rule.stop:
            rule.add("new", float(score))
        if rule.rows == 7:
            rule = sw.StopRule.from_json(rule.to_json())
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
    with pytest.raises(sw.InvalidInput, match="policies must be distinct, but got new, new"):
        sw.race({"new": 0.8}, episode, stored={"new": OLD}, n_max=50)


def test_files_say_what_lies_unused_and_groups_use_it(tmp_path: Path) -> None:
    trials = {"old": OLD, "new": NEW}
    short, every = sw.analyze(trials), sw.analyze(trials, unequal="groups")

    (note,) = (note for note in short.warnings if "unequal numbers" in note)
    assert "the last 140 trials of the longest lie unused" in note
    assert "unequal='groups' uses every trial" in note
    assert sw.compare(OLD, NEW, unequal="groups").n_max == 60
    gated = sw.gate(NEW, OLD, margin=0.1).warnings
    assert any(note.endswith("unused, without a partner") for note in gated), "no such word there"
    assert not any("unequal numbers" in note for note in every.warnings)
    assert any("old 200 in 60 rows" in note for note in every.warnings)
    assert every.n_max == 60
    same = sw.analyze({"old": OLD[:60], "new": NEW}, unequal="groups", n_max=60)
    assert same.rules.groups is None

    path = tmp_path / "trials.csv"
    rows = [f"{name},{score:g}" for name, own in trials.items() for score in own]
    path.write_text("\n".join(["policy,score", *rows]))
    for more, said in (([], "--design groups"), (["--stored", "old"], "conditions of today")):
        done = CliRunner().invoke(app, ["analyze", str(path), "--bounds", "0,1", *more])
        assert said in " ".join(done.output.split())


STORED: dict[str, Any] = {"stored": {"old": OLD}, "n_max": 50}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"stored": {"older": OLD}}, "policies are old, new, but got stored trials of 'older'"),
        ({"n_max": 300}, "'old' has 200 trials, but n_max is 300"),
        ({"design": "paired"}, "does not go with design='paired'"),
        ({"stored": {"old": OLD, "new": OLD}}, "none to try"),
        ({"stored": {"old": OLD * 3}}, "within the bounds"),
        ({"stored": {"old": [np.nan] * 60}}, "each a score"),
        ({"stored": OLD}, "stored must name each policy with its scores"),
        ({"method": "step"}, "takes any score, but step does not"),
        ({"goal": "best"}, "an average of several trials does not go with goal='best'"),
        ({}, "has stored trials and is not tried again"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(sw.InvalidInput, match=complaint):
        sw.StopRule(["old", "new"], **{**STORED, **changes}).add("old", 1.0)


def baseline(folder: Path, policy: str = "base") -> Path:
    rows = "".join(f"{policy},{score:g}\n" for score in OLD)
    (folder / "old.csv").write_text(f"policy,success\n{rows}")
    return folder / "old.csv"


def test_a_watch_awaits_the_new_policy_only(tmp_path: Path) -> None:
    """Row by row it says what a rule says; a changed baseline is another comparison."""
    new = (np.random.default_rng(3).random(50) < 0.8).astype(float)
    rule = sw.StopRule(["old", "new"], stored={"old": OLD}, n_max=50)
    stored, growing, state = baseline(tmp_path), tmp_path / "new.csv", tmp_path / "state.json"
    growing.write_text("policy,success\n")
    settings = ["--n-max", "50", "--bounds", "0,1", "--state", str(state), "--json", "--once"]
    for score in new:
        with growing.open("a") as file:
            file.write(f"new,{score:g}\n")
        rule.add("new", score)
        code, said = run("watch", str(growing), "--stored", f"old={stored}", *settings)
        (task,) = json.loads(said.splitlines()[-1])["tasks"]
        assert task["rows"] == rule.rows
        assert task["analysis"]["pairs"][0]["p_value"] == rule.analysis().pairs[0].p_value
        assert code == (0 if rule.stop else 3)
        if rule.stop:
            break
    assert task["needed"] == []
    stored.write_text(stored.read_text().replace(",1", ",0", 1))
    code, said = run("watch", str(growing), "--stored", f"old={stored}", *settings)
    assert code == 2
    assert "stored trials of 'old' was" in said


def test_a_race_takes_stored_trials_from_a_file(tmp_path: Path) -> None:
    options = ["--policy", "high=tests.rollout.players:make_high", "--bounds", "0,1"]
    place = ["race", "--env", "tests.rollout.players:draw", "--n-max", "50", *options]
    stored = baseline(tmp_path)
    journal = str(tmp_path / "race.jsonl")
    code, said = run(*place, "--stored", f"old={stored}", "--json", "--journal", journal)
    _, printed = run(*place, "--stored", f"old={stored}")

    assert code == 0, said
    assert f"note: {stored}: columns used: score = success" in printed
    found = json.loads(said[said.index("{\n") :])
    assert found["order_text"] == "high > old"
    assert found["race"]["used"] < 50


def test_a_race_takes_the_measure_that_it_compares_from_a_file(tmp_path: Path) -> None:
    """Catches returns of a race beside a guessed column of the file, on another scale."""
    place, maker = tmp_path / "old.csv", "tests.rollout.players:make_high"
    place.write_text("policy,score\n" + "old,0.1\n" * 50)
    given = ["race", "--env", "CartPole-v1", "--policy", f"new={maker}", "--bounds", "0,500"]

    code, said = run(*given, "--n-max", "50", "--stored", f"old={place}")

    assert code == 2
    assert "there is no column 'return' for the score" in said


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--stored", "old"], "expected --stored NAME=FILE, but got 'old'"),
        (["--stored", "new=old.csv"], "'new' has stored trials and is in the files, too"),
        (["--stored", "old=none.csv"], "none.csv"),
        (["--stored", "old=both.csv"], "the policies are a, b, but not 'old'"),
        (["--stored", "old=old.csv", "--n-max", "60"], "'old' has 50 trials, but n_max is 60"),
        (["--stored", "old=old.csv", "--by", "wins"], "it is no trial that wins"),
        (["--stored", "old=old.csv", "--tasks", "mean:a=1"], "belong to one task"),
    ],
)
def test_a_watch_says_what_is_wrong_with_stored_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], complaint: str
) -> None:
    """At once: a watch that goes on would wait for a mistake to mend itself."""
    monkeypatch.chdir(tmp_path)
    Path("old.csv").write_text("policy,score\n" + "base,0.5\n" * 50)
    Path("both.csv").write_text("policy,score\na,0.5\nb,0.5\n")
    Path("new.csv").write_text("policy,score\nnew,0.5\n")
    first = [] if "--n-max" in options else ["--n-max", "50"]

    code, said = run("watch", "new.csv", *first, *options, "--once")

    assert code == 2
    assert complaint in said.strip().splitlines()[-1]


def test_groups_of_a_file_without_n_max_are_for_one_look() -> None:
    new = np.ones(30)
    once = sw.analyze({"old": OLD, "new": new}, stored="old")
    declared = sw.analyze({"old": OLD, "new": new}, stored="old", n_max=30)

    assert "for one look at them" in once.sentence
    assert "one look at the finished trials" in once.warnings[0]
    assert "one look" not in declared.sentence + "".join(declared.warnings)


def test_a_plan_counts_new_trials_beside_stored_ones() -> None:
    """With four stored trials for each new one: the figures of docs/results.md."""
    settings: dict[str, Any] = {"n_max": 100, "detectable": False, "precision": 0.006}
    (row,) = sw.plan(0.5, 0.7, stored=400, **settings).rows
    assert row.power == pytest.approx(0.889, abs=0.02)
    assert row.mean_n == pytest.approx(53.8, abs=1.5)
    assert row.mean_trials == pytest.approx(row.mean_n)
    assert (row.policies, row.most_trials, row.fixed_n) == (1, 100, None)
    single, none = (
        sw.plan(0.5, 0.7, stored=number, n_max=100, detectable=False, seed=3).rows[0]
        for number in (100, None)
    )
    assert single.power == pytest.approx(none.power, abs=0.05)  # groups of one are trials
    assert 2 * single.mean_trials == pytest.approx(none.mean_trials, rel=0.05)
    many = sw.plan(0.3, 0.6, 0.9, stored=60, budget=100, detectable=False, precision=0.05)
    assert (many.rows[0].n_max, many.policies) == (50, 2)
    assert many.rows[0].mean_trials <= 100
    assert "at most 50 new trials per policy" in many.sentence
