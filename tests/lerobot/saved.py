"""Small policies of LeRobot, saved as its training saves them, and PushT in short."""

from functools import partial
from pathlib import Path
from typing import Any

import gym_pusht  # noqa: F401 (registers its environments)
import gymnasium
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.diffusion.configuration_diffusion import DiffusionConfig
from lerobot.policies.factory import get_policy_class, make_pre_post_processors
from lerobot.policies.tdmpc.configuration_tdmpc import TDMPCConfig

STEPS = 12
KINDS: dict[str, Any] = {
    "act": partial(
        ACTConfig, dim_model=32, n_heads=2, dim_feedforward=32, n_encoder_layers=1,
        n_vae_encoder_layers=1, chunk_size=4, n_action_steps=4,
    ),
    "diffusion": partial(
        DiffusionConfig, down_dims=(16, 32), n_groups=4, diffusion_step_embed_dim=16,
        num_train_timesteps=10, num_inference_steps=2, horizon=8, n_action_steps=4,
    ),
    "tdmpc": partial(
        TDMPCConfig, use_mpc=False, latent_dim=8, mlp_dim=16, state_encoder_hidden_dim=16,
        n_action_repeats=1,
    ),
}  # fmt: skip


def save(folder: Path, centre: float = 256.0, *, kind: str = "act", seed: int = 0) -> str:
    """Save a policy that moves about a point, by what its post-processor was made of.

    A policy of the kind "tdmpc" takes what PushT gives by default, the others what it gives here.
    """
    torch.manual_seed(seed)
    shapes = {"state": 5} if kind == "tdmpc" else {"state": 2, "environment_state": 16}
    types = {"state": FeatureType.STATE, "environment_state": FeatureType.ENV}
    config = KINDS[kind](
        input_features={
            f"observation.{name}": PolicyFeature(types[name], (size,))
            for name, size in shapes.items()
        },
        output_features={"action": PolicyFeature(FeatureType.ACTION, (2,))},
        device="cpu",
    )
    stats = {
        name: {"mean": torch.full(own.shape, 256.0), "std": torch.full(own.shape, 100.0),
               "min": torch.zeros(own.shape), "max": torch.full(own.shape, 512.0)}
        for name, own in config.input_features.items()
    }  # fmt: skip
    action = {"mean": centre, "std": 20.0, "min": centre - 40, "max": centre + 40}
    stats["action"] = {name: torch.full((2,), value) for name, value in action.items()}
    for part in (
        get_policy_class(kind)(config),
        *make_pre_post_processors(config, dataset_stats=stats),
    ):
        part.save_pretrained(folder)
    return str(folder)


def pusht(steps: int = STEPS) -> Any:
    """Return one environment, with the observations of LeRobot."""
    return gymnasium.make(
        "gym_pusht/PushT-v0", obs_type="environment_state_agent_pos", max_episode_steps=steps
    )


def several() -> Any:
    """Return four side by side, as LeRobot makes them."""
    return SyncVectorEnv([pusht] * 4, autoreset_mode=AutoresetMode.SAME_STEP)


def nearness(measures: Any) -> float:
    """Closeness of the agent's last position to the middle."""
    return 1 - float(abs(measures["info"]["pos_agent"] - 256).max()) / 256
