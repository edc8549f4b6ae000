"""A callback for stable-baselines3 that asks whether training has led to a better policy."""

import copy
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from stopwise.core.keywords import described, flat
from stopwise.core.scores import require_whole
from stopwise.core.settings import RaceSettings
from stopwise.errors import MissingPackage, require
from stopwise.rollout.executors import Executor
from stopwise.rollout.race import race, require_all_there
from stopwise.rollout.race_result import RaceResult
from stopwise.rollout.stop_rule import StopRule

try:
    from stable_baselines3.common.callbacks import BaseCallback
except ImportError as error:
    raise MissingPackage(
        'this callback needs stable-baselines3: pip install "stopwise[sb3]"'
    ) from error


@described
class CompareWithBest(BaseCallback):
    """Every so many steps, race the policy against the best so far; it takes over only if better.

    Each race runs on fresh seeds. Comparison j is made at level alpha / (j (j + 1)), so that the
    probability that any policy that is no better ever takes over is at most alpha, over the whole
    training.

    Parameters
    ----------
    env
        Where to compare: a gymnasium id or a factory, as for ``stopwise.race``.
    every
        Steps between comparisons.
    bounds
        Range of the score of an episode.
    n_max
        The greatest number of episodes per policy and comparison.
    patience
        Stop training after so many comparisons in a row without a better policy; None never does.
    save_path
        Folder in which the best model is kept, as ``best_model.zip``.
    seed
        Of all comparisons.
    design, score, executor, on_error
        As for ``stopwise.race``; here the design is "paired" by default.
    **settings
        As for ``stopwise.analyze``.

    Attributes
    ----------
    best
        The best policy so far, with ``predict``; a copy that training does not change.
    results
        The result of each race.
    """

    @flat(RaceSettings)
    def __init__(
        self,
        env: Any,
        *,
        every: int,
        bounds: tuple[float, float],
        n_max: int = 100,
        patience: int | None = None,
        save_path: str | Path | None = None,
        seed: int = 0,
        design: str = "paired",
        score: str | Callable[[Mapping[str, Any]], float] | None = None,
        executor: str | Executor = "serial",
        on_error: str = "raise",
        **settings: Unpack[RaceSettings],
    ) -> None:
        super().__init__()
        self.every = require_whole(every, "every", 1)
        self.patience = None if patience is None else require_whole(patience, "patience", 1)
        self.best: Any = None
        self.results: list[RaceResult] = []
        self._seed, self._save_path = require_whole(seed, "seed", 0), save_path
        # Fail before the training, not in the middle of it.
        require_all_there(settings)
        for name, good in (
            ("indifference", not settings.get("indifference")),
            ("margin", settings.get("margin", 0.0) >= 0),
        ):
            text = "a policy takes over only if it is better: no indifference, no negative margin"
            require(good, text, parameter=name)
        rule = StopRule(["best", "new"], n_max=n_max, bounds=bounds, design=design, **settings)
        self._alpha = rule.alpha
        self._race = partial(
            race,
            env=env,
            score=score,
            bounds=bounds,
            n_max=n_max,
            design=design,
            executor=executor,
            on_error=on_error,
            **settings,
        )
        self._next = self.every
        self._in_vain = 0

    def _on_step(self) -> bool:
        """Compare when it is time; return False to stop training."""
        if self.num_timesteps < self._next:
            return True
        self._next = self.num_timesteps + self.every
        now = _Frozen(self.model)
        if self.best is None:
            self._take_over(now)
            return True
        result = self._compare(now)
        better = result.best == "new"
        if better:
            self._take_over(now)
        self._in_vain = 0 if better else self._in_vain + 1
        self._record(result, better)
        return self.patience is None or self._in_vain < self.patience

    def _compare(self, now: "_Frozen") -> RaceResult:
        number = len(self.results) + 1
        entropy = np.random.SeedSequence([self._seed, number])
        result = self._race(
            {"best": self.best, "new": now},
            alpha=self._alpha / (number * (number + 1)),
            seed=int(entropy.generate_state(1)[0]),
        )
        self.results.append(result)
        return result

    def _take_over(self, now: "_Frozen") -> None:
        self.best = now
        if self._save_path is not None:
            self.model.save(Path(self._save_path) / "best_model")

    def _record(self, result: RaceResult, better: bool) -> None:
        means = {policy.name: policy.mean for policy in result.analysis.policies}
        self.logger.record("race/new_mean", means["new"])
        self.logger.record("race/best_mean", means["best"])
        self.logger.record("race/episodes", result.used)
        self.logger.record("race/new_is_better", int(better))


class _Frozen:
    """A policy as it is now, with the scaling of observations it was trained with."""

    def __init__(self, model: Any) -> None:
        self._policy = copy.deepcopy(model.policy)
        scaling = model.get_vec_normalize_env()
        # Its copy leaves the environments behind, and keeps the statistics as they are.
        self._scaling = None if scaling is None else copy.deepcopy(scaling)

    def predict(
        self, observation: Any, state: Any = None, deterministic: bool = True
    ) -> tuple[Any, Any]:
        if self._scaling is not None:
            observation = self._scaling.normalize_obs(observation)
        action: tuple[Any, Any] = self._policy.predict(
            observation, state=state, deterministic=deterministic
        )
        return action
