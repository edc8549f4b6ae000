"""Policies saved by LeRobot, with the processors that were saved beside them."""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.core.scores import as_numbers
from stopwise.errors import InvalidInput, MissingPackage, require

try:
    import torch
    from lerobot.configs.policies import PreTrainedConfig
    from lerobot.envs.utils import preprocess_observation
    from lerobot.policies.factory import get_policy_class, make_pre_post_processors
    from lerobot.utils.import_utils import register_third_party_plugins
except ImportError as error:
    raise MissingPackage(f"a policy saved by LeRobot needs lerobot: {error}") from error


class LeRobotPolicy:
    """A policy saved by LeRobot, which acts as it does in ``lerobot-eval``.

    It takes one observation, or those of a vector environment as a batch: dictionaries as LeRobot's
    environments give them ("pixels", "agent_pos", "environment_state") or under the policy's own
    names ("observation..."); an array is the "observation.state".

    Parameters
    ----------
    path
        The folder with ``config.json``, the weights and the processors, as in
        "outputs/train/act/checkpoints/last/pretrained_model".
    device
        Where it runs; by default as it was saved, if that is there.
    task
        What is to be done, for policies that take it in words.
    """

    def __init__(self, path: str | Path, *, device: str | None = None, task: str = "") -> None:
        config = Path(path) / "config.json"
        require(
            config.is_file(),
            f"{path}: no policy of LeRobot is there, since it has no {config.name}",
        )
        register_third_party_plugins()
        with redirect_stdout(sys.stderr):  # LeRobot prints; what is printed here is an answer
            settings = PreTrainedConfig.from_pretrained(str(path))
            settings.device = device or settings.device
            policy = get_policy_class(settings.type)
            self._policy = policy.from_pretrained(str(path), config=settings)
            self._before, self._after = make_pre_post_processors(
                settings,
                pretrained_path=str(path),
                preprocessor_overrides={"device_processor": {"device": str(settings.device)}},
            )
        self._settings, self._task = settings, task

    def reset(self, seed: int) -> None:
        """Begin an episode, or a batch of them; what the policy draws follows from the seed."""
        torch.manual_seed(seed)
        self._policy.reset()

    def __call__(self, observation: Any) -> Any:
        alone = not isinstance(observation, Mapping)
        named = {"observation.state": observation} if alone else observation
        single, batch = _batch(named)
        places = len(next(iter(batch.values())))
        batch = self._before({**batch, "task": [self._task] * places})
        missing = [name for name in self._settings.input_features if name not in batch]
        if missing:
            given = ", ".join(map(repr, named))
            raise InvalidInput(
                f"the policy needs {missing[0]!r}, but the environment gives {given}"
            )
        with torch.inference_mode(), self._precision():
            action = self._after(self._policy.select_action(batch))
        return action[0] if single else action

    def _precision(self) -> AbstractContextManager[Any]:
        half = self._settings.use_amp
        return torch.autocast(torch.device(self._settings.device).type) if half else nullcontext()


def _batch(named: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Whether the input is a single observation, and its tensors by LeRobot's names."""
    arrays = {name: _arrays(value) for name, value in named.items()}
    batch = preprocess_observation(arrays)
    for name, value in arrays.items():
        if name.startswith("observation."):
            single = np.ndim(value) in (1, 3)
            batch[name] = torch.from_numpy(value[np.newaxis] if single else value).float()
    if not batch:
        known = "pixels, agent_pos, environment_state or observation.*"
        raise InvalidInput(
            f"LeRobot knows observations by the names {known}, but the environment gives "
            + ", ".join(map(repr, named))
        )
    first = next(iter(arrays.values()))
    first = next(iter(first.values())) if isinstance(first, dict) else first
    return np.ndim(first) in (1, 3), batch  # a vector or an image; a batch has one axis more


def _arrays(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _arrays(inner) for name, inner in value.items()}
    return np.asarray(as_numbers(value))
