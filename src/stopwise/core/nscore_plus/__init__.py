"""``nscore-plus``, as ``docs/design/nscore-plus.md`` describes it.

``method`` has the test itself, ``state`` what it remembers, ``estimates`` and ``bets`` the rules
that size a bet, ``horizon_table`` (made by ``horizon_induction``) the bets planned for a declared
n_max, ``growth`` those without one, and ``constants`` every tuned number.
"""

from stopwise.core.nscore_plus.method import NScorePlus
from stopwise.core.nscore_plus.state import PlusState

__all__ = ["NScorePlus", "PlusState"]
