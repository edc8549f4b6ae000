"""Small environments with the interfaces of the stacks that people have; not those stacks."""

from typing import Any

import gymnasium
import numpy as np
import torch

STEPS = 12


class Reach(gymnasium.Env[Any, Any]):
    """A point is moved to the origin: success while it is there, so perhaps only in mid-episode."""

    observation_space = gymnasium.spaces.Box(-9, 9, (1,), dtype=np.float64)
    action_space = gymnasium.spaces.Box(-1, 1, (1,), dtype=np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self.place, self.steps = self.np_random.uniform(1, 3, size=1), 0
        self.most = int(self.np_random.integers(6, STEPS))  # so that episodes differ in length
        return self.place.copy(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.place = self.place - np.asarray(action, dtype=float)
        self.steps += 1
        there = bool(abs(self.place[0]) < 0.5)
        return self.place.copy(), float(there), False, self.steps >= self.most, {"success": there}


class LikeManiSkill:
    """The interface of ManiSkill 3's vector environments, as its source has it; not ManiSkill.

    Tensors in and out, one whole number as a seed for all places, no ``close``, and places that
    are reset in the step in which they end: what they showed last, and the others' infos of that
    step, are then in ``final_info``.
    """

    num_envs = 4

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.generator = torch.Generator().manual_seed(seed)
        chosen = (options or {}).get("env_idx", torch.arange(self.num_envs))
        if seed is not None or not options:
            self.place = torch.zeros(self.num_envs, 1)
            self.elapsed = torch.zeros(self.num_envs, dtype=torch.int32)
        self.place[chosen] = 1 + 2 * torch.rand(len(chosen), 1, generator=self.generator)
        self.elapsed[chosen] = 0
        return self.place.clone(), {"reconfigure": False}

    def step(self, actions: torch.Tensor) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        assert isinstance(actions, torch.Tensor)
        assert not actions.requires_grad
        self.place = self.place - actions.float()
        self.elapsed += 1
        there = (self.place.abs() < 0.5).squeeze(1)
        infos: dict[str, Any] = {"elapsed_steps": self.elapsed.clone(), "success": there}
        over = self.elapsed >= STEPS - torch.arange(self.num_envs)
        observations = self.place.clone()
        if over.any():
            final = {**infos, "episode": {"success_once": there.clone()}}
            observations, infos = self.reset(options={"env_idx": torch.nonzero(over).squeeze(1)})
            infos |= {"final_info": final, "_final_info": over, "_elapsed_steps": over}
        return observations, there.bfloat16(), torch.zeros_like(over), over, infos


class Wrapped:
    """What ``gymnasium.make`` gives of it: a wrapper that hides how many places there are."""

    def __init__(self) -> None:
        self.unwrapped = LikeManiSkill()
        self.reset, self.step = self.unwrapped.reset, self.unwrapped.step


def towards(share: float) -> Any:
    """A policy of tensors with gradients, in half precision: goes a share of the way."""
    weight = torch.nn.Parameter(torch.tensor(share))

    def act(observations: Any) -> torch.Tensor:
        return (torch.as_tensor(observations).float().clamp(-1, 1) * weight).bfloat16()

    return act


def through(observations: Any) -> Any:
    """Passes the origin, and does not stay."""
    return np.full(np.shape(observations), 0.8, dtype=np.float32)


class _Frozen(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Replays its end until a reset says that another episode begins."""

    end: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        if self.end is not None and not (options or {}).get("lerobot_new_rollout"):
            return self.end[0], self.end[4]
        self.end = None
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        if self.end is None:
            found = self.env.step(action)
            if not (found[2] or found[3]):
                return found
            self.end = (found[0], 0.0, *found[2:])
            return found
        return self.end


class LikeLeRobot(gymnasium.vector.SyncVectorEnv):
    """The interface of LeRobot 0.6's vector environments, as its source has it; not LeRobot."""

    __module__ = "lerobot.envs.utils"

    def __init__(self) -> None:
        super().__init__([lambda: _Frozen(Reach())] * 3)
