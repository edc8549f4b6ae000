"""From a table of scores to a ranking with one honest sentence."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stopwise.core.arrays import Floats
from stopwise.core.confidence import Interval
from stopwise.core.result import Decision
from stopwise.ranking.trace import Path

__all__ = ["Analysis", "PairResult", "PolicyResult", "Standing"]

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class PolicyResult:
    """One policy in the ranking.

    Attributes
    ----------
    n, mean
        Its trials in the table (up to n_max rows) and their plain average.
    interval
        Confidence interval of its mean; those of all policies hold together, at all times.
    letters
        Policies that share a letter are not told apart; empty if only compared with a baseline.
    trials_used, trials_saved
        Trials until all its pairs were decided, and those that were not needed.
    """

    name: str
    n: int
    mean: float
    interval: Interval
    letters: str
    trials_used: int
    trials_saved: int


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How one pair of policies stands.

    Attributes
    ----------
    decision
        Which policy was declared better, or "undecided".
    implied
        Whether the decision follows from two others instead of the pair's own evidence.
    n
        Pairs of trials seen: until the decision, or all where undecided.
    p_value
        Anytime p-value adjusted for the family: at most alpha exactly when decided.
    log_e
        Log e-value of the pair alone, of the direction claimed or, if undecided, of the one with
        more evidence; None for methods without.
    """

    policy0: str
    policy1: str
    decision: Decision
    implied: bool
    n: int
    p_value: float
    log_e: float | None

    @property
    def decided(self) -> bool:
        """Whether a decision was taken."""
        return self.decision is not Decision.UNDECIDED

    @property
    def better(self) -> str | None:
        """The name of the policy declared better, or None."""
        return {Decision.POLICY0: self.policy0, Decision.POLICY1: self.policy1}.get(self.decision)

    @property
    def e_value(self) -> float | None:
        """The e-value; infinite beyond what a number can hold."""
        if self.log_e is None:
            return None
        return math.exp(self.log_e) if self.log_e < 709.0 else math.inf


@dataclass(frozen=True, kw_only=True)
class PairResult(Standing):
    """One pair of policies, with what a report needs besides.

    Attributes
    ----------
    interval
        Confidence interval of mean1 - mean0 from all trials of the pair, also those after the
        decision; those of all pairs hold together, at all times.
    path
        Evidence against n, for figures.
    """

    interval: Interval
    path: Path


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """A ranking of several policies; never changes afterwards.

    The probability that any declared order is false is at most alpha, whenever one stops, ties
    counting as false orders unless ``ties`` is "paper".

    Attributes
    ----------
    policies
        One result per policy, from the highest mean to the lowest.
    pairs
        One result per compared pair.
    order_text
        The partial order in words: "A > B, C; B ? C".
    bounds_inferred
        Whether the bounds were taken from the data: then there is no guarantee.
    warnings
        What was assumed, and what may void the guarantee.
    facts
        What is known of the test itself, such as the certificate of ``step``.
    scores
        The scores of each policy that were looked at, in order, for figures; read-only.
    method, alpha, adjust, ties, design, baseline, bounds, n_max, task
        The settings that the ranking rests on.
    """

    policies: tuple[PolicyResult, ...]
    pairs: tuple[PairResult, ...]
    order_text: str
    method: str
    alpha: float
    adjust: str
    ties: str
    design: str
    baseline: str | None
    bounds: tuple[float, float]
    bounds_inferred: bool
    n_max: int | None
    task: str | None
    warnings: tuple[str, ...]
    facts: tuple[str, ...]
    scores: Mapping[str, Floats] = field(repr=False, compare=False)

    @property
    def letters(self) -> dict[str, str]:
        """Letters by policy: two policies share one exactly when they are not told apart."""
        return {policy.name: policy.letters for policy in self.policies}

    @property
    def trials_used(self) -> int:
        """Trials that were needed, over all policies."""
        return sum(policy.trials_used for policy in self.policies)

    @property
    def trials_saved(self) -> int:
        """Trials that were not needed, over all policies."""
        return sum(policy.trials_saved for policy in self.policies)

    @property
    def sentence(self) -> str:
        """What was found, in words, with what it rests on."""
        decided = sum(pair.decided for pair in self.pairs)
        pairs = f"{decided} of {len(self.pairs)} pair{'' if len(self.pairs) == 1 else 's'} decided"
        ties = "" if self.ties == "strict" else ", exact ties not counted as errors"
        against = f" against {self.baseline}" if self.baseline is not None else ""
        promise = f"the chance of any false order is at most {self.alpha:g}"
        if self.bounds_inferred:
            promise = "nothing is guaranteed, since the bounds were taken from the data"
        open_note = "" if decided == len(self.pairs) else " (? does not mean equal)"
        return (
            f"{self.order_text}{open_note}: {pairs}{against} with {self.trials_used} of "
            f"{self.trials_used + self.trials_saved} trials; {promise} ({self.method}, "
            f"{self.adjust}, {self.design} design{ties})."
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per policy, from the highest mean to the lowest."""
        return [
            {
                "policy": policy.name,
                "n": policy.n,
                "mean": policy.mean,
                "interval": tuple(policy.interval),
                "letters": policy.letters,
                "trials_used": policy.trials_used,
                "trials_saved": policy.trials_saved,
            }
            for policy in self.policies
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        policies = [
            {"name": row.pop("policy"), **row, "interval": list(row["interval"])}
            for row in self.table()
        ]
        pairs = [
            {
                "policy0": pair.policy0,
                "policy1": pair.policy1,
                "decision": pair.decision.value,
                "implied": pair.implied,
                "n": pair.n,
                "p_value": pair.p_value,
                "e_value": pair.e_value if pair.e_value != math.inf else None,
                "log_e": pair.log_e if pair.log_e != -math.inf else None,
                "interval": list(pair.interval),
            }
            for pair in self.pairs
        ]
        return {
            "schema": SCHEMA,
            "policies": policies,
            "pairs": pairs,
            "order": self.order_text,
            "sentence": self.sentence,
            "method": self.method,
            "alpha": self.alpha,
            "adjust": self.adjust,
            "ties": self.ties,
            "design": self.design,
            "baseline": self.baseline,
            "bounds": list(self.bounds),
            "bounds_inferred": self.bounds_inferred,
            "n_max": self.n_max,
            "task": self.task,
            "trials_used": self.trials_used,
            "trials_saved": self.trials_saved,
            "warnings": list(self.warnings),
            "facts": list(self.facts),
        }

    def to_json(self) -> str:
        """Return the analysis as JSON; the schema is in docs/design/many-policies.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def __str__(self) -> str:
        return self.sentence
