"""Policies of known quality, and episodes that go wrong in known ways; importable by workers."""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import stopwise as sw


class NoisyBalance:
    """Balances CartPole, but acts at random with a given probability: less noise is better."""

    def __init__(self, noise: float) -> None:
        self.noise = noise

    def reset(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Any) -> int:
        if self.rng.random() < self.noise:
            return int(self.rng.integers(2))
        return int(3 * observation[2] + observation[3] > 0)


class Predicting(NoisyBalance):
    """The same with the interface of stable-baselines3."""

    def predict(self, observation: Any, deterministic: bool = False) -> tuple[Any, None]:
        assert deterministic
        return self.act(observation), None


def make_good() -> NoisyBalance:
    return NoisyBalance(0.2)


def make_fair() -> NoisyBalance:
    return Predicting(0.6)


def make_low() -> float:
    return 0.1


def make_high() -> float:
    return 0.95


def read_rate(path: str) -> float:
    """A checkpoint whose content is its success rate."""
    return float(Path(path).read_text())


def short_cart_pole() -> Any:
    return gymnasium.make("CartPole-v1", max_episode_steps=120)


def draw(policy: float, seed: int) -> float:
    """A Bernoulli trial whose success rate is the policy."""
    return float(np.random.default_rng(seed).random() < policy)


def measured(policy: float, seed: int) -> dict[str, float]:
    """The same, among other measures."""
    return {"length": 3.0, "success": draw(policy, seed)}


def slow_if(policy: float, seed: int) -> float:
    """The same, but a success takes longer: arrival depends on the score."""
    score = draw(policy, seed)
    time.sleep(0.02 * score)
    return score


def fragile(folder: str, policy: float, seed: int) -> float:
    """The same, but some processes are killed in the middle, each seed once."""
    mark = Path(folder) / str(seed)
    if seed % 19 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(policy, seed)


def hanging(policy: float, seed: int) -> float:
    """The same, but some episodes never end."""
    while seed % 5 == 0:
        time.sleep(1)
    return draw(policy, seed)


def deadly(policy: float, seed: int) -> float:
    """No worker survives this."""
    os._exit(seed and int(policy > 0))


def leaving(policy: float, seed: int) -> float:
    """The same, but some episodes try to leave the program."""
    if seed % 3 == 0:
        raise GeneratorExit
    if seed % 3 == 1 and policy > 0.5:
        sys.exit(3)
    return draw(policy, seed)


def clinging(folder: str, policy: float, seed: int) -> float:
    """The same, but some of what it begins outlives its process, or keeps it from ending."""
    mark = Path(folder) / "killed"
    if seed == 3 and not mark.exists():
        mark.touch()
        if os.fork():
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)
        os._exit(0)
    if seed == 4:
        raise KeyboardInterrupt
    threading.Thread(target=time.sleep, args=(60,)).start()
    return draw(policy, seed)


def announced(policy: float, seed: int) -> float:
    """Report the start of an episode, then sleep."""
    os.write(1, b"begun\n")
    time.sleep(600)
    return draw(policy, seed)


def verdict(found: sw.RaceResult | sw.Analysis) -> Any:
    """All that must not depend on where episodes were run, or when one looks."""
    analysis = found if isinstance(found, sw.Analysis) else found.analysis
    used = {policy.name: policy.trials_used for policy in analysis.policies}
    return analysis.best, analysis.candidates, dict(analysis.eliminated), used
