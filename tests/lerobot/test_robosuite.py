"""A race in robosuite itself, as the guide has it: ``make test-lerobot``."""

from typing import Any

import pytest

import stopwise as sw
from tests.docs.blocks import blocks


def test_a_race_in_robosuite() -> None:
    names: dict[str, Any] = {}
    (race,) = blocks("stacks.md", "robosuite")
    exec(race, names)
    policies, first = {name: names[name] for name in ("resting", "reaching")}, names["result"]
    again = sw.race(policies, names["Lift"], score=names["nearness"], n_max=2)

    assert first.analysis.order_text == "reaching > resting"
    scores = {(episode.policy, episode.row): episode.score for episode in first.episodes}
    for episode in again.episodes:
        assert scores[episode.policy, episode.row] == pytest.approx(episode.score, abs=1e-6)
    assert {episode.length for episode in first.episodes} == {25}
    told = sw.race(policies, names["Lift"], score="success", success="any", n_max=2)
    assert {episode.score for episode in told.episodes} == {0.0}
