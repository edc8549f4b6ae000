"""Which task an episode meets: drawn from the seed of the race, as its own seed is."""

from collections.abc import Mapping

from stopwise.core.seeds import task_draw
from stopwise.rows.task_mean import task_at


def drawn_task(
    seed: int, shares: Mapping[str, float], row: int, policy: int, *, paired: bool
) -> str:
    """Return the task of an episode, drawn by its shares: one for all policies of a row if paired.

    Examples
    --------
    >>> from stopwise.rollout.seeds import drawn_task
    >>> shares = {"reach": 0.75, "push": 0.25}
    >>> [drawn_task(7, shares, row, 0, paired=True) for row in range(4)]
    ['reach', 'push', 'push', 'reach']
    """
    return task_at(shares, task_draw(seed, row, policy, paired=paired))
