"""The mean over tasks: what each weighs in it, and what each shows beside it.

Proofs are in docs/design/readings.md.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Ints
from stopwise.core.scores import is_number, score_text
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, named

if TYPE_CHECKING:
    import polars as pl

MEAN = "mean over tasks"
CHOICES = (None, "mean")
ORDERS = ("rounds", "independent", "random")
# With about this probability the numbers of random draws look like something else,
FALSE_ALARM = 1e-4
# and with about that of so many standard deviations their order.
FAR = 4.0


@dataclass(frozen=True, kw_only=True)
class TaskShare:
    task: str
    share: float  # its weight as a part of all weights
    # Of each policy in it, in the task's own unit: a description that claims nothing.
    # ``analyze(tasks="each")`` tests each task.
    trials: Mapping[str, int]
    means: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TaskMean:
    # "random": the task of each row was drawn, with the shares as probabilities. "rounds": each row
    # is the average of one trial of every task. "independent": the same, and these trials are
    # independent of each other, so that one bet is held through a round.
    order: str
    tasks: tuple[TaskShare, ...]
    by_task: bool = False  # whether each task of a round is compared by itself
    doubts: tuple[str, ...] = ()  # signs that the tasks were not drawn at random, one clause each

    @property
    def meaning(self) -> str:
        equal = len({task.share for task in self.tasks}) == 1
        how = {
            "random": "the task of each row drawn at random",
            "rounds": "one trial of every task averaged into each row",
            "by task": "each task of a round compared by itself",
            "independent": "one trial of every task in each row, independent of each other",
        }["by task" if self.by_task else self.order]
        return f"the {'' if equal else 'weighted '}mean over {len(self.tasks)} tasks, {how}"

    @property
    def unit(self) -> str:
        return "trials" if self.order == "random" else "averages of a round"

    @property
    def row_name(self) -> str:
        """What a row is called where rows are counted; empty for a usual one."""
        return "" if self.order == "random" else "round"

    @property
    def several_rows(self) -> str:
        return "trials" if self.order == "random" else f"rounds of {len(self.tasks)} trials"

    @property
    def declared(self) -> dict[str, Any]:
        """What follows for the rules."""
        held = self.by_task or self.order == "independent"
        return {"rounds": tuple(task.share for task in self.tasks)} if held else {}

    def text_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "task": own.task,
                "weight": f"{100 * own.share:.3g} %",
                **{
                    f"{policy}: mean (n)": f"{score_text(own.means[policy])} ({n})" if n else ""
                    for policy, n in own.trials.items()
                },
            }
            for own in self.tasks
        ]

    def to_dict(self) -> dict[str, Any]:
        return {"order": self.order, "tasks": [dict(vars(own)) for own in self.tasks]}


def shares(
    tasks: Iterable[str], weights: Mapping[str, float] | None, *, complete: bool = True
) -> dict[str, float]:
    """Return each task's share of the weights, 1 where none is declared; or raise."""
    known = list(tasks)
    require(
        weights is None or isinstance(weights, Mapping),
        named("weights"),
        f" must be given by task, as in {{'reach': 2}}, but got {weights!r}",
    )
    for task, weight in (weights or {}).items():
        require(
            is_number(weight) and weight > 0,
            f"the weight of task {task!r} must be a positive number, but is {weight!r}",
            parameter="weights",
        )
        require(
            task in known or not complete,
            named("weights"),
            f" names the task {task!r}, but the tasks are {', '.join(known)}",
        )
    given = {**dict.fromkeys(known, 1.0), **(weights or {})}
    total = sum(given.values())
    return {task: weight / total for task, weight in given.items()}


def task_at(share: Mapping[str, float], drawn: float) -> str:
    # The last end may be rounded to less than 1.
    ends = list(accumulate(share.values()))[:-1]
    return list(share)[bisect_right(ends, drawn)]


def require_tasks_choice(
    tasks: str | None,
    order: str = "rounds",
    weights: Mapping[str, float] | None = None,
    by: str | None = None,
    choices: tuple[str | None, ...] = CHOICES,
) -> None:
    """Raise if these do not go together; ``by`` is given where the tasks of a row may differ."""
    require(
        tasks != "mean" or by != "wins",
        "a win is one of two trials of the same task, but the tasks of a row may differ here",
        parameter="by",
    )
    require_choice("tasks", tasks, choices)
    require_choice("task_order", order, ORDERS)
    for name, given in (("task_order", order != "rounds"), ("weights", weights is not None)):
        require(
            tasks == "mean" or not given,
            named(name),
            " is about the mean over tasks: give ",
            Setting("tasks", "mean"),
            " as well",
        )


def described(
    order: str,
    share: Mapping[str, float],
    frame: "pl.DataFrame",
    policies: Sequence[str],
    doubts: tuple[str, ...] = (),
    *,
    by_task: bool = False,
) -> TaskMean:
    import polars as pl

    cells = frame.group_by("task", "policy").agg(pl.len(), pl.col("score").mean())
    found = {(task, policy): (n, mean) for task, policy, n, mean in cells.rows()}
    return TaskMean(
        order=order,
        tasks=tuple(
            TaskShare(
                task=task,
                share=part,
                trials={policy: found.get((task, policy), (0, 0.0))[0] for policy in policies},
                means={
                    policy: found[task, policy][1] for policy in policies if (task, policy) in found
                },
            )
            for task, part in share.items()
        ),
        doubts=doubts,
        by_task=by_task,
    )


def not_drawn(sequence: Ints, names: Sequence[str], share: Sequence[float]) -> str | None:
    """Return why a sequence of tasks does not look drawn with these shares, or None."""
    from scipy.stats import binom

    n, parts = len(sequence), np.asarray(share)
    counts = np.bincount(sequence, minlength=len(parts))
    tails = np.minimum(binom.cdf(counts, n, parts), binom.sf(counts - 1, n, parts))
    worst = int(tails.argmin())
    if 2 * len(parts) * tails[worst] < FALSE_ALARM:
        return (
            f"task {names[worst]} has {counts[worst]} of {n} trials of a policy, where about "
            f"{n * parts[worst]:.0f} were to be drawn"
        )
    # The mean and the variance of the number of neighbours alike, of independent draws.
    same, cubed = (parts**2).sum(), (parts**3).sum()
    spread = (n - 1) * (same - same**2) + 2 * max(n - 2, 0) * (cubed - same**2)
    repeats, expected = int((sequence[1:] == sequence[:-1]).sum()), (n - 1) * same
    if n > 1 and abs(repeats - expected) > FAR * np.sqrt(spread) + 1:
        return (
            f"{repeats} times of {n - 1} a task follows itself, where random draws would do so "
            f"about {expected:.0f} times"
        )
    return None
