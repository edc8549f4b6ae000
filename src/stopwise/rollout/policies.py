"""Anything that chooses actions, seen as one thing."""

import inspect
from collections.abc import Callable
from typing import Any

from stopwise.errors import InvalidInput
from stopwise.rollout.seeds import policy_seed

__all__ = ["Actor"]


class Actor:
    """A policy as an episode sees it: begin with a seed, then one action per observation.

    Parameters
    ----------
    policy
        The policy as the user gave it, or as its factory made it.
    """

    def __init__(self, policy: Any) -> None:
        self._choose = _chooser(policy)
        self._reset = getattr(policy, "reset", None)
        self._reset_takes_seed = self._reset is not None and "seed" in _names(self._reset)
        self._state: Any = None

    def begin(self, seed: int) -> None:
        """Forget the last episode; a policy whose ``reset`` takes a seed gets one of its own."""
        self._state = None
        if self._reset is not None:
            self._reset(**({"seed": policy_seed(seed)} if self._reset_takes_seed else {}))

    def act(self, observation: Any) -> Any:
        """Return the action for this observation."""
        action, self._state = self._choose(observation, self._state)
        return action


def _chooser(policy: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    predict = getattr(policy, "predict", None)
    if callable(predict):
        return _predictor(predict)
    choose = getattr(policy, "act", None) or (policy if callable(policy) else None)
    if not callable(choose):
        raise InvalidInput(
            "a policy must be callable or have predict or act, but got "
            f"{type(policy).__name__} ({policy!r})"
        )
    return lambda observation, _: (choose(observation), None)


def _predictor(predict: Callable[..., Any]) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Return stable-baselines3's way: an action and a state, always the best action known."""
    fixed = {"deterministic": True} if "deterministic" in _names(predict) else {}

    def choose(observation: Any, state: Any) -> tuple[Any, Any]:
        # Only a policy that returned a state is given one back.
        memory = {} if state is None else {"state": state}
        answer = predict(observation, **memory, **fixed)
        return answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)

    return choose


def _names(function: Any) -> set[str]:
    try:
        return set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return set()
