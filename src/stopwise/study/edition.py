"""The edition of a study's method: evidence is replayed only with the one it was locked with."""

from stopwise import __version__
from stopwise.core.registry import methods
from stopwise.study.plan import Plan

__all__ = ["LOCKED_WITH", "UNWRITTEN", "locked_with", "other_edition"]

LOCKED_WITH = ("edition", "stopwise")
UNWRITTEN = 1  # of studies that were locked before editions were written down


def locked_with(plan: Plan) -> dict[str, int | str]:
    """Return what a lock says of this stopwise: its version, and the edition of the method."""
    return {"edition": methods()[plan.method].edition, "stopwise": __version__}


def other_edition(plan: Plan, locked: dict[str, int | str]) -> str | None:
    """Return why this stopwise cannot replay a plan that was locked so, or None if it can."""
    ours, edition = methods()[plan.method].edition, locked.get("edition", UNWRITTEN)
    if edition == ours:
        return None
    version = f" (stopwise {locked['stopwise']})" if "stopwise" in locked else ""
    return (
        f"this study was locked with edition {edition} of {plan.method}{version}, but this "
        f"stopwise has edition {ours}: finish it with the stopwise version it was begun with"
    )
