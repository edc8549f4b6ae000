"""Real training by stable-baselines3, with the best policy kept by comparison."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

import stopwise as sw
from stopwise.rollout.sb3 import CompareWithBest

# torch warns about the machine it finds itself on.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Such small networks only lose by more."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


class FarOrNear(gymnasium.Env[Any, Any]):
    """Say ten times whether a number is far from zero; the return is how often that is right."""

    observation_space = gymnasium.spaces.Box(-1, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.left = 10
        return self._look(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward = float(action == int(abs(self.number[0]) > 0.5))
        self.left -= 1
        return self._look(), reward, self.left == 0, False, {}

    def _look(self) -> Any:
        self.number = self.np_random.uniform(-1, 1, 1).astype(np.float32)
        return self.number


@pytest.mark.parametrize("goal", ["order", "best"])
def test_a_policy_takes_over_only_when_it_is_better(tmp_path: Path, goal: str) -> None:
    callback = CompareWithBest(
        FarOrNear, every=512, bounds=(0, 10), n_max=40, save_path=tmp_path, seed=1, goal=goal
    )
    training = VecNormalize(make_vec_env(FarOrNear, n_envs=1, seed=0), norm_reward=False)
    model = PPO(
        "MlpPolicy", training, learning_rate=3e-3, n_steps=256, batch_size=64, seed=0, device="cpu"
    )
    model.learn(1100, callback=callback)

    orders = [result.analysis.order_text for result in callback.results]
    said = {"order": "new > best", "best": "new is the best of 2"}
    assert orders == [said[goal]]  # PPO learns this within these steps
    assert (tmp_path / "best_model.zip").exists()


def test_training_stops_when_nothing_better_comes() -> None:
    callback = CompareWithBest(FarOrNear, every=64, bounds=(0, 10), n_max=3, patience=2, seed=1)
    model = PPO("MlpPolicy", FarOrNear(), n_steps=32, batch_size=32, seed=0, device="cpu")
    model.learn(10_000, callback=callback)

    levels = [result.analysis.alpha for result in callback.results]
    assert levels == pytest.approx([0.05 / 2, 0.05 / 6])
    assert model.num_timesteps == 3 * 64


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"alpha": 2}, "alpha must lie"),
        ({"bounds": (10, 0)}, "bounds"),
        ({"method": "magic"}, "magic"),
        ({"exekutor": "serial"}, "exekutor"),
        ({"goal": "best", "indifference": 0.1}, "takes over only if it is better"),
        ({"goal": "best", "later": ["c"]}, "from the start"),
        ({"journal": "race.jsonl"}, "no keyword .journal."),
    ],
)
def test_wrong_settings_are_refused_before_the_training(
    settings: dict[str, Any], line: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=line):
        CompareWithBest(FarOrNear, every=100, **{"bounds": (0, 10), **settings})
