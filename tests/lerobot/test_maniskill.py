"""Races in ManiSkill itself, without a graphics device: ``make test-lerobot``."""

from functools import partial
from typing import Any

import gymnasium
import pytest
import torch
from mani_skill.envs.tasks.empty_env import EmptyEnv
from mani_skill.utils.registration import register_env
from mani_skill.utils.wrappers import CPUGymWrapper
from mani_skill.vector.wrappers.gymnasium import ManiSkillVectorEnv

import stopwise as sw

STEPS = 10


@register_env("Near-v1", max_episode_steps=STEPS)
class Near(EmptyEnv):  # type: ignore[misc]  # ManiSkill has no types
    """Move the hand near a point; ManiSkill's own tasks cannot be made without graphics."""

    SUPPORTED_REWARD_MODES = ("dense",)

    def _initialize_episode(self, env_idx: Any, options: Any) -> None:
        self.agent.reset(self.agent.keyframes["rest"].qpos)
        self.goal = 0.02 * torch.rand(len(env_idx), 3) + torch.tensor([0.5, -0.01, 0.16])

    def distance(self) -> Any:
        return torch.linalg.norm(self.agent.tcp_pos - self.goal, dim=1)

    def evaluate(self) -> dict[str, Any]:
        return {"success": self.distance() < 0.05}

    def _get_obs_extra(self, info: Any) -> dict[str, Any]:
        return {"way": self.goal - self.agent.tcp_pos}

    def compute_dense_reward(self, obs: Any, action: Any, info: Any) -> Any:
        return torch.exp(-10 * self.distance())


def plain() -> Any:
    return gymnasium.make(
        "Near-v1", num_envs=1, obs_mode="state", control_mode="pd_ee_delta_pos",
        reward_mode="dense", render_backend="none",
    )  # fmt: skip


def to_the_end() -> Any:
    return ManiSkillVectorEnv(plain(), ignore_terminations=True)


def single() -> Any:
    return CPUGymWrapper(plain())


def staying(observations: Any) -> Any:
    """Go to the point, and stay there."""
    way = torch.as_tensor(observations)[..., -3:]
    return torch.cat([(10 * way).clip(-1, 1), torch.zeros_like(way[..., :1])], dim=-1)


def passing(observations: Any) -> Any:
    """Go through the point."""
    return torch.tensor([-1.0, 0.0, 0.0, 0.0]).expand(*observations.shape[:-1], 4)


race = partial(sw.race, {"passing": passing, "staying": staying}, n_max=8, seed=3, design="paired")


@pytest.mark.parametrize("make", [plain, to_the_end, single])
def test_episodes_are_those_of_maniskills_own_loop(make: Any) -> None:
    """With tensors for one place, with places that reset themselves, and with plain arrays."""
    found = race(make, bounds=(0, STEPS), alpha=1e-9)
    environment = make()
    for episode in found.episodes:
        policy = {"passing": passing, "staying": staying}[episode.policy]
        seen, total, over, length = environment.reset(seed=episode.seed)[0], 0.0, False, 0
        while not over:
            seen, reward, ended, cut, _ = environment.step(policy(seen))
            total, over, length = total + float(reward), bool(ended or cut), length + 1
        assert episode.score == pytest.approx(total, abs=1e-4)
        assert episode.length == length
    assert len({episode.score for episode in found.episodes}) == 16


def test_a_success_in_the_middle_counts_if_any_does() -> None:
    last = race(to_the_end, score="success")
    assert last.analysis.order_text == "staying > passing"
    assert {episode.length for episode in last.episodes} == {STEPS}
    whole = race(to_the_end, score="success", success="any")
    assert {episode.score for episode in whole.episodes} == {1.0}
