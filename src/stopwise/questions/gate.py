"""Is a new policy not worse than the old one, by more than is acceptable? Asked before a release.

Two tests of one pair run side by side on the same rows, each at alpha: one that the new policy is
not worse by the margin or more, one that it is worse by more than the margin. The first that
decides ends both. See docs/design/gate.md for what each false claim can cost.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from stopwise.core.confidence_state import Interval
from stopwise.core.keywords import flat
from stopwise.core.pair_verdict import Verdict
from stopwise.core.promise import dependence_text, promise
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import interval_text, is_number, score_text
from stopwise.core.settings import GateSettings
from stopwise.data.reading import InputSettings
from stopwise.errors import require
from stopwise.messages import Message, counted, named
from stopwise.questions.doubts import SORTED, answered, changes, sorted_rows
from stopwise.questions.gate_memory import Memory
from stopwise.questions.gate_report import junit, markdown
from stopwise.questions.gate_source import beside, found_policies, pairs_of, verdicts
from stopwise.rows.reading import INPUT, taken
from stopwise.rows.table import Table

NOT_WORSE, WORSE, UNDECIDED = "not worse", "worse", "undecided"
SCHEMA = 1
# As a share of the score's range; a smaller difference from the margin is none.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Whether a new policy may replace the old one; never changes afterwards.

    Attributes
    ----------
    shown
        "not worse" (by the margin or more), "worse" (by more than the margin) or "undecided".
    not_worse, worse
        The verdicts of the two tests behind it, after the same pairs: policy 0 is the baseline,
        policy 1 the new policy.
    rules
        What was declared, of the test of "not worse".
    spread
        Standard deviation of the differences of the pairs used.
    task
        The task's name, or None.
    unused
        Pairs of trials that came after the decision, or after n_max.
    warnings
        What was assumed, and what may void the guarantee.
    about
        Which training runs the claim is about, where trials come from some; else nothing.
    """

    shown: str
    not_worse: Verdict
    worse: Verdict
    rules: Rules
    spread: float
    task: str | None
    unused: int
    warnings: tuple[str, ...]
    about: str = ""

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The probability of each false claim.")
    design = FromRules[str]("design", "The design.")
    n_max = FromRules[int | None]("n_max", "The declared maximum number of pairs.")

    @property
    def policy(self) -> str:
        """The new policy."""
        return self.rules.run_policies[-1]

    @property
    def baseline(self) -> str:
        """The policy, or the number, that it is held against."""
        return self.rules.baseline or self.rules.policies[0]

    @property
    def margin(self) -> float:
        """How much worse is still acceptable; 0 only beside a number."""
        return -self.rules.margin

    @property
    def n(self) -> int:
        """Pairs of trials used: until the decision, or all."""
        return self.not_worse.n

    @property
    def p_value(self) -> float:
        """The anytime p-value of the claim shown; while undecided, of "not worse"."""
        return (self.worse if self.shown == WORSE else self.not_worse).p_value

    @property
    def interval(self) -> Interval:
        """Interval of the mean of the new policy less that of the baseline, at all times.

        If lower is better, of the baseline's less that of the new one: its advantage. With a
        reference, of the mean of the new policy.
        """
        good, bad = self.not_worse.interval, self.worse.interval
        if self.rules.reference is not None and self.rules.lower_is_better:
            return Interval(bad.low, good.high)
        return Interval(good.low, bad.high)

    @property
    def interval_level(self) -> float:
        """The probability with which the interval holds: each end fails with at most alpha."""
        return self.not_worse.interval_level + self.worse.interval_level - 1

    @property
    def needed(self) -> int | None:
        """Roughly how many further pairs a decision takes; 0 once decided.

        The evidence of a good bet grows by about gap^2 / (2 (spread^2 + gap^2)) per pair, where gap
        is how far the difference lies from the margin, and spread its standard deviation; both are
        taken as seen so far. It promises nothing. None where the difference seen is the margin
        itself, or n_max is reached.
        """
        if self.shown != UNDECIDED:
            return 0
        span = self.rules.bounds[1] - self.rules.bounds[0]
        means = self.not_worse
        gap = (self.rules.advantage(means.mean1 - means.mean0) + self.margin) / span
        if self.n == self.n_max or abs(gap) < ROUNDING:
            return None
        claim = self.not_worse if gap > 0 else self.worse
        missing = -math.log(self.alpha) - (claim.log_e or 0.0)
        if missing == math.inf:  # a table decides at once, not by evidence that grows
            return None
        growth = gap**2 / (2 * ((self.spread / span) ** 2 + gap**2))
        return max(math.ceil(missing / growth), 1)

    @property
    def exit_code(self) -> int:
        """0 shown not worse, 1 shown worse, 3 undecided, as the command exits."""
        return {NOT_WORSE: 0, WORSE: 1, UNDECIDED: 3}[self.shown]

    @property
    def sentence(self) -> str:
        """What was shown, in words, with what it rests on."""
        promised = promise(self.method, "the chance of such a claim if it is false", self.alpha)
        design = f", {self.design} design" if self.rules.reference is None else ""
        for doubt in self.warnings:
            if getattr(doubt, "code", "") == SORTED:
                promised = f"for pairs in random order {promised}; but {doubt}"
        return f"{self._finding()}; {self._facts()}; {promised} ({self.method}{design})."

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    def _finding(self) -> str:
        after = counted(self.n, self._unit)
        about = f" ({self.about})" if self.about else ""
        if self.shown != UNDECIDED:
            return f"{self._claim(self.shown)}{about}: shown after {after}"
        seen = after if self.n_max is None else f"{self.n} of at most {self.n_max} {self._unit}s"
        asked = f"worse than {self.baseline} by {score_text(self.margin)} or more"
        if not self.margin:
            asked = f"better or worse than {self.baseline}"
        return (
            f"Undecided after {seen} whether {self.policy} is {asked}{about}, which shows neither; "
            f"{self._more()}"
        )

    def _claim(self, shown: str) -> str:
        """Return one of the two claims in words."""
        by = score_text(self.margin)
        is_, how = ("worse", f" by more than {by}")
        if shown == NOT_WORSE:
            is_, how = ("not worse", f" by {by} or more") if self.margin else ("better", "")
        return f"{self.policy} is {is_} than {self.baseline}{how if self.margin else ''}"

    @property
    def _unit(self) -> str:
        return "pair" if self.rules.reference is None else "trial"

    @property
    def _edge(self) -> float:
        """Where the interval lies beyond once something is shown."""
        if self.rules.reference is None:
            return -self.margin
        return self.rules.reference + self.rules.advantage(-self.margin)

    def _more(self) -> str:
        if self.n == self.n_max:
            return f"all declared {self._unit}s are used"
        needed = self.needed
        if needed is None:
            return f"it is too early to say how many more {self._unit}s are needed"
        left = "" if self.n_max is None else f", with {self.n_max - self.n} left"
        more = counted(needed, f"more {self._unit}")
        return f"about {more} at the current rate (not a promise){left}"

    def _facts(self) -> str:
        found, lower = self.not_worse, self.rules.lower_is_better
        means, what = f"mean {score_text(found.mean1)}", "the mean"
        if self.rules.reference is None:
            means = (
                f"means {score_text(found.mean1)} ({self.policy}) and {score_text(found.mean0)} "
                f"({self.baseline})"
            )
            what = f"{self.policy}'s advantage" if lower else "the difference"
        return (
            f"{means}{', lower is better' if lower else ''}, anytime p = {self.p_value:.2g}, "
            f"{100 * self.interval_level:.6g}% "
            f"confidence sequence of {what} {interval_text(self.interval, self._edge)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        own = ("shown", "policy", "baseline", "margin", "n", "n_max", "unused", "needed")
        return {
            "schema": SCHEMA,
            **{name: getattr(self, name) for name in own},
            "means": {self.policy: self.not_worse.mean1, self.baseline: self.not_worse.mean0},
            "p_value": self.p_value,
            "p_values": {NOT_WORSE: self.not_worse.p_value, WORSE: self.worse.p_value},
            "interval": list(self.interval),
            "interval_level": self.interval_level,
            "method": self.method,
            "alpha": self.alpha,
            "design": self.design,
            "bounds": list(self.rules.bounds),
            **({"lower_is_better": True} if self.rules.lower_is_better else {}),
            "task": self.task,
            **({"parameters": dict(self.rules.parameters)} if self.rules.parameters else {}),
            **({} if self.rules.reference is None else {"reference": self.rules.reference}),
            "sentence": self.sentence,
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """Return the answer as JSON; the keys are in docs/guides/gate.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def to_junit(self) -> str:
        """Return the answer as a JUnit file: worse is a failure, undecided a skipped test."""
        outcome = {WORSE: "failure", UNDECIDED: "skipped"}.get(self.shown)
        return junit(self._claim(NOT_WORSE), outcome, self.sentence)

    def to_markdown(self) -> str:
        """Return the answer as a table for the summary of a CI run."""
        answer = {NOT_WORSE: "no", WORSE: "yes"}.get(self.shown, UNDECIDED)
        more: dict[int | None, str] = {0: "0", None: "unknown"}
        row = {
            "policy": self.policy,
            "baseline": self.baseline,
            "worse by the margin or more?": answer,
            "margin": score_text(self.margin),
            f"{self._unit}s": str(self.n),
            "difference" if self.rules.reference is None else "mean": interval_text(
                self.interval, self._edge
            ),
            "anytime p": f"{self.p_value:.2g}",
            f"more {self._unit}s needed": more.get(self.needed, f"about {self.needed}"),
        }
        return markdown(row, self.sentence)


class GateQuestion(GateSettings, InputSettings, total=False):
    """The settings of a gate, and how files are read."""


@flat(GateQuestion)
def gate(
    new: Any,
    baseline: Any = None,
    margin: float | None = None,
    *,
    reference: float | None = None,
    results: Any = None,
    task: str | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    state: str | Path | None = None,
    versions: str | None = None,
    **settings: Unpack[GateQuestion],
) -> Gate:
    """Say whether a new policy is not worse than a baseline by a margin, as a release asks.

    "Not worse" says that its mean is above that of the baseline less the margin; "worse", that it
    is below. Each of the two, where it is false, is ever shown with probability at most alpha,
    however often you look (with a ``state``, while trials come in).

    Parameters
    ----------
    new, baseline
        The trials of each policy: a file, a folder, a frame or its scores in order. With
        ``results``, or if ``new`` is a file with both, the names of policies in it.
    margin
        How much worse is still acceptable, in units of the score: a positive number, 0.05 if none
        is given. What is tested is ``margin=-0.05`` of ``SequentialTest`` for 0.05 here. With a
        reference 0 if none is given: is the new policy better than the number?
    reference
        A number to compare the new policy with, instead of a baseline.
    results
        A trial table, or whatever ``read_trials`` takes, that holds both policies.
    task
        Which task, if there are several.
    bounds
        Range [A, B] of the score, known before the data; by default the one that the trial table
        declares, else [0, 1].
    design
        "independent", "paired" or "stratified"; by default what the blocks of the table show.
    state
        File that remembers the pairs that were counted and the rules. Give all trials each time,
        old and new: a past that has changed, or other rules, are refused. Needed if trials are to
        come: without it they are taken to be complete, and their order may cycle through scenes.
    versions
        With ``state``: text that names the exact versions of both policies, such as two checkpoint
        hashes; another one is refused later.
    n_max
        The declared maximum number of pairs; later ones are not used.
    **settings
        The method, alpha, n_max and the method's own parameters.

    Examples
    --------
    >>> import stopwise as sw
    >>> found = sw.gate([1, 1, 0, 1] * 40, [1, 1, 1, 0] * 40, margin=0.2)
    >>> found.shown, found.n, found.needed
    ('not worse', 88, 0)
    >>> sw.gate([1, 1, 1, 1, 0] * 20, reference=0.6).n
    34
    """
    require(
        (baseline is None) != (reference is None),
        "compare the new policy with a baseline or with a number (reference): give one of the two",
        parameter="baseline",
    )
    if margin is None:
        margin = 0.05 if reference is None else 0.0
    require(
        is_number(margin) and (margin > 0 or (margin == 0 and reference is not None)),
        named("margin"),
        " must be a positive number, how much worse is still acceptable (0.05 here is "
        f"margin=-0.05 of SequentialTest), but got {margin!r}",
    )
    memory = Memory.opened(state, versions)
    reading = {name: value for name, value in settings.items() if name in INPUT}
    own = {name: value for name, value in settings.items() if name not in INPUT}
    lower = own.get("lower_is_better")
    trials, names = found_policies(
        new, baseline, results, {**reading, "bounds": bounds, "lower_is_better": lower}
    )
    trials, _ = taken(trials, {**own, **_for_scores(trials, reading)}, bounds=bounds)
    pairs = pairs_of(
        trials, names, task=task, design=design, bounds=bounds, growing=state is not None
    )
    if reference is not None:
        pairs = beside(pairs, reference)
    given = {key: value for key, value in own.items() if value is not None}
    rules = Rules.of(
        policies=names,
        bounds=pairs.bounds,
        design=pairs.design,
        alternative="greater",
        margin=-margin,
        reference=reference,
        **given,
    )
    memory.check(rules, pairs)
    found = _answer(rules, pairs)
    memory.keep(rules, pairs.first(found.n))
    return found


def _for_scores(trials: Any, reading: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of reading that were not used up by reading files."""
    return reading if isinstance(trials, Mapping) else {}


def _answer(rules: Rules, pairs: Table) -> Gate:
    """Run both tests until the first decides."""
    not_worse, worse = verdicts(rules, pairs)
    shown = UNDECIDED
    if not_worse.decided != worse.decided:  # both at once (absurd levels only) would say nothing
        shown = NOT_WORSE if not_worse.decided else WORSE
    warnings, (old, new) = answered(pairs.notes), rules.policies[:2]
    if not_worse.dependence is not None:
        text = dependence_text(old, new, not_worse.dependence, rules.method)
        warnings.append(Message(text, code=f"scores-{not_worse.dependence}"))
    gaps = np.diff(pairs.scores).ravel()
    if shown != UNDECIDED and gaps.size > not_worse.n and changes(gaps):
        warnings.append(sorted_rows(old, new))
    return Gate(
        shown=shown,
        not_worse=not_worse,
        worse=worse,
        rules=rules,
        spread=float(np.diff(pairs.first(not_worse.n).scores).std()),
        task=pairs.task,
        unused=len(pairs.scores) - not_worse.n,
        warnings=tuple(warnings),
        about=pairs.checkpoint_claim,
    )
