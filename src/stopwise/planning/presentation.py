"""The answers of planning as people read them: JSON, rows of text, and self-contained pages."""

import json
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from stopwise.core.rules import FromRules, Rules
from stopwise.core.words import promise
from stopwise.messages import in_short
from stopwise.report.drawn import Drawn

SCHEMA = 1
Rows = list[dict[str, Any]]
# Columns of words; all others are numbers.
TEXT_COLUMNS = (
    "policy",
    "policy0",
    "policy1",
    "decided",
    "candidate",
    "task",
    "score",
    "spent on",
    "study",
    "assumed",
)
CAPTIONS = {
    "power": "Chance of the right verdict, by declared maximum",
    "stopping": "Chance of having reached the right verdict",
    "further": "Chance that the question is answered, by how much more is tried",
}


class PlanningResult(Drawn):
    """An answer of planning: one sentence that sums it up, tables, JSON, a page and figures."""

    rules: Rules
    bounds_inferred: bool
    minutes_per_trial: float | None
    notes: tuple[str, ...]
    TITLE: ClassVar[str]
    LEGEND: ClassVar[str] = ""

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The probability of any false claim.")
    adjust = FromRules[str]("adjust", "How alpha is shared.")
    design = FromRules[str]("design", 'The design, "independent" or "paired".')
    goal = FromRules[str]("goal", 'What is asked, "order" or "best".')

    @property
    def of_best(self) -> bool:
        """Whether only the best policy is asked for; numbers are then of rows."""
        return self.rules.goal == "best"

    @property
    def per(self) -> str:
        """What is counted, behind its number."""
        one = len(self.rules.reading.run) == 1
        return "rows" if self.of_best else "trials" if one else "trials per policy"

    def promised(self) -> str:
        claim, within = "a false claim", self.rules.indifference
        if self.of_best:
            near = f"naming one not within {within:g} of the best, or of " if within else ""
            claim = f"{near}dropping the best policy (or any given one of several)"
        claim = f"the chance of {claim}"
        return promise(self.method, claim, self.alpha, bounds_inferred=self.bounds_inferred)

    def to_html(self) -> str:
        """Return a self-contained page with the tables, the figures and the assumptions."""
        return planning_page({"": self})

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """Entries of JSON in place of fields, or besides them."""

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        names = ("method", "alpha", "adjust", "design", "goal", "alternative", "bounds")
        settings = {name: getattr(self.rules, name) for name in names}
        content = {**vars(self), **settings, **self._content()}
        del content["rules"]
        content = {"schema": SCHEMA, "sentence": self.sentence, **content}
        plain: dict[str, Any] = json.loads(json.dumps(content, allow_nan=False, default=vars))
        return plain

    def to_json(self) -> str:
        """Return everything as JSON; the schema is in docs/design/planning.md."""
        return json.dumps(self.to_dict(), indent=2)


def planning_page(answers: Mapping[str, PlanningResult], of: str = "Task") -> str:
    """The page of the answers of one kind, by task or by score."""
    from stopwise.report.html import captioned, render_page

    sections = [
        {
            "heading": f"{of} {task}" if len(answers) > 1 else "",
            "sentence": answer.sentence,
            "tables": answer.text_tables(),
            "legend": answer.LEGEND,
            "figures": captioned(answer.figures(), CAPTIONS, "the numbers are in the tables"),
            "notes": in_short(answer.notes),
        }
        for task, answer in answers.items()
    ]
    title = next(iter(answers.values())).TITLE
    return render_page("planning.html", title=title, sections=sections, text_columns=TEXT_COLUMNS)
