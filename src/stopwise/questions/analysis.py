"""The answer that users hold: a ranking with one honest sentence, its figures and its report."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from stopwise import __version__
from stopwise.core.arrays import Floats
from stopwise.core.plain_values import plain_values
from stopwise.core.registry import edition_of, find
from stopwise.core.rules import Rules
from stopwise.questions.order_words import OrderInWords
from stopwise.questions.pairs import PairTests
from stopwise.questions.standing import Elimination, PairResult, PolicyResult
from stopwise.report import figures as drawing
from stopwise.report.drawn import MOST_PAIRS
from stopwise.report.tables import explanations, pair_rows, policy_rows, sign_rows
from stopwise.rows.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.report.html import Origin

SCHEMA = 1
# Attributes of an analysis in its JSON, in this order.
SAVED = (
    *("method", "alpha", "adjust", "ties", "design", "baseline", "bounds", "bounds_inferred"),
    *("n_max", "task", "trials_used", "trials_saved", "trials_unpaired"),
    *("doubts", "warnings", "facts"),
)
SAVED_OF_PAIRS = (
    *("policy0", "policy1", "decision", "implied", "n", "p_value", "e_value", "log_e"),
    *("difference", "estimate", "interval", "interval_level", "chance", "futile"),
)
# More tasks have one figure each on a page.
FEW_TASKS = 3
# What the table of tasks beside a mean over tasks is.
TASKS = "Each task by itself (a description: no claim is made about single tasks)"


@dataclass(frozen=True, kw_only=True, repr=False)
class Analysis(OrderInWords):
    """A ranking of several policies; never changes afterwards.

    The probability that any declared order is false is at most alpha, whenever you stop;
    ``sentence`` says what that rests on.

    Attributes
    ----------
    policies
        One result per policy, from best to worst as decided, and by mean beyond that.
    pairs
        One result per compared pair.
    order_text
        The partial order in words: "A > B; B undecided against C", or "B = C (within 0.1)".
    rules
        What was declared.
    aligned
        The table of aligned scores on which it rests.
    ties
        "strict" or "paper", as it holds: a method that splits its level itself is always strict.
    doubts
        Signs that the trials are not fresh draws in random order, or not independent.
    warnings
        What was assumed, and what may void the guarantee.
    facts
        What is known of the test itself, such as the certificate of ``step``.
    best
        The policy that was shown to be the best, or None.
    candidates
        Policies that were not shown to be worse than another, from the greatest mean to the least.
    eliminated
        The others, in order, with the row in which that was shown and who led then.
    futile
        Whether a further decision by n_max has become too unlikely to be worth more trials.
    """

    # What its page is headed, what a study says once there is an answer, and the name under which
    # templates show it.
    UNLISTED: ClassVar[frozenset[str]] = frozenset(
        (
            *("UNLISTED", "ASKS", "FOUND", "PARTS", "aligned", "claim_meaning", "explanations"),
            *("fate", "first_decision", "futility_clause", "in_doubt"),
            *("interval_note", "main_figure", "mark", "most_trials", "promised", "scope"),
            *("serious_doubts", "sign_meaning", "simultaneous", "task_tables"),
            *("bounds_inferred", "trials_unpaired", "text_tables", "sorted_pairs"),
        )
    )
    ASKS: ClassVar[str] = "Which policy is better?"
    FOUND: ClassVar[str] = "all decided"
    PARTS: ClassVar[str] = "order"

    policies: tuple[PolicyResult, ...]
    pairs: tuple[PairResult, ...]
    order_text: str
    rules: Rules
    aligned: Table = field(repr=False, compare=False)
    ties: str
    doubts: tuple[str, ...]
    warnings: tuple[str, ...]
    facts: tuple[str, ...]
    best: str | None
    candidates: tuple[str, ...]
    eliminated: Mapping[str, Elimination]
    futile: bool = False

    @property
    def scores(self) -> Mapping[str, Floats]:
        """The scores of each policy in order, without gaps; read-only. Rows are in ``aligned``.

        Asked for wins: the share of its meetings that each trial has won, a tie counting half.
        """
        table = self.aligned
        values = self.rules.reading.values(table.layers(self.rules.reading))
        return MappingProxyType(replace(table, scores=values).by_policy)

    @property
    def letters(self) -> dict[str, str]:
        """Letters by policy: two policies share one exactly when they are not told apart."""
        return {policy.name: policy.letters for policy in self.policies}

    @property
    def trials_saved(self) -> int:
        """Trials that were not needed, over all policies."""
        return sum(policy.trials_saved for policy in self.policies)

    @property
    def methods_paragraph(self) -> str:
        """What was done, in words that can go into a paper as they are."""
        from stopwise.report.methods_text import order_paragraph

        return order_paragraph(self)

    def simultaneous(self) -> tuple[PairResult, ...]:
        """Return the pairs with intervals that all hold together, on all tasks that share alpha."""
        from stopwise.questions.rank import rank  # which makes analyses

        if self.adjust == "bonferroni":
            return self.pairs
        return rank(self.aligned, PairTests(replace(self.rules, adjust="bonferroni"))).pairs

    @property
    def bibtex(self) -> str:
        """What to cite with it, for BibTeX."""
        return find(self.method).citation.bibtex

    def table(self) -> list[dict[str, Any]]:
        """Return one row per policy, from best to worst."""
        rows = []
        for policy in self.policies:
            row = {**vars(policy), "interval": tuple(policy.interval)}
            rows.append({"policy": row.pop("name"), **row})
        return rows

    def text_tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return policies and pairs as people read them; of many pairs each is a sign."""
        few = len(self.pairs) <= MOST_PAIRS or self.baseline is not None
        pairs = pair_rows(self) if few else sign_rows(self)
        return {"Policies": policy_rows(self), "Pairs": pairs, **self.task_tables()}

    def mark(self, policy: PolicyResult) -> dict[str, str]:
        """Column beside the numbers of a policy."""
        return {} if self.in_doubt or self.baseline else {"letters": policy.letters}

    def explanations(self) -> dict[str, str]:
        """What a reader has to know of each table, by its caption."""
        return explanations(self)

    def task_tables(self) -> dict[str, list[dict[str, Any]]]:
        """Table of single tasks beside the mean over tasks, where that is asked."""
        mean = self.aligned.mean
        return {} if mean is None else {TASKS: mean.text_rows()}

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        pairs = [
            {
                **plain_values(pair, SAVED_OF_PAIRS),
                **({} if pair.p_equivalent is None else {"p_equivalent": pair.p_equivalent}),
            }
            for pair in self.pairs
        ]
        # Each interval of a mean; all together hold with 1 - alpha.
        level = 1 - self.alpha / len(self.policies)
        if self.rules.reading.constants and len(self.pairs) == 1:
            level = self.pairs[0].interval_level
        return {
            "schema": SCHEMA,
            "version": __version__,
            "policies": [
                {**vars(policy), "interval": list(policy.interval), "interval_level": level}
                for policy in self.policies
            ],
            "pairs": pairs,
            "order_text": self.order_text,
            "sentence": self.sentence,
            **self.rules.compared(),
            **({"parameters": dict(self.rules.parameters)} if self.rules.parameters else {}),
            **plain_values(self, SAVED),
            "edition": edition_of(self.method),
            "alternative": self.rules.alternative,
            **({"futile": True} if self.futile else {}),
            **({"margin": self.margin} if self.margin else {}),
            **({} if self.aligned.mean is None else {"mean": self.aligned.mean.to_dict()}),
        }

    def to_json(self) -> str:
        """Return the analysis as JSON; the schema is in docs/design/many-policies.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    plot_scores, plot_evidence = drawing.plot_scores, drawing.plot_evidence
    plot_intervals, plot_ranking = drawing.plot_intervals, drawing.plot_ranking

    def plot_improvement(self, *, width: float | None = None, ax: "Axes | None" = None) -> "Figure":
        """Draw how often each policy wins against each other, with intervals that always hold."""
        from stopwise.questions.profiles import by_wins

        return drawing.plot_improvement(by_wins(self), width=width, ax=ax)

    def plot_profile(self, *, width: float | None = None, ax: "Axes | None" = None) -> "Figure":
        """Draw the share of each policy's trials with at least each score, with bands."""
        from stopwise.questions.profiles import profiles

        return drawing.plot_profile(profiles(self), width=width, ax=ax)

    def main_figure(self) -> dict[str, "Figure"]:
        """Return the figure that tells most."""
        return {"scores": self.plot_scores()}

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        pairs = {"intervals": self.plot_intervals()} if not drawing.is_matrix(self) else {}
        if len(self.pairs) > 1 and not self.rules.reading.constants:
            pairs["ranking"] = self.plot_ranking()
        return {"scores": self.plot_scores(), "p_values": self.plot_evidence(), **pairs}

    def to_html(self) -> str:
        """Return a self-contained page with tables, figures and a methods paragraph."""
        return report([self])


def report(analyses: Sequence[Analysis], origin: "Origin | None" = None) -> str:
    from stopwise.report.html import render

    return render(analyses, figures_of(analyses), origin=origin)


def figures_of(analyses: Sequence[Analysis]) -> list[dict[str, "Figure"]]:
    if len(analyses) <= FEW_TASKS:
        return [analysis.figures() for analysis in analyses]
    return [analysis.main_figure() for analysis in analyses]
