"""A cheap simulator beside a dear one: races, their journals, and stopping rules."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.proxy import bounds_of_pairs
from stopwise.core.seeds import episode_seed, scene_seed
from stopwise.errors import InvalidInput, StopwiseError

RATES = {"low": 0.5, "high": 0.65}
MEANS = {"low": 0.4, "high": 0.55}


def real(rate: float, seed: int) -> float:
    """A scene is as hard as the simulator says, but for one in five."""
    usual, hard = np.random.default_rng([seed, 1]).random(2)
    return float((np.random.default_rng(seed).random() if usual < 0.8 else hard) < rate)


def simulated(rate: float, seed: int) -> float:
    return float(np.random.default_rng(seed).random() < rate - 0.1)


def broken(rate: float, seed: int) -> float:
    raise ValueError(f"no such scene: {rate} {seed}")


def outside(rate: float, seed: int) -> float:
    return 3.0 + rate + seed


def run(**settings: Any) -> Any:
    return sw.race(dict(RATES), real, n_max=200, proxy=simulated, **settings)


def test_a_race_says_what_the_analysis_of_its_trials_says() -> None:
    found = run(proxy_mean=MEANS)
    again = sw.analyze(found.trials, n_max=200, proxy_mean=MEANS)

    assert found.decided
    assert found.analysis.to_dict()["pairs"] == again.to_dict()["pairs"]
    seeds = {episode.row: episode.seed for episode in found.episodes}
    for episode in found.episodes:
        assert episode.proxy == simulated(RATES[episode.policy], seeds[episode.row])


def test_no_scene_is_left_out_beside_a_proxy() -> None:
    with pytest.raises(InvalidInput, match="no scene may be left out"):
        run(proxy_mean=MEANS, on_error="void")


def test_a_race_of_independent_episodes_takes_a_proxy() -> None:
    found = run(proxy_mean=MEANS, design="independent")
    again = sw.analyze(found.trials, n_max=200, proxy_mean=MEANS, design="independent")

    assert found.analysis.to_dict()["pairs"] == again.to_dict()["pairs"]
    seeds = [episode.seed for episode in found.episodes]
    assert len(set(seeds)) == len(seeds)
    for episode in found.episodes:
        assert episode.proxy == simulated(RATES[episode.policy], episode.seed)


def test_further_scenes_give_the_mean_once(tmp_path: Path) -> None:
    journal = tmp_path / "race.jsonl"
    found = run(proxy_scenes=2000, journal=journal)
    ((low, high),) = bounds_of_pairs(found.analysis.rules)
    assert low < 0.15 < high
    again = run(proxy_scenes=2000, journal=journal)  # what was recorded is not simulated again
    assert again.analysis.to_json() == found.analysis.to_json()
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join(lines[:20]) + "\n")  # as after a crash
    assert run(journal=journal).analysis.to_json() == found.analysis.to_json()
    read = sw.analyze(journal, n_max=200, proxy_mean=MEANS)
    assert read.rules.proxy_mean is not None
    with pytest.raises(StopwiseError, match="proxy"):
        sw.race(dict(RATES), real, n_max=200, journal=journal)


def test_simulated_scenes_are_apart_from_those_of_the_race() -> None:
    further = {scene_seed(0, scene) for scene in range(500)}
    assert not further & {episode_seed(0, row, 0, paired=True) for row in range(500)}


def test_a_rule_that_was_saved_goes_on_identically() -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((60, 2, 2))
    other = sw.StopRule(["low", "high"], n_max=60, design="paired", proxy_mean=MEANS)
    for row, ((r0, r1), (g0, g1)) in enumerate(rows):
        if row == 20:
            other.add("high", r1, proxy=g1)  # one waits while it is saved
            other = sw.StopRule.from_json(other.to_json())
            other.add("low", r0, proxy=g0)
        else:
            other.add("low", r0, proxy=g0)
            other.add("high", r1, proxy=g1)
    whole = sw.StopRule(["low", "high"], n_max=60, design="paired", proxy_mean=MEANS)
    for (r0, r1), (g0, g1) in rows:
        whole.add("low", r0, proxy=g0)
        whole.add("high", r1, proxy=g1)
    assert other.to_json() == whole.to_json()
    table = {"low": rows[:, 0, 0], "high": rows[:, 0, 1]}
    guesses = {"low": rows[:, 1, 0], "high": rows[:, 1, 1]}
    found = sw.analyze(table, design="paired", n_max=60, proxy=guesses, proxy_mean=MEANS)
    assert found.to_dict()["pairs"] == whole.analysis().to_dict()["pairs"]


def test_a_rule_for_your_own_loop_takes_simulated_scenes() -> None:
    rng = np.random.default_rng(3)
    rows, many = rng.random((40, 2, 2)), rng.random((500, 2))
    known: dict[str, Any] = {"n_max": 40, "design": "paired", "proxy_scores": many}
    rule = sw.StopRule(["low", "high"], **known)
    for (r0, r1), (g0, g1) in rows:
        rule.add("low", r0, proxy=g0)
        rule.add("high", r1, proxy=g1)
    columns, guesses = (dict(zip(("low", "high"), rows[:, k].T, strict=True)) for k in (0, 1))
    found = sw.analyze(columns, proxy=guesses, **known)

    assert rule.analysis().to_dict()["pairs"] == found.to_dict()["pairs"]
    assert sw.StopRule.from_json(rule.to_json()).rules == rule.rules
    with pytest.raises(InvalidInput, match="give one of the two"):
        sw.StopRule(["low", "high"], proxy_mean=MEANS, **known)


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(InvalidInput, match="need proxy"):
        sw.race(dict(RATES), real, proxy_mean=MEANS)
    with pytest.raises(InvalidInput, match="goal 'order'"):
        run(goal="best")
    with pytest.raises(InvalidInput, match="belongs to one task"):
        sw.race(dict(RATES), {"a": real, "b": real}, tasks="mean", proxy=simulated)
    with pytest.raises(StopwiseError, match="the proxy failed"):
        sw.race(dict(RATES), real, proxy=broken, proxy_scenes=5)
    with pytest.raises(StopwiseError, match="the proxy failed"):
        sw.race(dict(RATES), real, proxy=broken, proxy_mean=MEANS)
    with pytest.raises(InvalidInput, match="proxy of low"):
        sw.race(dict(RATES), real, proxy=outside, proxy_mean=MEANS)
    rule = sw.StopRule(["low", "high"], design="paired", proxy_mean=MEANS)
    with pytest.raises(InvalidInput, match="give both, or neither"):
        rule.add("low", 0.5)
