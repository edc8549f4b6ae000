"""Trials of inspect-robots as the episodes of a race."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from stopwise.errors import StopwiseError, require

try:
    import inspect_robots
except ImportError as error:
    raise StopwiseError(
        'this needs inspect-robots: pip install "stopwise[inspect-robots]"'
    ) from error


@dataclass
class RobotTrials:
    """An episode function for ``stopwise.race``: one trial of a task of inspect-robots.

    The seed of the episode draws the scene, all alike, and is the seed of the trial: the claim is
    about the mean over the scenes of the task. Policies are those of inspect-robots, or the names
    under which they are registered. The measures are the scores of the task's scorers.

    Parameters
    ----------
    task, embodiment
        Of inspect-robots, or the names under which they are registered.
    log_dir
        Where inspect-robots keeps a log of each trial; by default there is none.

    Examples
    --------
    >>> import stopwise as sw
    >>> from stopwise.rollout.inspect_robots import RobotTrials
    >>> trials = RobotTrials("cubepick-reach", "cubepick")
    >>> policies = {"noop": "noop", "scripted": "scripted"}
    >>> sw.race(policies, trials, score="success_at_end", n_max=40).sentence
    'scripted > noop (alpha 0.05), after 12 episodes instead of 80'
    """

    task: Any
    embodiment: Any
    log_dir: str | None = None

    def __call__(self, policy: Any, seed: int) -> dict[str, float]:
        """Run one trial."""
        task, embodiment = self._part("task", self.task), self._part("embodiment", self.embodiment)
        require(len(task.scenes) > 0, f"the task {task.name!r} of inspect-robots has no scenes")
        scene = task.scenes[np.random.default_rng(seed).integers(len(task.scenes))]
        kept: dict[str, Any] = {"log_dir": self.log_dir} if self.log_dir else {"sinks": []}
        (log,) = inspect_robots.eval(
            replace(task, scenes=[scene], epochs=1),
            self._part("policy", policy),
            embodiment,
            seed=seed,
            store_actions=False,
            **kept,
        )
        if log.status != "success":
            raise StopwiseError(str(log.samples[0].error if log.samples else log.error))
        return dict(log.samples[0].epochs[0])

    @cached_property
    def _made(self) -> dict[tuple[str, str], Any]:
        return {}

    def _part(self, kind: str, given: Any) -> Any:
        """Return what was given, or what is registered under that name, made once."""
        if not isinstance(given, str):
            return given
        if (kind, given) not in self._made:
            self._made[kind, given] = inspect_robots.resolve(kind, given)
        return self._made[kind, given]
