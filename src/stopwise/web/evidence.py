"""The evidence of a study as its pages show it: each task as a card, and one for the wall."""

from dataclasses import dataclass

from markupsafe import Markup

from stopwise.errors import NotAllowed
from stopwise.questions import QUESTIONS
from stopwise.questions.analysis import Analysis
from stopwise.report.tables import WORDS
from stopwise.study.study import Study
from stopwise.study.verdict import TaskVerdict
from stopwise.web.chart import Chart, chart_of
from stopwise.web.rendering import render

DRAWN, ON_THE_WALL = 12, 6  # pairs in a figure; fewer on the wall


@dataclass(frozen=True)
class TaskShown:
    """The evidence of one task as a part of a page, and where it stands in a word."""

    name: str
    state: str
    card: Markup


@dataclass(frozen=True)
class Shown:
    """The evidence after journal entry ``seq``, as it leaves the server."""

    seq: int
    blinded: bool
    saved: int
    tasks: tuple[TaskShown, ...]
    current: int  # the first task that is not over
    wall: Markup

    @classmethod
    def of(cls, study: Study) -> "Shown":
        """Compute it from the newest state."""
        verdict, saved = study.verdict(), study.trials_saved()
        try:
            analyses = study.analyses()
        except NotAllowed:  # no task has enough trials yet
            analyses = {}

        def part(template: str, task: TaskVerdict | None, most: int) -> Markup:
            analysis = analyses.get(task.task) if task else None
            chart = _chart(analysis, most) if analysis else None
            content = {"verdict": verdict, "task": task, "analysis": analysis, "chart": chart}
            state = _state(task) if task else ""
            return Markup(render(template, **content, state=state, words=WORDS))

        tasks = verdict.tasks
        current = next((place for place, task in enumerate(tasks) if task.needed), 0)
        return cls(
            seq=verdict.seq,
            blinded=verdict.blinded,
            saved=sum(saved.values()),
            tasks=tuple(
                TaskShown(task.task, _state(task), part("evidence_task.html", task, DRAWN))
                for task in tasks
            ),
            current=current,
            wall=part("evidence_wall.html", tasks[current] if tasks else None, ON_THE_WALL),
        )


def _state(task: TaskVerdict) -> str:
    if task.decided:
        return QUESTIONS[task.goal].answer.FOUND
    return "running" if task.needed else "futile" if task.futile else "n_max reached"


def _chart(analysis: Analysis, most: int) -> Chart | None:
    """The evidence of the open pairs that are nearest to a decision, then of decided ones."""
    pairs = analysis.sorted_pairs
    order = sorted(range(len(pairs)), key=lambda at: (pairs[at].decided, pairs[at].p_value))
    return chart_of([pairs[at] for at in sorted(order[:most])], analysis.alpha) if pairs else None
