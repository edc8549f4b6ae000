"""How many episodes are begun before it is known that they are needed.

Too few, and workers wait for the slowest of a row; too many, and a verdict leaves them in vain.
None of this touches the verdict, which takes rows in their order whenever they are complete.
"""

import math

from stopwise.questions.standing import Way
from stopwise.rollout.stop_rule import StopRule

# Episodes begun and not yet looked at, in units of what the executor holds: where episodes differ
# threefold in length, a row waits that long for its slowest.
SPARE = 3
# Rows that may be begun ahead before there is evidence, and more for each row seen: an easy race
# is over by then.
FIRST, MORE = 16, 2
# Of the rows that a policy is likely to need: it may need fewer, and then the rest is in vain.
LIKELY = 0.6
# Whatever is likely, so much of what the executor holds is begun: nothing is known for sure.
LEAST = 0.5


class Lookahead:
    """How far ahead of the present row each policy may be tried.

    Parameters
    ----------
    rule
        The stopping rule, at its present row.
    """

    def __init__(self, rule: StopRule) -> None:
        self.rows = rule.rows
        self._most = FIRST + MORE * rule.rows
        self._likely = {policy: LIKELY * _rows_more(way) for policy, way in rule.ways().items()}

    def allows(self, policy: str, rows: int, begun: float) -> bool:
        """Whether to begin an episode so many rows ahead.

        ``begun`` is how many are, in units of what the executor holds.
        """
        if rows > self._most or begun >= SPARE:
            return False
        return begun < LEAST or rows <= max(self._likely.get(policy, math.inf), 1.0)


def _rows_more(way: Way) -> float:
    """Return the rows likely to be needed if evidence grows as the square of the rows.

    So it does at first, while a method learns how much to bet.
    """
    seen, share = way
    return max(seen * (share**-0.5 - 1), 0.0) if share > 0 else math.inf
