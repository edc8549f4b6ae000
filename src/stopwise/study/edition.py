"""The edition of a study's method: evidence is replayed only with the one it was locked with."""

from stopwise import __version__
from stopwise.core import registry
from stopwise.study.plan import Plan

__all__ = ["LOCKED_WITH", "locked_with", "other_edition"]

LOCKED_WITH = ("edition", "stopwise")


def locked_with(plan: Plan) -> dict[str, int | str]:
    """Return what a lock says of this stopwise: its version, and the edition of the method."""
    return {"edition": registry.edition_of(plan.method), "stopwise": __version__}


def other_edition(plan: Plan, locked: dict[str, int | str]) -> str | None:
    """Return why this stopwise cannot replay a plan that was locked so, or None if it can."""
    return registry.other_edition(
        plan.method,
        locked.get("edition", registry.UNWRITTEN),
        "this study was locked",
        version=f" (stopwise {locked['stopwise']})" if "stopwise" in locked else "",
        go_on="finish it",
    )
