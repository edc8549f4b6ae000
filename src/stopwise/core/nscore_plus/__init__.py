"""``nscore-plus``, as ``docs/design/nscore-plus.md`` describes it."""

from stopwise.core.nscore_plus.method import NScorePlus
from stopwise.core.nscore_plus.state import PlusState

__all__ = ["NScorePlus", "PlusState"]
