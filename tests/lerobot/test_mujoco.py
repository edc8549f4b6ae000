"""Races in MJX and gym-aloha themselves, as the guide has them: ``make test-lerobot``."""

from typing import Any

from tests.docs.blocks import blocks


def test_a_race_in_mjx() -> None:
    names: dict[str, Any] = {}
    (race,) = blocks("stacks.md", "MJX")
    exec(race, names)

    found = names["result"]
    assert found.analysis.order_text == "stiff > soft"
    assert len({episode.score for episode in found.episodes if episode.policy == "soft"}) > 3
    for episode in found.episodes:
        gain = {"soft": 0.3, "stiff": 3.0}[episode.policy]
        assert names["episode"](gain, episode.seed) == episode.score


def test_a_race_in_gym_aloha() -> None:
    names: dict[str, Any] = {}
    (race,) = blocks("stacks.md", "gym-aloha")
    short = race.replace('Cube-v0"', 'Cube-v0", max_episode_steps=3').replace("n_max=50", "n_max=2")
    exec(short, names)

    assert {(e.score, e.length) for e in names["result"].episodes} == {(0.0, 3)}
    environment = names["make"](obs_type="pixels_agent_pos")
    places = [environment.unwrapped._env.physics.data.qpos.copy()
              for seed in (1, 2, 1) if environment.reset(seed=seed)]  # fmt: skip
    assert (places[0] == places[2]).all()
    assert (places[0] != places[1]).any()
