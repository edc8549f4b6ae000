"""The answers of planning as people read them: JSON, rows of text, and self-contained pages."""

import json
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, ClassVar

from stopwise.core.rules import FromRules, Rules
from stopwise.core.words import promise
from stopwise.messages import in_short
from stopwise.report.drawn import Drawn

SCHEMA = 1
Rows = list[dict[str, Any]]
# Columns of words; all others are numbers.
TEXT_COLUMNS = (
    *("method", "design", "policy", "pair", "now", "task", "score", "two best", "spent on"),
    "policies",
)
CAPTIONS = {
    "named": "Chance that the right policy is named, by trials of all policies",
    "power": "Chance of the right verdict, by maximum number of trials",
    "stopping": "Chance of having reached the right verdict, by trial",
    "naming": "Chance that one is named, by number of further rows",
    "further": "Chance that all pairs are decided, by number of further trials",
}


class PlanningResult(Drawn):
    """An answer of planning: one sentence that sums it up, tables, JSON, a page and figures."""

    rules: Rules
    bounds_inferred: bool
    notes: tuple[str, ...]
    SETTINGS: ClassVar[tuple[str, ...]] = ("method", "alpha", "adjust", "design")  # of JSON
    UNSAID: ClassVar[tuple[str, ...]]  # fields that JSON does not hold as such
    TITLE: ClassVar[str]
    LEGEND: ClassVar[str] = ""

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The probability of any false claim.")
    adjust = FromRules[str]("adjust", "How alpha is shared.")
    design = FromRules[str]("design", 'The design, "independent" or "paired".')

    def to_html(self) -> str:
        """Return a self-contained page with the tables, the figures and the assumptions."""
        return planning_page({"": self})

    def promised(self, claim: str = "the chance of a false claim") -> str:
        return promise(self.method, claim, self.alpha, bounds_inferred=self.bounds_inferred)

    def _derived(self) -> dict[str, Any]:
        """JSON entries besides the fields."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        settings = {name: getattr(self.rules, name) for name in self.SETTINGS}
        fields = {name: value for name, value in vars(self).items() if name not in self.UNSAID}
        content = _plain({**fields, **settings, **self._derived()})
        return {"schema": SCHEMA, "sentence": self.sentence, **content}

    def to_json(self) -> str:
        """Return everything as JSON; the schema is in docs/design/planning.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """Dataclasses and tuples within a value as mappings and lists."""
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def planning_page(answers: Mapping[str, PlanningResult], of: str = "Task") -> str:
    """The page of the answers of one kind, by task or by score."""
    from stopwise.report.html import captioned, render_page

    sections = [
        {
            "heading": f"{of} {task}" if len(answers) > 1 else "",
            "sentence": answer.sentence,
            "tables": answer.text_tables(),
            "legend": answer.LEGEND,
            "figures": captioned(answer.figures(), CAPTIONS),
            "notes": in_short(answer.notes),
        }
        for task, answer in answers.items()
    ]
    title = next(iter(answers.values())).TITLE
    return render_page("planning.html", title=title, sections=sections, text_columns=TEXT_COLUMNS)


def hours_of(row: dict[str, Any]) -> dict[str, str]:
    """The hours of a row of a table, if a trial takes a known time."""
    if row["mean_hours"] is None:
        return {}
    return {"hours": f"{row['mean_hours']:.1f}", "max h": f"{row['most_hours']:.1f}"}
