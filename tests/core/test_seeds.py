"""Randomised methods: nobody knows their luck beforehand, and anybody can repeat it later."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import stopwise as sw
from stopwise.core.rules import Rules
from stopwise.core.snapshot import dump, load
from stopwise.rollout.watch import Watch

LOOK: dict[str, Any] = {"n_max": 20, "last_look": "randomised"}
PAPER: dict[str, Any] = {"method": "step", "n_max": 20, "table": "paper"}
ALPHA, RATE, RUNS, PAIRS = 0.1, 0.99, 120, 50


def test_live_tests_without_a_seed_err_at_most_alpha_and_as_often_as_simulated_ones() -> None:
    """Catches a default seed: all live studies then had the same luck, and 62 % of these erred."""
    rng = np.random.default_rng(1)
    settings: dict[str, Any] = {"alpha": ALPHA, "n_max": PAIRS, "last_look": "randomised"}
    scores = (rng.random((RUNS, 2, PAIRS)) < RATE).astype(float)
    wrong = sum(sw.SequentialTest(**settings).run(*pairs).decided for pairs in scores)
    scores = (rng.random((2, 4000, PAIRS)) < RATE).astype(float)
    simulated = sw.simulate("nscore-plus", *scores, **settings).rate(1)

    assert binomtest(wrong, RUNS, ALPHA, alternative="greater").pvalue > 1e-4
    assert binomtest(wrong, RUNS, simulated).pvalue > 1e-4
    # Sabotage: the seed that used to be the default.
    fixed = sum(
        sw.SequentialTest(**settings, seed=0).run(*pairs).decided
        for pairs in scores[:, :45].transpose(1, 0, 2)
    )
    assert binomtest(fixed, 45, ALPHA, alternative="greater").pvalue < 1e-9


@pytest.mark.parametrize("settings", [LOOK, PAPER])
def test_a_seed_is_drawn_once_recorded_and_gives_the_same_result_again(
    settings: dict[str, Any],
) -> None:
    test = sw.SequentialTest(**settings)
    seed = test.rules.parameters["seed"]
    scores = np.random.default_rng(2).integers(0, 2, (2, 20)).tolist()

    again = sw.SequentialTest(**settings, seed=seed)
    resumed = sw.SequentialTest.from_json(test.to_json())

    assert sw.SequentialTest(**settings).rules.parameters["seed"] != seed
    assert resumed.rules == test.rules == again.rules
    verdict = test.run(*scores)
    assert verdict == again.run(*scores) == resumed.run(*scores)
    assert f"seed {seed}" in str(verdict)


def test_what_needs_no_luck_has_no_seed() -> None:
    for rules in (Rules(), Rules(n_max=20, parameters={"seed": None}), Rules(method="nscore")):
        assert "seed" not in rules.parameters
    assert Rules(parameters={"seed": 4}).parameters["seed"] == 4
    assert Rules() == Rules()


@pytest.mark.parametrize("settings", [LOOK, PAPER])
def test_tests_saved_before_seeds_were_drawn_go_on_with_seed_0(settings: dict[str, Any]) -> None:
    test = sw.SequentialTest(**settings, seed=0)
    content = load("SequentialTest", 1, test.to_json())
    del content["settings"]["parameters"]["seed"]

    resumed = sw.SequentialTest.from_json(dump("SequentialTest", 1, content))

    assert resumed.rules == test.rules
    assert resumed.verdict == test.verdict
    assert resumed._state.method_state == test._state.method_state


def test_an_analysis_names_the_seed_that_it_drew() -> None:
    scores = {"a": [0, 1] * 10, "b": [1, 0] * 10}

    analysis = sw.analyze(scores, **LOOK)

    seed = analysis.rules.parameters["seed"]
    assert analysis.to_dict()["parameters"]["seed"] == seed
    assert f"seed {seed}" in analysis.facts[0]
    assert str(seed) in analysis.to_html()
    assert sw.analyze(scores, seed=seed, **LOOK).to_dict() == analysis.to_dict()
    assert f"seed {seed}" not in sw.analyze(scores, **LOOK).facts[0]


def test_a_rule_is_resumed_with_its_seed() -> None:
    rule = sw.StopRule(["a", "b"], **LOOK)

    resumed = sw.StopRule.from_json(rule.to_json())

    assert resumed.rules == rule.rules
    assert "seed" in rule.settings()


def test_a_race_goes_on_with_the_seed_in_its_journal(tmp_path: Path) -> None:
    def episode(policy: Any, seed: int) -> float:
        return float(policy(seed))

    policies = {"a": lambda seed: seed % 2, "b": lambda seed: seed // 2 % 2}
    settings: dict[str, Any] = {"journal": tmp_path / "race.jsonl", **LOOK}

    first = sw.race(policies, episode, **settings)
    again = sw.race(policies, episode, **settings)
    other = sw.race(policies, episode, **LOOK)

    assert again.analysis.to_dict() == first.analysis.to_dict()
    assert again.analysis.rules == first.analysis.rules
    assert other.analysis.rules != first.analysis.rules


def test_a_race_journal_from_before_seeds_were_drawn_has_seed_0(tmp_path: Path) -> None:
    journal = tmp_path / "race.jsonl"
    settings: dict[str, Any] = {"journal": journal, **PAPER}
    policies = {"a": lambda seed: seed % 2, "b": lambda seed: seed // 2 % 2}
    sw.race(policies, lambda policy, seed: policy(seed), **settings)
    head, *rest = journal.read_text().splitlines()
    content = json.loads(head)
    del content["race"]["method_seed"]
    journal.write_text("\n".join([json.dumps(content), *rest, ""]))

    resumed = sw.race(policies, lambda policy, seed: policy(seed), **settings)

    assert resumed.analysis.rules.parameters["seed"] == 0


def test_plans_are_repeatable_and_every_simulated_study_has_its_own_luck() -> None:
    settings: dict[str, Any] = {"n_max": 20, "last_look": "randomised", "detectable": False}

    plan = sw.plan(0.4, 0.7, **settings)

    assert plan.to_dict() == sw.plan(0.4, 0.7, **settings).to_dict()
    assert plan.to_dict() != sw.plan(0.4, 0.7, seed=1, **settings).to_dict()


def test_a_watch_goes_on_with_the_seed_in_its_state(tmp_path: Path) -> None:
    lines = [f"{policy},{row % 2}" for row in range(6) for policy in ("a", "b")]
    (tmp_path / "trials.csv").write_text("\n".join(["policy,score", *lines, ""]))

    def seed(state: str) -> int:
        watching = Watch(
            tmp_path / "trials.csv",
            reading={},
            design="independent",
            settings=LOOK,
            state=tmp_path / state,
        )
        (sight,) = watching.look()
        assert sight.analysis is not None
        return int(sight.analysis.rules.parameters["seed"])

    assert seed("one.json") == seed("one.json") != seed("other.json")


@pytest.mark.parametrize("settings", [LOOK, PAPER])
def test_a_study_draws_its_seed_at_the_lock_and_keeps_it(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    own = {name: value for name, value in settings.items() if name not in ("method", "n_max")}
    plan = {
        "name": "cups",
        "policies": ["old", "new"],
        "tasks": ["stack"],
        "n_max": settings["n_max"],
        "method": settings.get("method", "nscore-plus"),
        "parameters": own,
    }
    with sw.Study.create(tmp_path / "one", plan) as study:
        study.lock()
        seed = study.plan.parameters["seed"]
        trials = sw.read_trials({"old": [0, 1] * 4, "new": [1, 1] * 4}, bounds=(0, 1))
        study.add_trials(trials, source="elsewhere", reason="a test")
        study.unblind()
        (analysis,) = study.analyses().values()
        assert study.verify().sound
        assert analysis.rules.parameters["seed"] == seed
    with sw.Study.open(tmp_path / "one") as study:
        assert study.plan.parameters["seed"] == seed
        (again,) = study.analyses().values()
        assert again.to_dict() == analysis.to_dict()
    with sw.Study.create(tmp_path / "given", {**plan, "parameters": {**own, "seed": 7}}) as study:
        study.lock()
        assert study.plan.parameters["seed"] == 7


def test_an_analysis_by_lot_says_so_and_names_its_seed() -> None:
    data = {"old": [0, 1] * 4, "new": [1, 1] * 4}
    found = sw.analyze(data, bounds=(0, 1), **LOOK)
    seed = found.rules.parameters["seed"]
    assert any("at random" in said and f"seed {seed}" in said for said in found.warnings)
    assert not any("at random" in said for said in sw.analyze(data, bounds=(0, 1)).warnings)
