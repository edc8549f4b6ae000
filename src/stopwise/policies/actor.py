"""Anything that chooses actions, seen as one thing."""

from collections.abc import Callable
from typing import Any

from stopwise.core.seeds import policy_seed
from stopwise.errors import InvalidInput
from stopwise.policies.import_path import parameters_of

# What a text can stand for; any other is no policy.
TEXTS = ", or be package.module:name, ws://host:port or a folder in which LeRobot saved one"


class Actor:
    """A policy as an episode sees it: begin with a seed, then one action per observation."""

    act: Callable[[Any], Any]  # the policy's own wherever it can be: a step costs nothing more

    def __init__(self, policy: Any) -> None:
        self._reset = getattr(policy, "reset", None)
        self._reset_takes_seed = self._reset is not None and "seed" in _names(self._reset)
        self._state: Any = None
        predict = getattr(policy, "predict", None)
        choose = getattr(policy, "act", None) or (policy if callable(policy) else None)
        if callable(predict):
            self.act = self._predicting(predict)
        elif callable(choose):
            self.act = choose
        else:
            raise InvalidInput(
                "a policy must be callable or have predict or act"
                + (TEXTS if isinstance(policy, str) else "")
                + f", but got {type(policy).__name__} ({policy!r})"
            )

    def begin(self, seed: int) -> None:
        """Forget the last episode; a policy whose ``reset`` takes a seed gets one of its own."""
        self._state = None
        if self._reset is not None:
            self._reset(**({"seed": policy_seed(seed)} if self._reset_takes_seed else {}))

    def _predicting(self, predict: Callable[..., Any]) -> Callable[[Any], Any]:
        """Adapter for stable-baselines3, whose ``predict`` also returns a state."""
        fixed = {"deterministic": True} if "deterministic" in _names(predict) else {}

        def act(observation: Any) -> Any:
            # Only a policy that returned a state is given one back.
            memory = {} if self._state is None else {"state": self._state}
            answer = predict(observation, **memory, **fixed)
            if isinstance(answer, tuple) and len(answer) == 2:
                answer, self._state = answer
            return answer

        return act


def _names(function: Any) -> set[str]:
    return {parameter.name for parameter in parameters_of(function) or ()}
