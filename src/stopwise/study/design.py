"""The designs of a study: what the trials of a row have in common, and how they are drawn."""

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from stopwise.study.blinding import Draws
    from stopwise.study.study_plan import StudyPlan


class Independent:
    """Each trial has a scene of its own, and a task of its own where tasks are drawn."""

    tested: ClassVar[str] = "independent"  # the design of the test
    shared: ClassVar[bool] = False  # whether a row is of one scene, and so of one station

    def task(self, lots: "Draws", plan: "StudyPlan", row: int, arm: str) -> str | None:
        """The task that is drawn for a trial; None where stations go through tasks."""
        return None if plan.shares is None else lots.task(plan.shares, row, arm)

    def condition(
        self, lots: "Draws", plan: "StudyPlan", task: str, row: int, arm: str
    ) -> str | None:
        # Gone through in turn by each arm for itself, what is left would depend on what has been.
        conditions = plan.task(task).begins
        return lots.condition(conditions, row, "condition", task, arm, in_turn=False)


class Blocks(Independent):
    """All policies of a row start from the same scene."""

    tested = "paired"
    shared = True

    def task(self, lots: "Draws", plan: "StudyPlan", row: int, _: str) -> str | None:
        return None if plan.shares is None else lots.task(plan.shares, row)

    def condition(
        self, lots: "Draws", plan: "StudyPlan", task: str, row: int, _: str
    ) -> str | None:
        # In turn, what is left would depend on what has been: rows of a drawn task draw afresh.
        in_turn = plan.shares is None
        return lots.condition(plan.task(task).begins, row, "block", task, in_turn=in_turn)


DESIGNS = {"independent": Independent(), "blocks": Blocks()}
