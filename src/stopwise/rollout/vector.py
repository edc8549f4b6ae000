"""Episodes side by side in one vector environment, of arrays or of tensors."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stopwise.core.scores import as_numbers, without_gradient
from stopwise.errors import InvalidInput
from stopwise.policies.actor import Actor
from stopwise.rollout.environments import Gym, Measures, TimedOut, has_tensors, success_of


class VectorGym(Gym):
    """As many episodes at once as the vector environment has places, until all have ended.

    The policy sees the whole batch of observations and answers with a batch of actions. Each place
    runs one episode; what a place does after its end is not looked at, and whether and when the
    environment resets it does not matter. Each place has the seed of its episode. An environment
    that takes only one seed for all gets that of the first: then an episode depends on its place in
    the batch, too.
    """

    def __init__(self, environment: Any, width: int, success: str = "last") -> None:
        super().__init__(environment, success)
        self.width = width
        mode = (getattr(environment, "metadata", None) or {}).get("autoreset_mode")
        self._resets_itself = getattr(mode, "name", mode) != "DISABLED"
        # LeRobot's replay the end of an episode until a reset says that another one begins.
        lerobot = type(environment).__module__.startswith("lerobot.")
        self._anew = {"options": {"lerobot_new_rollout": True}} if lerobot else {}
        self._one_seed = False
        try:
            environment.reset(seed=list(range(self.width)))
        except Exception:  # each kind of vector environment raises its own error
            self._one_seed = True
            try:
                environment.reset(seed=0)
            except Exception as error:
                raise InvalidInput(
                    "a vector environment must take a seed for each of its places, or one for all, "
                    f"but reset said: {error}"
                ) from error

    def episodes(
        self, player: Actor, seeds: Sequence[int], timeout: float | None
    ) -> list[Measures]:
        """Return the measures of each episode; nobody can say whose fault a failure is."""
        count = len(seeds)
        # Places without a ticket repeat the last seed, and their results are ignored.
        filled = [*seeds, *[seeds[-1]] * (self.width - count)]
        deadline = None if timeout is None else time.perf_counter() + timeout
        seed = seeds[0] if self._one_seed else filled
        observations, _ = self.environment.reset(seed=seed, **self._anew)
        player.begin(seeds[0])
        plain = without_gradient if has_tensors(observations) else as_numbers
        running = np.arange(self.width) < count
        totals, lengths = np.zeros(self.width), np.zeros(self.width, dtype=int)
        succeeded = np.full(self.width, np.nan)
        last: list[Mapping[str, Any]] = [{}] * self.width
        while running.any():
            actions = player.act(observations)
            if hasattr(actions, "detach"):
                actions = plain(actions)
            observations, rewards, terminated, truncated, infos = self.environment.step(actions)
            totals[running] += np.asarray(as_numbers(rewards), dtype=float)[running]
            lengths[running] += 1
            over = np.asarray(as_numbers(terminated) | as_numbers(truncated))
            for place in np.flatnonzero(running if self.any_success else running & over):
                info = last[place] = _own_info(infos, int(place), ended=bool(over[place]))
                success = success_of(info).get("success", np.nan)
                # The greater of the two, or the one that there is.
                succeeded[place] = np.fmax(succeeded[place], success)
            running &= ~over
            if not self._resets_itself and over.any() and running.any():
                observations, _ = self.environment.reset(options={"reset_mask": over})
            if deadline is not None and running.any() and time.perf_counter() > deadline:
                raise TimedOut(f"time-out: the batch took more than {timeout:g} s")
        return [
            {
                "return": float(totals[place]),
                "length": int(lengths[place]),
                "info": last[place],
                **({} if np.isnan(succeeded[place]) else {"success": float(succeeded[place])}),
            }
            for place in range(count)
        ]


def _own_info(infos: Mapping[str, Any], place: int, *, ended: bool) -> dict[str, Any]:
    """Return the part of a batch's info that is of one place.

    After a reset in the same step, an episode that has ended is in the final info, and the others
    may be there, too.
    """
    final = infos.get("final_info")
    if final is None:
        return _part(infos, place)
    return _part(final, place) if ended else {**_part(infos, place), **_part(final, place)}


def _part(infos: Mapping[str, Any], place: int) -> dict[str, Any]:
    part = {}
    for name, values in infos.items():
        mask = infos.get(f"_{name}")
        if name.startswith(("_", "final_")) or not (mask is None or mask[place]):
            continue
        if isinstance(values, Mapping):
            part[name] = _part(values, place)
        elif np.ndim(values) > 0 and len(values) > place:
            part[name] = values[place]
        else:  # of the whole batch
            part[name] = values
    return part
