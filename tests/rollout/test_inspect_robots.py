"""Races of the policies of inspect-robots, in the world that it brings."""

from pathlib import Path
from typing import Any

import inspect_robots
import pytest
from inspect_robots.mock import CubePickEmbodiment, ScriptedPolicy

import stopwise as sw
from stopwise.errors import StopwiseError
from stopwise.rollout.inspect_robots import RobotTrials

TASK: Any = inspect_robots.resolve("task", "cubepick-reach", num_scenes=12, max_steps=9)
SLOW = ScriptedPolicy(max_step=0.05)


class Broken(ScriptedPolicy):
    """Fails at its first step."""

    def act(self, observation: Any) -> Any:
        raise RuntimeError("no camera")


def test_a_race_has_the_trials_of_inspect_robots() -> None:
    """With the scene and the seed of each episode."""
    policies = {"slow": SLOW, "quick": "scripted"}
    for executor in ("serial", "processes"):
        race = sw.race(
            policies, RobotTrials(TASK, "cubepick"), score="success_at_end", n_max=60,
            executor=executor,
        )  # fmt: skip
        assert race.analysis.order_text == "quick > slow"
    scores = {(episode.seed, episode.score) for episode in race.episodes}
    assert {score for _, score in scores} == {0.0, 1.0}
    for episode in race.episodes[:6]:
        one = RobotTrials(TASK, CubePickEmbodiment())
        again = one(policies[episode.policy], episode.seed)
        assert again == {"success_at_end": episode.score}


def test_trials_are_logged_and_failures_told(tmp_path: Path) -> None:
    trials = RobotTrials("cubepick-reach", "cubepick", log_dir=str(tmp_path))
    trials("scripted", 3)
    (path,) = tmp_path.glob("*.json")
    assert inspect_robots.read_eval_log(str(path)).status == "success"
    with pytest.raises(StopwiseError, match=r"the episode of 'a' .* failed: .*no camera"):
        sw.race({"a": Broken(), "b": SLOW}, trials, score="success_at_end")
    with pytest.raises(StopwiseError, match=r"failed: .*no policy named 'nobody'"):
        sw.race({"a": "nobody", "b": SLOW}, trials, score="success_at_end")
