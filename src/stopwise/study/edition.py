"""The edition of a study's method: evidence is replayed only with the one it was locked with."""

from stopwise import __version__
from stopwise.core import registry
from stopwise.study.study_plan import StudyPlan

__all__ = ["other_edition", "this_edition"]


def this_edition(plan: StudyPlan) -> tuple[int, str]:
    """Return what a lock says of this stopwise: the edition of the method, and its version."""
    return registry.edition_of(plan.method), __version__


def other_edition(plan: StudyPlan, locked: dict[str, int | str]) -> str | None:
    """Return why this stopwise cannot replay a plan that was locked so, or None if it can."""
    return registry.other_edition(
        plan.method,
        locked.get("edition", registry.UNWRITTEN),
        "this study was locked",
        version=f" (stopwise {locked['stopwise']})" if "stopwise" in locked else "",
        go_on="finish it",
    )
