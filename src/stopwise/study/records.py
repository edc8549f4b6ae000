"""The trials of a study as a table: what counts, and everything that happened."""

from stopwise.data.trials import Trials
from stopwise.errors import NotAllowed
from stopwise.study.plan import Plan
from stopwise.study.state import State

__all__ = ["trial_table"]


def trial_table(state: State, plan: Plan) -> Trials:
    """Return the trials used by the contests, in their order, by label until unblinded."""
    shown = state.names or {arm: arm for arm in state.arms}
    columns: dict[str, list[object]] = {"task": [], "policy": [], "score": []}
    blocks: list[str] = []
    for task, board in state.boards.items():
        for row, scores in enumerate(board.used_scores()):
            for arm, score in scores.items():
                columns["task"].append(task)
                columns["policy"].append(shown[arm])
                columns["score"].append(score)
                blocks.append(str(row + 1))
    if not blocks:
        raise NotAllowed("there is no complete row of trials yet")
    if plan.design == "blocks":
        columns["block"] = list(blocks)
    bounds = {task.name: task.score.bounds for task in plan.tasks}
    return Trials.from_columns(columns, bounds=bounds)
