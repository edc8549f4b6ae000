"""The answer to "which is the best?": a name or the candidates, and who was dropped when."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence import Interval
from stopwise.core.plain_values import plain_values
from stopwise.core.readings.score import BOUNDS_UNDECLARED
from stopwise.core.rules import FromRules
from stopwise.core.scores import score_text
from stopwise.core.words import best_claim
from stopwise.errors import InvalidInput
from stopwise.messages import listed
from stopwise.questions.analysis import Analysis
from stopwise.questions.doubts import dependent, doubts, warnings
from stopwise.questions.family import Family
from stopwise.questions.intervals import mean_intervals
from stopwise.questions.standing import PolicyResult
from stopwise.report import figures as drawing
from stopwise.report.tables import policy_rows
from stopwise.rows.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.questions.best import BestQuestion

GAPS = (
    "a policy without a trial in a row waits, and all others with it if it leads; this is valid "
    "only if which trials are missing does not depend on the scores"
)


@dataclass(frozen=True, kw_only=True, repr=False)
class BestAnalysis(Analysis):
    """Which policy is the best; never changes afterwards.

    The probability that a best policy was dropped is at most alpha, whenever you stop. Nothing is
    claimed of pairs, so ``pairs`` is empty.

    Attributes
    ----------
    rows
        Rows that were compared.
    p_values
        Anytime p-values of "this is a best policy", by name: at most alpha exactly when dropped.
    joined
        Rows compared before a policy joined, of those that did so after the start.
    set_aside
        With an indifference: candidates at most that much better than the one named, or that leads.
    """

    ASKS: ClassVar[str] = "Which policy is the best?"
    FOUND: ClassVar[str] = "best found"
    PARTS: ClassVar[str] = "best"

    rows: int
    p_values: Mapping[str, float]
    joined: Mapping[str, int]
    set_aside: tuple[str, ...]

    indifference = FromRules[float]("indifference", "How near to the best is good enough.")

    @property
    def methods_paragraph(self) -> str:
        from stopwise.report.methods_text import best_paragraph

        return best_paragraph(self)

    @property
    def _answer_aloud(self) -> str:
        return self.order_text

    @property
    def most_trials(self) -> int | None:
        """The trials of one per policy and row; the leader may be tried more often."""
        if self.n_max is None:
            return None
        return self.n_max * len(self.rules.policies) - sum(self.joined.values())

    @property
    def sentence(self) -> str:
        named = f", or one named that is not within {self.indifference:g} of it,"
        dropped = "the chance that the best policy (or any given one of several) was dropped"
        chance = f"{dropped}{named if self.indifference else ''}"
        promised = self._doubted(self.promised(chance))
        mean = "" if self.aligned.mean is None else f", in {self.aligned.mean.meaning}"
        about = [f"alpha {self.alpha:g}", self.sign_meaning, self.aligned.checkpoint_claim]
        return (
            f"{self.order_text}{self.scope} ({'; '.join(filter(None, about))}){mean}, "
            f"{self._trials_text()}{self.aligned.looks_clause}{self.futility_clause}; "
            f"{promised} ({self.method}, {self.design} design)."
        )

    @property
    def sign_meaning(self) -> str:
        """What makes a policy the best, where that is not the highest mean."""
        return self.rules.reading.lower_text and "a lower mean is better"

    def _trials_text(self) -> str:
        most, used = self.most_trials, f"after {self.trials_used:,}"
        unit = "trials" if self.aligned.mean is None else self.aligned.mean.unit
        if most is None:
            return f"{used} of {sum(policy.n for policy in self.policies):,} {unit}"
        if self.best is None:
            return f"{used} {unit} in {self.rows} of at most {self.n_max} rows"
        return f"{used} {unit}" + (f" instead of {most:,}" if self.trials_used < most else "")

    def fate(self, policy: str) -> str:
        """Standing of a policy: the best, a candidate, set aside, or dropped, and when."""
        if policy in self.eliminated:
            return f"dropped after row {self.eliminated[policy].row}"
        if policy == self.best:
            return f"best, or within {self.indifference:g}" if self.indifference else "best"
        return "set aside" if policy in self.set_aside else "candidate"

    def table(self) -> list[dict[str, Any]]:
        """Return one row per policy: the candidates by their means, then those dropped."""
        return [{**row, "standing": self.fate(row["policy"])} for row in super().table()]

    def text_tables(self) -> dict[str, list[dict[str, Any]]]:
        return {"Policies": policy_rows(self), **self.task_tables()}

    def mark(self, policy: PolicyResult) -> dict[str, str]:
        return {"verdict": self.fate(policy.name)}

    def explanations(self) -> dict[str, str]:
        text = (
            "Candidates may still be the best. One that was dropped is not the best; that does not "
            "show that the one that led then is better than it."
        )
        if self.set_aside:
            text += (
                f" Candidates that were set aside need no more trials"
                f"{'' if self.best else ', as long as the same policy leads'}: even if one of them "
                f"is the best, it is at most {score_text(self.indifference)} better than "
                f"{self.best or 'the one that leads'}."
            )
        most = f", up to n_max = {self.n_max} of each policy," if self.n_max else ""
        return {"Policies": f"{text} Not needed: trials{most} that no row took."}

    def to_dict(self) -> dict[str, Any]:
        return {
            **super().to_dict(),
            **plain_values(self, ("best", "candidates", "set_aside", "rows", "indifference")),
            "p_values": dict(self.p_values),
            "goal": self.rules.goal,
            "eliminated": {name: vars(out) for name, out in self.eliminated.items()},
            **({"joined": dict(self.joined)} if self.joined else {}),
        }

    plot_eliminations = drawing.plot_eliminations

    def plot_evidence(self, *, width: float | None = None, ax: "Axes | None" = None) -> "Figure":  # noqa: ARG002
        """Refuse: nothing is claimed of any pair."""
        text = "the goal 'best' compares no pairs: draw plot_eliminations() or plot_scores()"
        raise InvalidInput(text)

    plot_intervals = plot_ranking = plot_improvement = plot_evidence

    def main_figure(self) -> dict[str, "Figure"]:
        return {"eliminations": self.plot_eliminations()}

    def figures(self) -> dict[str, "Figure"]:
        return {"eliminations": self.plot_eliminations(), "scores": self.plot_scores()}


def shown(question: "BestQuestion", table: Table, values: Floats) -> BestAnalysis:
    rules, comparison = question.rules, question.comparison
    table = table.clipped(comparison.scale)
    policies = _policy_results(question, table)
    signs = () if rules.reading.certain else doubts(table, policies, (), rules)
    shared = dependent(comparison, values, Family(k=len(rules.policies)))
    tried = [policy.name for policy in policies]
    order = (*tried, *(name for name in rules.policies if name not in tried))
    left = tuple(name for name in order if name in question.candidates)
    aside = tuple(name for name in left if name in question.set_aside)
    text = best_claim(
        question.best,
        left,
        len(rules.policies),
        rules.indifference,
        aside=() if question.gave_up else (*aside, *question.resting),
    )
    means = {round(result.mean, 12) for result in policies if result.name in left}
    over = rules.reading.scope and question.rows == rules.n_max  # the list is through
    if over and question.best is None and len(means) == 1:
        text = f"{listed(left)} are the best of {len(rules.policies)}, and equal"
    awaited = [name for name in rules.later if name not in question.joined]
    return BestAnalysis(
        policies=policies,
        pairs=(),
        order_text=text,
        rules=rules,
        aligned=table,
        ties="strict",
        doubts=(*signs, *shared),
        warnings=(
            *warnings(table, rules, signs, shared, lettered=False),
            *((GAPS,) if question.gaps else ()),
            *((BOUNDS_UNDECLARED,) if table.bounds is None else ()),
            *(
                (f"no policy is named before all have joined: {', '.join(awaited)}",)
                if awaited
                else ()
            ),
        ),
        facts=comparison.test.facts(),
        best=question.best,
        candidates=left,
        eliminated=question.eliminated,
        futile=question.futile,
        rows=question.rows,
        p_values=MappingProxyType(question.p_values),
        joined=question.joined,
        set_aside=aside,
    )


def _policy_results(question: "BestQuestion", table: Table) -> tuple[PolicyResult, ...]:
    rules, reading = question.rules, question.rules.reading
    scale, values = reading.tested_scale, reading.values(table.layers(reading))
    alpha = rules.alpha / len(rules.policies)
    ends = zip(*mean_intervals(reading, scale.unit(values), alpha), strict=True)
    rest = question.policies if question.gave_up else question.resting
    done = {*question.eliminated, *question.set_aside, *rest}
    used = dict(zip(rules.policies, question.table().counts, strict=True))
    results = []
    for name, column, (low, high) in zip(table.policies, values.T, ends, strict=True):
        scores, over = column[~np.isnan(column)], question.decided or name in done
        limit = scores.size if rules.n_max is None else rules.n_max - question.joined.get(name, 0)
        results.append(
            PolicyResult(
                name=name,
                n=scores.size,
                mean=float(scores.mean()),
                interval=Interval(*scale.interval(float(low), float(high))),
                letters="",
                trials_used=used[name],
                trials_saved=max(limit - used[name], 0) if over else 0,
                trials_unpaired=0 if over else max(scores.size - used[name], 0),
            )
        )
    out, sign = question.eliminated, rules.reading.advantage(1.0)
    place = {name: index for index, name in enumerate(rules.policies)}
    results.sort(
        key=lambda result: (
            -out[result.name].row if result.name in out else -np.inf,
            -sign * result.mean,
            place[result.name],
        )
    )
    return tuple(results)
