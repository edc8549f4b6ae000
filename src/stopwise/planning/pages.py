"""Self-contained pages of plans, forecasts and comparisons of measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stopwise.planning.text_rows import WORDS, limit_rows, measure_rows, pair_rows, plan_rows
from stopwise.report.html import captioned, render_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.forecast_result import Forecast
    from stopwise.planning.metrics import MetricComparison
    from stopwise.planning.result import Plan

__all__ = ["forecast_page", "measures_page", "plan_page"]

CAPTIONS = {
    "power": "Chance of the right verdict, by the greatest number of trials",
    "stopping": "Chance of having the right verdict by each trial",
    "detectable": "The smallest gap found with the power wanted",
    "further": "Chance that every pair is decided within so many further trials",
    "measures": "Trials per policy until the study ends, by measure",
}
PER_POLICY = "Mean and quantiles are trials per policy; in all counts those of all policies."


@dataclass(frozen=True)
class _Part:
    """One answer: its sentence, tables by caption, figures and notes."""

    sentence: str
    tables: Mapping[str, list[dict[str, Any]]]
    figures: Mapping[str, "Figure"]
    notes: tuple[str, ...]
    heading: str = ""
    legend: str = ""


def plan_page(plan: "Plan") -> str:
    """Return the page of a plan."""
    tables = {
        "What to expect": plan_rows(plan),
        "The smallest gap that is found": limit_rows(plan),
    }
    legend = (
        f"{PER_POLICY} So do the fixed plan, which has the same power (at most .99) and is looked "
        "at once, at its end, and what is saved. Hours are those expected, and at most."
    )
    part = _Part(plan.sentence, tables, plan.figures(), plan.notes, legend=legend)
    return _page("How many trials will it take?", [part])


def forecast_page(forecasts: Mapping[str, "Forecast"]) -> str:
    """Return the page of the forecasts of a study, by task."""
    parts = [
        _Part(
            ahead.sentence,
            {"Pairs at the end of the study": pair_rows(ahead)},
            ahead.figures(),
            ahead.notes,
            heading=f"Task {task}" if len(forecasts) > 1 else "",
        )
        for task, ahead in forecasts.items()
    ]
    return _page("How much longer will it take?", parts)


def measures_page(compared: "MetricComparison") -> str:
    """Return the page of a comparison of measures."""
    tables = {"What each measure needs": measure_rows(compared)}
    part = _Part(compared.sentence, tables, compared.figures(), compared.notes, legend=PER_POLICY)
    return _page("Which measure needs fewest trials?", [part])


def _page(title: str, parts: list[_Part]) -> str:
    shown = [{**vars(part), "figures": captioned(part.figures, CAPTIONS)} for part in parts]
    return render_page("planning.html", title=title, parts=shown, words=WORDS)
