"""Anything in which a policy can be tried, seen as one thing: tickets in, measures out."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from stopwise.errors import InvalidInput, StopwiseError
from stopwise.rollout.import_path import arguments, is_place, load
from stopwise.rollout.policies import Actor

__all__ = ["Arena", "EpisodeFunction", "Gym", "TimedOut", "arena"]

# What an episode amounts to: "return", "length", "success", "info", or what a function returned.
Measures = Mapping[str, Any]


class TimedOut(Exception):
    """The episode took longer than was allowed."""


class Arena(ABC):
    """Runs episodes of one policy, as many side by side as it is wide."""

    width = 1

    @abstractmethod
    def player(self, policy: Any) -> Any:
        """Return the policy as episodes here need it, or raise if it is none."""

    @abstractmethod
    def episodes(self, player: Any, seeds: Sequence[int], timeout: float | None) -> list[Measures]:
        """Return the measures of an episode per seed, at most ``width``; one failure is of all."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""


class Gym(Arena):
    """Episodes in one gymnasium environment; the time-out is checked between steps."""

    def __init__(self, environment: Any) -> None:
        self.environment = environment

    def player(self, policy: Any) -> Actor:
        """Return the policy as one that acts."""
        return Actor(policy)

    def episodes(
        self, player: Actor, seeds: Sequence[int], timeout: float | None
    ) -> list[Measures]:
        """Return return, length, success (if the last info tells) and that info."""
        (seed,) = seeds
        step, act = self.environment.step, player.act
        deadline = None if timeout is None else time.perf_counter() + timeout
        observation, info = self.environment.reset(seed=seed)
        player.begin(seed)
        total, length, ended = 0.0, 0, False
        while not ended:
            observation, reward, terminated, truncated, info = step(act(observation))
            total += float(reward)
            length += 1
            ended = terminated or truncated
            if deadline is not None and time.perf_counter() > deadline:
                raise TimedOut(f"time-out: {length} steps took more than {timeout:g} s")
        return [{"return": total, "length": length, "info": info, **success_of(info)}]

    def close(self) -> None:
        """Close the environment."""
        self.environment.close()


class EpisodeFunction(Arena):
    """Episodes by a function ``episode(policy, seed)`` that returns a score or measures."""

    def __init__(self, function: Callable[[Any, int], Any]) -> None:
        self.function = function

    def player(self, policy: Any) -> Any:
        """Return the policy itself: the function knows what to do with it."""
        return policy

    def episodes(self, player: Any, seeds: Sequence[int], timeout: float | None) -> list[Measures]:
        """Return what the function returned, under the name "score" if it is one number.

        What takes too long is only found out afterwards here; processes and Ray cut it short.
        """
        (seed,) = seeds
        begin = time.perf_counter()
        found = self.function(player, seed)
        seconds = time.perf_counter() - begin
        if timeout is not None and seconds > timeout:
            raise TimedOut(f"time-out: it took {seconds:.3g} s, more than {timeout:g} s")
        return [found if isinstance(found, Mapping) else {"score": found}]

    def close(self) -> None:
        """Do nothing: a function holds nothing."""


def success_of(info: Mapping[str, Any]) -> dict[str, float]:
    """Return {"success": 0 or 1} if the info has one by either of its usual names."""
    for name in ("is_success", "success"):
        if name in info:
            return {"success": float(np.asarray(info[name]).item())}
    return {}


def arena(thing: Any) -> Arena:
    """Return the arena of a gymnasium id, an environment, its factory, or an episode function."""
    if isinstance(thing, str):
        thing = load(thing) if is_place(thing) else _registered(thing)
    if not _is_environment(thing) and callable(thing):
        needed, most = arguments(thing) or (0, 0)
        if not isinstance(thing, type) and 1 <= needed <= 2 <= most:
            return EpisodeFunction(thing)
        if needed == 0:
            thing = thing()
    if not _is_environment(thing):
        raise InvalidInput(
            "env must be a gymnasium id, an environment, a factory without arguments, or a "
            f"function episode(policy, seed), but got {thing!r}"
        )
    if hasattr(thing, "num_envs"):
        from stopwise.rollout.vector import VectorGym

        return VectorGym(thing)
    return Gym(thing)


def _is_environment(thing: Any) -> bool:
    return not isinstance(thing, type) and hasattr(thing, "reset") and hasattr(thing, "step")


def _registered(name: str) -> Any:
    try:
        import gymnasium
    except ImportError as error:
        raise StopwiseError(
            f'the environment {name!r} needs gymnasium: pip install "stopwise[gym]"'
        ) from error
    try:
        return gymnasium.make(name)
    except gymnasium.error.Error as error:
        raise InvalidInput(
            f"{name!r} is not an environment that gymnasium can make: {error}"
        ) from error
