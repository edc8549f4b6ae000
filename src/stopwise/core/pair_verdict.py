"""Frozen answers: what a test has decided, and on what evidence."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np

from stopwise.core.confidence import Interval
from stopwise.core.dependence import dependence
from stopwise.core.pair_test import PairTest, Seen
from stopwise.core.readings.score import Scores
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import interval_text, score_text
from stopwise.core.words import (
    STEADY,
    by_margin,
    dependence_text,
    same_claim,
    same_text,
)
from stopwise.messages import counted


def e_value_of(log_e: float) -> float:
    """Return the e-value of its logarithm; infinite beyond what a number can hold."""
    return math.exp(log_e) if log_e < 709.0 else math.inf


class Decision(StrEnum):
    """What a test declares; final once taken.

    ``POLICY1`` and ``POLICY0``: that policy is better. ``EQUIVALENT``: both are practically the
    same, their means less apart than was declared. ``UNDECIDED``: none of these was declared, which
    is not evidence that they are equal.
    """

    POLICY1 = "policy1"
    POLICY0 = "policy0"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The state of a comparison after n pairs; never changes afterwards.

    Attributes
    ----------
    decision
        Which policy was declared better, "equivalent" or "undecided"; final once taken.
    n
        Pairs seen; ``n_decided`` is the pair that decided the test, or None.
    mean0, mean1
        Plain averages of the scores so far, NaN before the first pair. Asked for wins: the share
        of pairs that each policy has won, a tie counting half.
    log_e
        Logarithm of the e-value now (the larger direction of a two-sided test); ``e_value``
        is its exponential.
    p_value
        Anytime-valid p-value: at most alpha exactly when the test has decided. It is that of a
        difference, and where the decision is "equivalent" that of sameness. With
        ``ties="paper"`` a two-sided test has one per direction, and this is the smaller: it is
        valid for the direction that it favours, not for the hypothesis of exact equality.
    interval
        Confidence interval of mean1 - mean0, valid at all times; of mean0 - mean1 if lower is
        better, so that it is always the advantage of policy 1. Of a one-sided test one end is a
        bound, and the other is that of the range. With a method that bets it is the test inverted:
        the margin lies outside from the pair on that decides, and not before. With a reference it
        is that of the policy's mean, and the number (plus margin) lies outside in that way.
    interval_level
        The probability with which the interval holds.
    rules
        What was declared; its method, alpha, alternative, ties, design and margin are attributes
        of the verdict too.
    n_max
        The maximum number of pairs now. It differs from ``n_max_declared`` if the study was
        extended; None for no limit.
    watched
        The pairs that ``dependence`` is computed from when it is read; None where none matters.
    p_equivalent
        Anytime-valid p-value of "the means differ by less than ``equivalence``", or None if that
        was not declared.
    ahead
        What ``chance`` and ``futile`` are computed from when they are read, or None if n_max does
        not lie ahead.
    """

    decision: Decision
    n: int
    n_decided: int | None
    mean0: float
    mean1: float
    log_e: float
    p_value: float
    interval: Interval
    interval_level: float
    rules: Rules = field(repr=False)
    n_max: int | None
    watched: Sequence[tuple[float, float]] | None = field(default=None, repr=False, compare=False)
    ahead: tuple[PairTest, Seen] | None = field(default=None, repr=False, compare=False)
    p_equivalent: float | None = None

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The declared level.")
    alternative = FromRules[str]("alternative", "Which policies may be declared better.")
    ties = FromRules[str]("ties", "Whether exact ties count as errors.")
    design = FromRules[str]("design", "The declared design.")
    margin = FromRules[float]("margin", "By how much a policy must be better.")
    equivalence = FromRules[float | None](
        "equivalence", "Below which difference both are the same."
    )
    n_max_declared = FromRules[int | None]("n_max", "The maximum number of pairs, as declared.")

    @property
    def decided(self) -> bool:
        """Whether a decision was taken."""
        return self.decision is not Decision.UNDECIDED

    @cached_property
    def dependence(self) -> str | None:
        """How the two scores of a pair were found to go: "together", "opposed" or None.

        It is watched for where "independent" is declared and matters. Of independent scores it is
        ever said in at most 1 % of studies.
        """
        if not self.watched:
            return None
        return dependence(*np.array(self.watched[: self.n]).T)

    @property
    def chance(self) -> float | None:
        """The chance of a decision by n_max, if there is an effect worth finding.

        Of a two-sided test it is that of the better direction. None once there is a decision,
        without an n_max ahead, and of methods that do not know it.
        """
        if self.ahead is None:
            return None
        test, seen = self.ahead
        chances = test.chances(seen)
        return None if chances is None else float(chances)

    @property
    def futile(self) -> bool:
        """Whether a decision by n_max has become too unlikely to be worth more pairs."""
        if self.ahead is None or self.n == 0:
            return False
        test, seen = self.ahead
        return bool(test.hopeless(seen))

    @property
    def n_max_reached(self) -> bool:
        """Whether the greatest number of pairs has been used."""
        return self.n_max is not None and self.n >= self.n_max

    @property
    def stop(self) -> bool:
        """Whether to stop: decided, n_max is reached, or a decision by then has become unlikely.

        The last is advice, which may be ignored, unless ``futility="binding"``. None for
        ``futility`` turns it off.
        """
        return self.decided or self.n_max_reached or self.futile

    @property
    def e_value(self) -> float:
        """The e-value: the factor by which a fair bet against the null has grown."""
        return e_value_of(self.log_e)

    def __str__(self) -> str:
        if self.n == 0:
            return f"No {self._unit}s yet on whether {self._claim()} ({self._setting()})."
        means = self._reading.means_text(score_text(self.mean0), score_text(self.mean1))
        facts = (
            f"{means}, anytime p = {self.p_value:.2g}, {self._interval_text()}, {self._setting()}"
        )
        seen = self._seen()
        if self.n_decided is not None:
            claim = self._claim()
            after = counted(self.n_decided, self._unit)
            later = "" if self.n == self.n_decided else f", now {seen} seen"
            claimed = f"{claim[0].upper()}{claim[1:]}: decided after {after}{later}"
            return f"{claimed}; {facts}.{self._notes()}"
        caveat = f"which does not show that {self._reading.equal}"
        if self.futile:
            caveat += ", and a decision by n_max has become unlikely"
        return f"Undecided after {seen} whether {self._claim()}, {caveat}; {facts}.{self._notes()}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(str(self))}</p>"

    def _seen(self) -> str:
        most = self.n if self.n_max is None else self.n_max
        seen = "" if self.n_max is None else f"{self.n} of at most "
        pairs = f"{seen}{counted(most, self._unit)}"
        if self.n_max != self.n_max_declared:
            pairs += f" (extended from at most {self.n_max_declared})"
        return pairs

    def _notes(self) -> str:
        notes, policies = [], ("policy 0", "policy 1")
        if self.decision is Decision.EQUIVALENT and self._reading.steady:
            notes.append(STEADY)
        if self.dependence is not None:
            notes.append(f"But {dependence_text(*policies, self.dependence, self.method)}")
        return "".join(f" {note}." for note in notes)

    def _interval_text(self) -> str:
        """Return the interval, or the bound of a one-sided test, with its level."""
        error = 1 - self.interval_level
        level = f"{100 * (1 - error):.10g}%" if error > 5e-11 else f"1 - {error:.3g}"
        of = self._reading.interval_of("policy 1")
        if self.alternative == "two-sided":
            shown = interval_text(self.interval, self._edge)
            return f"{level} confidence sequence of {of} {shown}"
        bound, words = self.interval.low, "at least"
        if self.alternative == "less":
            bound, words = self.interval.high, "at most"
        edge = self._edge
        if abs(bound - edge) < 1e-9:
            bound, words = edge, {"at least": "more than", "at most": "less than"}[words]
        return f"{level} confidence bound: {of} is {words} {score_text(bound)}"

    def _setting(self) -> str:
        level = f"alpha = {self.alpha:.6g}"
        if self.alternative != "two-sided":
            sides = f"one-sided, {level}"
        elif self.ties == "strict":
            sides = f"two-sided, {level}, ties count as errors"
        else:
            sides = f"two-sided, {level} per direction"
        return f"{self.method}, {sides}{self._reading.design_text}"

    def _claim(self) -> str:
        """Return the claim that was shown, or that is being tested."""
        scope = self._reading.scope
        if self.decision is Decision.EQUIVALENT:
            return same_claim(*self._reading.pair_names, self.equivalence) + scope
        if self.alternative == "two-sided" and not self.decided:
            same = self.equivalence
            or_same = "" if same is None else f" or both are {same_text(same)}"
            return self._reading.either + by_margin(self.margin) + or_same + scope
        asked = self.alternative == "greater" and not self.decided
        return self._reading.claim(int(asked or self.decision is Decision.POLICY1)) + scope

    @property
    def _reading(self) -> Scores:
        return self.rules.reading

    @property
    def _unit(self) -> str:
        return self._reading.unit

    @property
    def _edge(self) -> float:
        """The value that a decision lies beyond, in the units of the interval."""
        return self._reading.edge(-self.margin if self.alternative == "less" else self.margin)
