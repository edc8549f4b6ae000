"""Anything in which a policy can be tried, seen as one thing: seeds in, measures out."""

import time
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, Protocol

from stopwise.core.scores import as_numbers, without_gradient
from stopwise.errors import InvalidInput, MissingPackage, require
from stopwise.messages import Setting
from stopwise.policies.actor import Actor
from stopwise.policies.import_path import arguments, is_place, load

# Of an environment: is success what the "last" step says, or "any" step?
SUCCESS = ("last", "any")
# What an episode amounts to: "return", "length", "success", "info", or what a function returned.
Measures = Mapping[str, Any]


class TimedOut(Exception):
    """The episode took longer than was allowed."""


class Arena(Protocol):
    """Runs episodes of one policy, as many side by side as it is wide."""

    width: int

    def player(self, policy: Any) -> Any:
        """Return the policy as episodes here need it, or raise if it is none."""

    def episodes(self, player: Any, seeds: Sequence[int], timeout: float | None) -> list[Measures]:
        """Return the measures of an episode per seed, at most ``width``; one failure is of all."""

    def close(self) -> None: ...


class Gym:
    """Episodes in one gymnasium environment; a time-out is checked after each step."""

    width = 1

    def __init__(self, environment: Any, success: str = "last") -> None:
        _require_seed(environment)
        self.environment = environment
        self.any_success = success == "any"

    def player(self, policy: Any) -> Actor:
        return Actor(policy)

    def episodes(
        self, player: Actor, seeds: Sequence[int], timeout: float | None
    ) -> list[Measures]:
        """Return return, length, success (if an info that counts has it) and the last info."""
        step, act = self.environment.step, player.act
        deadline = None if timeout is None else time.perf_counter() + timeout
        observation, info = self.environment.reset(seed=seeds[0])
        player.begin(seeds[0])
        plain = without_gradient if has_tensors(observation) else as_numbers
        total, length, ended = 0.0, 0, False
        succeeded: dict[str, float] = {}
        while not ended:
            action = act(observation)
            if hasattr(action, "detach"):
                action = plain(action)
            observation, reward, terminated, truncated, info = step(action)
            total += float(reward)
            length += 1
            ended = terminated or truncated
            if self.any_success or ended:
                succeeded = max(succeeded, success_of(info), key=lambda d: d.get("success", -1.0))
            if deadline is not None and time.perf_counter() > deadline:
                raise TimedOut(f"time-out: {length} steps took more than {timeout:g} s")
        return [{"return": total, "length": length, "info": info, **succeeded}]

    def close(self) -> None:
        getattr(self.environment, "close", lambda: None)()


class EpisodeFunction:
    """Episodes by a function ``episode(policy, seed)`` that returns a score or measures.

    What takes too long is only found out afterwards here; processes and Ray cut it short.
    """

    width = 1

    def __init__(self, function: Callable[[Any, int], Any]) -> None:
        self.function = function

    def player(self, policy: Any) -> Any:
        return policy

    def episodes(self, player: Any, seeds: Sequence[int], timeout: float | None) -> list[Measures]:
        begin = time.perf_counter()
        measures = self.function(player, seeds[0])
        seconds = time.perf_counter() - begin
        if timeout is not None and seconds > timeout:
            raise TimedOut(f"time-out: it took {seconds:.3g} s, more than {timeout:g} s")
        return [measures if isinstance(measures, Mapping) else {"score": measures}]

    def close(self) -> None:
        pass


def arena(thing: Any, success: str = "last") -> Arena:
    """Return the arena of a gymnasium id, an environment, its factory, or an episode function."""
    if isinstance(thing, str):
        thing = load(thing) if is_place(thing) else _registered(thing)
    if not _is_environment(thing) and callable(thing):
        needed, most = arguments(thing) or (0, 0)
        if not isinstance(thing, type) and 1 <= needed <= 2 <= most:
            require(
                success == "last",
                Setting("success", success),
                " is for environments: an episode function returns its own measures",
            )
            return EpisodeFunction(thing)
        if needed == 0:
            thing = thing()
    if not _is_environment(thing):
        raise InvalidInput(
            "env must be a gymnasium id, an environment, a factory without arguments, or a "
            f"function episode(policy, seed), but got {thing!r}"
        )
    # What wraps ManiSkill's and Isaac Lab's hides how many there are, and may make one place plain.
    inner = getattr(thing, "unwrapped", thing)
    width = getattr(thing, "num_envs", getattr(inner, "num_envs", 1))
    if hasattr(thing, "num_envs") or width > 1:
        from stopwise.rollout.vector import VectorGym

        return VectorGym(thing, int(width), success)
    return Gym(thing, success)


def success_of(info: Mapping[str, Any]) -> dict[str, float]:
    """Return {"success": 0 or 1} if the info has one by either of its usual names."""
    for name in ("is_success", "success"):
        if info.get(name) is not None:
            return {"success": float(as_numbers(info[name]).item())}
    return {}


def has_tensors(observation: Any) -> bool:
    """Whether an environment speaks in tensors, and so is answered in tensors."""
    if isinstance(observation, Mapping):
        return any(map(has_tensors, observation.values()))
    return hasattr(observation, "detach")


def _require_seed(environment: Any) -> None:
    """Raise if ``reset`` takes no seed: all episodes of a row would begin differently."""
    try:
        known = signature(environment.reset).parameters.values()
    except (TypeError, ValueError):  # unknown for a function in C
        return
    takes = any(one.name == "seed" or one.kind is one.VAR_KEYWORD for one in known)
    require(
        takes,
        f"reset of {type(environment).__name__} takes no seed, which tells the episodes apart: "
        "wrap it in a class whose reset(self, seed) seeds it, or makes it anew with that seed, and "
        "returns (observation, info); its step(action) returns (observation, reward, terminated, "
        "truncated, info)",
    )


def _is_environment(thing: Any) -> bool:
    return not isinstance(thing, type) and hasattr(thing, "reset") and hasattr(thing, "step")


def _registered(name: str) -> Any:
    try:
        import gymnasium
    except ImportError as error:
        text = f'the environment {name!r} needs gymnasium: pip install "stopwise[gym]"'
        raise MissingPackage(text) from error
    try:
        return gymnasium.make(name)
    except gymnasium.error.Error as error:
        raise InvalidInput(
            f"{name!r} is not an environment that gymnasium can make: {error}"
        ) from error
