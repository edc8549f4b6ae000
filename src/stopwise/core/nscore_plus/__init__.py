"""``nscore-plus``, as ``docs/design/nscore-plus.md`` describes it."""

from stopwise.core.nscore_plus.method import NScorePlus

__all__ = ["NScorePlus"]
