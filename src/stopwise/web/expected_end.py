"""Expected end of a study, forecast from its trials in the background."""

import math
from dataclasses import dataclass

from stopwise.errors import InvalidInput, NotAllowed
from stopwise.planning.forecast import forecast_study
from stopwise.study.study import Study

TRIALS_NEEDED = 2  # per policy, to draw others like them
PRECISION = 0.03  # standard error of the chance: it is shown in whole per cent


@dataclass(frozen=True, kw_only=True)
class ExpectedEnd:
    """What to expect of a study after journal entry ``seq``; nothing in it is about one policy."""

    seq: int
    trials: float | None = None  # that will count in the end
    at_most: int | None = None  # if all goes on to n_max
    chance: float | None = None  # of an answer on every task; None without a complete round of each
    minutes_per_trial: float | None = None  # None if too few came
    why_not: str = ""  # the rest is not known; empty if it is

    def more(self, counted: int) -> int:
        """Expected number of further trials, given how many count so far."""
        return max(1, round((self.trials or 0.0) - counted))

    def minutes(self, counted: int) -> float | None:
        """Working time in minutes."""
        known = self.minutes_per_trial
        return None if known is None else self.more(counted) * known


NOT_YET = ExpectedEnd(seq=-1, why_not="it is being worked out")


def expected_end(study: Study) -> ExpectedEnd:
    """Forecast the end from the newest state, by labels until the study is unblinded."""
    status = study.status()
    try:
        if status.n_max is None:
            raise NotAllowed("the plan sets no maximum of trials (n_max)")
        tasks = study.verdict().tasks
        begun = {task.task for task in tasks if task.rows >= TRIALS_NEEDED}
        if not begun:
            raise NotAllowed("two rounds have to be complete first")
        ahead = forecast_study(study, precision=PRECISION, tasks=begun)
    except (InvalidInput, NotAllowed) as error:
        return ExpectedEnd(seq=status.seq, why_not=str(error))
    left = {task: count for task, count in study.trials_left().items() if count}
    # A task without results is assumed to need all its trials.
    further = [
        min(count, ahead[task].mean_trials) if task in ahead else count
        for task, count in left.items()
    ]
    possible = all(task.decided or task.needed for task in tasks)
    chance = math.prod(forecast.chance for forecast in ahead.values()) * possible
    return ExpectedEnd(
        seq=status.seq,
        trials=status.counted + sum(further),
        at_most=status.counted + sum(left.values()),
        chance=chance if left.keys() <= ahead.keys() else None,
        minutes_per_trial=study.minutes_per_trial(),
    )
