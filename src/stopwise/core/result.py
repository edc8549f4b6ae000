"""Frozen answers: what a test has decided, and on what evidence."""

import html
import math
from dataclasses import dataclass
from enum import StrEnum

from stopwise.core.confidence import Interval

__all__ = ["Decision", "Verdict"]


class Decision(StrEnum):
    """What a test declares; final once taken."""

    POLICY1 = "policy1"
    POLICY0 = "policy0"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The state of a comparison after n pairs; never changes afterwards.

    Attributes
    ----------
    decision
        Which policy was declared better, or "undecided"; final once taken.
    n
        Pairs seen; ``n_decided`` is the pair at which the decision fell, or None.
    mean0, mean1
        Plain averages of the scores so far, NaN before the first pair.
    log_e
        Logarithm of the e-value now (the larger direction of a two-sided test), or None for
        methods without one; ``e_value`` is its exponential.
    p_value
        Anytime-valid p-value: at most alpha exactly when the test has decided.
    interval
        Time-uniform confidence interval of mean1 - mean0 at level 1 - alpha.
    """

    decision: Decision
    n: int
    n_decided: int | None
    mean0: float
    mean1: float
    log_e: float | None
    p_value: float
    interval: Interval
    method: str
    alpha: float
    alternative: str
    ties: str
    design: str
    margin: float
    n_max: int | None
    anytime: bool

    @property
    def decided(self) -> bool:
        """Whether a decision was taken."""
        return self.decision is not Decision.UNDECIDED

    @property
    def n_max_reached(self) -> bool:
        """Whether the declared greatest number of pairs has been used."""
        return self.n_max is not None and self.n >= self.n_max

    @property
    def e_value(self) -> float | None:
        """The e-value: the factor by which a fair bet against the null has grown."""
        if self.log_e is None:
            return None
        return math.exp(self.log_e) if self.log_e < 709.0 else math.inf

    def __str__(self) -> str:
        """Return one honest sentence."""
        if self.n == 0:
            return f"No pairs yet ({self._setting()})."
        of_most = f" of at most {self.n_max}" if self.n_max is not None else ""
        pairs = f"{self.n}{of_most} pair{'' if (self.n_max or self.n) == 1 else 's'}"
        facts = (
            f"means {self.mean0:.3g} (policy 0) and {self.mean1:.3g} (policy 1), "
            f"{'anytime ' if self.anytime else ''}p = {self.p_value:.2g}, "
            f"{self._level()} confidence sequence of the difference "
            f"[{self.interval.low:.3g}, {self.interval.high:.3g}], {self._setting()}"
        )
        if self.decided:
            later = "" if self.n == self.n_decided else f", now {pairs} seen"
            return f"{self._claim()}: decided after {self.n_decided} pairs{later}; {facts}."
        if not self.anytime and not self.n_max_reached:
            return (
                f"Undecided after {pairs}: {self.method} answers only at n_max = {self.n_max}; "
                f"{facts}."
            )
        return f"Undecided after {pairs}, which does not show that they are equal; {facts}."

    def _repr_html_(self) -> str:
        rows = {
            "decision": self.decision.value,
            "pairs": f"{self.n}" + (f" of at most {self.n_max}" if self.n_max else ""),
            "means": f"{self.mean0:.4g}, {self.mean1:.4g}",
            "e-value": "none" if self.e_value is None else f"{self.e_value:.4g}",
            "p-value": f"{self.p_value:.3g}",
            "interval": f"[{self.interval.low:.4g}, {self.interval.high:.4g}]",
        }
        cells = "".join(
            f"<tr><th style='text-align:left'>{key}</th><td>{html.escape(value)}</td></tr>"
            for key, value in rows.items()
        )
        return f"<p>{html.escape(str(self))}</p><table>{cells}</table>"

    def _level(self) -> str:
        return f"{100 * (1 - self.alpha):g}%"

    def _setting(self) -> str:
        sides = "two-sided" if self.alternative == "two-sided" else "one-sided"
        ties = ", ties strict" if self.ties == "strict" else ""
        return f"{self.method}, {sides}, alpha = {self.alpha:.3g}{ties}, {self.design} design"

    def _claim(self) -> str:
        better, worse = ("1", "0") if self.decision is Decision.POLICY1 else ("0", "1")
        if self.margin > 0:
            return f"Policy {better} is better than policy {worse} by more than {self.margin:g}"
        if self.margin < 0:
            return f"Policy {better} is not worse than policy {worse} by {-self.margin:g} or more"
        return f"Policy {better} is better than policy {worse}"
