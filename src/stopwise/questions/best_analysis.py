"""The answer to "which is the best?": a name or the candidates, and who was dropped when."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence import Interval
from stopwise.core.plain_values import plain_values
from stopwise.core.promise import promise
from stopwise.core.rules import FromRules
from stopwise.messages import Message
from stopwise.questions.analysis import MOST_IN_WORDS, Analysis
from stopwise.questions.analysis_parts import PolicyResult
from stopwise.questions.doubts import dependent, doubts
from stopwise.questions.family import Family
from stopwise.questions.intervals import mean_intervals
from stopwise.questions.rank import CAUTIONS, doubtful
from stopwise.rows.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.questions.best import BestQuestion


@dataclass(frozen=True, kw_only=True)
class BestAnalysis(Analysis):
    """Which policy is the best; never changes afterwards.

    The probability that a best policy was dropped is at most alpha, whenever you stop. Of no pair
    is it claimed which is better, so ``pairs`` is empty.

    Attributes
    ----------
    rows
        Rows that were compared.
    """

    rows: int

    indifference = FromRules[float]("indifference", "How near to the best is good enough.")

    @property
    def sentence(self) -> str:
        """What was found, in words, with what it rests on."""
        promised = promise(
            self.method,
            "the chance that a best policy was dropped",
            self.alpha,
            n_max=self.n_max,
            bounds_inferred=self.bounds_inferred,
        )
        if self.doubts:
            promised = self._doubted(promised, self.doubts[0])
        pooled = (
            f", if one policy is the best on each of the {self.pooled_tasks} pooled tasks"
            if self.pooled_tasks
            else ""
        )
        return (
            f"{self.order_text}{pooled}: {self._trials_text()}; {promised} ({self.method}, "
            f"{self.design} design)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        return {
            **super().to_dict(),
            **plain_values(self, ("best", "candidates", "rows", "indifference")),
            "goal": self.rules.goal,
            "eliminated": {name: vars(out) for name, out in self.eliminated.items()},
        }

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        return {"scores": self.plot_scores()}


def answer(question: "BestQuestion", table: Table, values: Floats) -> BestAnalysis:
    """Return the analysis of a table that a question has been shown.

    Parameters
    ----------
    question
        After the last row.
    table
        All trials, those that no row took included.
    values
        The averages (rows, policies) that were compared, in [0, 1].
    """
    rules, comparison = question.rules, question.comparison
    policies = _policy_results(question, table)
    found = doubts(policies, (), np.empty(0), comparison.scale.span)
    shared = dependent(comparison, values, Family(k=len(rules.policies)))
    best, candidates = question.best, set(question.candidates)
    left = tuple(policy.name for policy in policies if policy.name in candidates)
    return BestAnalysis(
        policies=policies,
        pairs=(),
        order_text=best_in_words(best, left, len(policies), rules.indifference),
        rules=rules,
        aligned=table,
        ties="strict",
        doubts=(*found, *shared),
        warnings=(*doubtful(found), *shared, *table.notes, *_cautions(table, question)),
        facts=comparison.test.facts(),
        best=best,
        candidates=left,
        eliminated=question.eliminated,
        rows=question.rows,
    )


def best_in_words(best: str | None, left: tuple[str, ...], k: int, indifference: float) -> str:
    """Return who is the best of k, or who may be.

    Parameters
    ----------
    best
        The policy that was named, or None.
    left
        The candidates.
    k
        The number of policies.
    indifference
        How near to the best is good enough.
    """
    if best is not None:
        near = f", or within {indifference:g} of it" if indifference else ""
        return f"{best} is the best of {k}{near}"
    if len(left) == k:
        return f"each of the {k} policies may be the best"
    named = ", ".join(left) if len(left) <= MOST_IN_WORDS else f"{len(left)} of them"
    return f"the best of {k} is among {named}"


def _policy_results(question: "BestQuestion", table: Table) -> tuple[PolicyResult, ...]:
    """Return the candidates by their means, then those that were dropped, the last one first."""
    rules, scale = question.rules, question.comparison.scale
    columns = [table.policies.index(name) for name in rules.policies]
    lows, highs = mean_intervals(
        scale.unit(table.scores[:, columns]), rules.alpha / len(rules.policies)
    )
    used = dict(zip(rules.policies, question.table().counts, strict=True))
    results = []
    for name, low, high in zip(rules.policies, lows.tolist(), highs.tolist(), strict=True):
        own = table.by_policy[name]
        done = name not in question.tried
        limit = own.size if rules.n_max is None else rules.n_max
        results.append(
            PolicyResult(
                name=name,
                n=own.size,
                mean=float(own.mean()),
                interval=Interval(scale.low + low * scale.span, scale.low + high * scale.span),
                letters="",
                trials_used=used[name],
                trials_saved=max(limit - used[name], 0) if done else 0,
                trials_unpaired=0,
            )
        )
    out = question.eliminated
    results.sort(key=lambda own: (-out[own.name].row if own.name in out else -np.inf, -own.mean))
    return tuple(results)


def _cautions(table: Table, question: "BestQuestion") -> list[Message]:
    holds = {"rows-incomplete": question.gaps, "bounds-undeclared": table.bounds is None}
    return [Message(CAUTIONS[code], code=code) for code, so in holds.items() if so]
