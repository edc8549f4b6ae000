"""The answer that users hold: a ranking that can draw itself and write its report."""

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stopwise.ranking import analysis as ranked
from stopwise.ranking import analyze as ranking
from stopwise.report import figures, html
from stopwise.report.drawn import Drawn
from stopwise.report.fonts import font_note

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Analysis", "analyze", "analyze_tasks", "report", "with_figures"]


@dataclass(frozen=True, kw_only=True)
class Analysis(ranked.Analysis, Drawn):
    """A ranking of several policies that can draw itself and write its report."""

    def plot_scores(self) -> "Figure":
        """Draw every score, with means, intervals, letters and trials used."""
        return figures.plot_scores(self)

    def plot_evidence(self, kind: str = "p") -> "Figure":
        """Draw p-values ("p") or e-values ("e") against trials."""
        return figures.plot_evidence(self, kind)

    def plot_intervals(self) -> "Figure":
        """Draw the confidence interval of each pair's difference."""
        return figures.plot_intervals(self)

    def plot_ranking(self) -> "Figure":
        """Draw which policies were shown to be better than which."""
        return figures.plot_ranking(self)

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        drawn = {
            "scores": self.plot_scores(),
            "p_values": self.plot_evidence("p"),
            "intervals": self.plot_intervals(),
            "ranking": self.plot_ranking(),
        }
        if all(pair.log_e is not None for pair in self.pairs):
            drawn["e_values"] = self.plot_evidence("e")
        return drawn

    def figure_note(self) -> str | None:
        """Return which characters of names cannot be drawn here, if any."""
        return font_note(policy.name for policy in self.policies)

    def to_html(self) -> str:
        """Return a self-contained page with tables, figures and a methods paragraph."""
        return report([self])


def report(analyses: list[Analysis]) -> str:
    """Return one self-contained page for several tasks."""
    return html.render(list(analyses), [analysis.figures() for analysis in analyses])


def analyze(trials: Any, *, method: str = "nscore-plus", **settings: Any) -> Analysis:
    """Rank several policies on one task by sequential tests of all pairs.

    The settings are ``alpha=0.05``, ``n_max``, ``bounds``, ``design``, ``adjust="holm"``,
    ``baseline``, ``ties="strict"``, ``pool=False``, ``iid_seed`` and the method's own parameters,
    as documented on ``stopwise.ranking.analyze.analyze``.

    Parameters
    ----------
    trials
        A trial table (see ``read_trials``), or a mapping from policy to its scores in order.
    method
        Name of the method, see ``stopwise.methods()``.
    **settings
        As listed above.

    Examples
    --------
    >>> import stopwise as sw
    >>> scores = {"a": [0.9, 1, 0.8] * 9, "b": [0.1, 0.3, 0.2] * 9, "c": [0.3, 0.2, 0.2] * 9}
    >>> sw.analyze(scores).letters
    {'a': 'a', 'c': 'b', 'b': 'b'}
    """
    return with_figures(ranking.analyze(trials, method=method, **settings))


def analyze_tasks(
    trials: Any, *, method: str = "nscore-plus", **settings: Any
) -> dict[str, Analysis]:
    """Return one analysis per task, each with its own alpha.

    Parameters
    ----------
    trials, method, **settings
        As for ``analyze``.
    """
    found = ranking.analyze_tasks(trials, method=method, **settings)
    return {task: with_figures(analysis) for task, analysis in found.items()}


def with_figures(analysis: ranked.Analysis) -> Analysis:
    """Return the same analysis as one that can draw itself."""
    fields = {field.name: getattr(analysis, field.name) for field in dataclasses.fields(analysis)}
    return Analysis(**fields)
