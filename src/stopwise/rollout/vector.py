"""Episodes side by side in one vector environment of gymnasium."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stopwise.errors import InvalidInput
from stopwise.rollout.environments import Gym, Measures, TimedOut, success_of
from stopwise.rollout.policies import Actor


class VectorGym(Gym):
    """As many episodes at once as the vector environment has places, until all have ended.

    The policy sees the whole batch of observations and answers with a batch of actions. Each place
    runs one episode, from its own seed; what a place does after its end is not looked at.
    """

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self.width = int(environment.num_envs)
        try:
            environment.reset(seed=list(range(self.width)))
        except Exception as error:  # each kind of vector environment refuses in its own way
            raise InvalidInput(
                "a vector environment must take a seed for each of its places, as those made with "
                f"vectorization_mode 'sync' or 'async' do, but reset said: {error}"
            ) from error

    def episodes(
        self, player: Actor, seeds: Sequence[int], timeout: float | None
    ) -> list[Measures]:
        """Return the measures of each episode; nobody can say whose fault a failure is."""
        count = len(seeds)
        # Places without a ticket repeat the last seed, and are not looked at.
        filled = [*seeds, *[seeds[-1]] * (self.width - count)]
        deadline = None if timeout is None else time.perf_counter() + timeout
        observations, _ = self.environment.reset(seed=filled)
        player.begin(seeds[0])
        running = np.arange(self.width) < count
        totals, lengths = np.zeros(self.width), np.zeros(self.width, dtype=int)
        last: list[Mapping[str, Any]] = [{}] * self.width
        while running.any():
            actions = player.act(observations)
            observations, rewards, terminated, truncated, infos = self.environment.step(actions)
            totals[running] += np.asarray(rewards, dtype=float)[running]
            lengths[running] += 1
            ended = running & (terminated | truncated)
            for place in np.flatnonzero(ended):
                last[place] = _own_info(infos, int(place))
            running &= ~ended
            if deadline is not None and running.any() and time.perf_counter() > deadline:
                raise TimedOut(f"time-out: the batch took more than {timeout:g} s")
        return [
            {
                "return": float(totals[place]),
                "length": int(lengths[place]),
                "info": last[place],
                **success_of(last[place]),
            }
            for place in range(count)
        ]


def _own_info(infos: Mapping[str, Any], place: int) -> dict[str, Any]:
    """Return the part of a batch's info that is of one place, its last one if it was reset."""
    infos = infos.get("final_info", infos)
    return {
        name: values[place]
        for name, values in infos.items()
        if not name.startswith("_") and infos.get(f"_{name}", np.ones(place + 1))[place]
    }
