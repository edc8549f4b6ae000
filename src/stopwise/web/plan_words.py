"""A plan in words: its size, its duration, and its promise."""

from stopwise.core.words import promise
from stopwise.messages import counted
from stopwise.study.study_plan import StudyPlan
from stopwise.web.rendering import duration

MINUTES = 3.0  # of a trial, before any was run


def size_in_words(plan: StudyPlan) -> str:
    tried = len(plan.policies) - len(plan.stored)
    asked = 1 if plan.together else len(plan.tasks)
    parts = [counted(tried, "policy", "policies")]
    if len(plan.tasks) > 1 and asked > 1:
        parts.append(counted(asked, "task"))
    if plan.n_max is None:
        return f"{' × '.join(parts)}, with no limit of trials."
    most = tried * asked * plan.n_max
    hours = duration(MINUTES * most)
    return (
        f"{' × '.join([*parts, counted(plan.n_max, 'trial')])} = at most {counted(most, 'trial')}, "
        f"about {hours} at {MINUTES:g} minutes each."
    )


def method_in_words(plan: StudyPlan) -> str:
    each = " on each task" if plan.alpha_for == "task" and len(plan.tasks) > 1 else ""
    chance = promise(plan.method, f"the chance of any false claim{each}", plan.alpha)
    return f"Method {plan.method}: {chance}, whenever you look or stop."
