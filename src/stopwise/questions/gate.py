"""Is a new policy not worse than the old one, by more than is acceptable? Asked before a release.

Two tests of one pair run side by side on the same rows, each at alpha: one that the new policy is
not worse by the margin or more, one that it is worse by more than the margin. The first that
decides ends both. See docs/design/gate.md for what each false claim can cost.
"""

import json
import math
from dataclasses import dataclass, replace
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
from stopwise.core.stream import SequentialTest
from stopwise.errors import require
from stopwise.messages import Message, counted, named
from stopwise.questions.doubts import CAUTIONS
from stopwise.questions.gate_memory import Memory
from stopwise.questions.gate_report import junit, markdown
from stopwise.questions.gate_source import GatePairs, found_policies, pairs_of

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
        GatePairs of trials that came after the decision, or after n_max.
    warnings
        What was assumed, and what may void the guarantee.
    """

    shown: str
    not_worse: Verdict
    worse: Verdict
    rules: Rules
    spread: float
    task: str | None
    unused: int
    warnings: tuple[str, ...]

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The probability of each false claim.")
    design = FromRules[str]("design", "The design.")
    n_max = FromRules[int | None]("n_max", "The declared maximum number of pairs.")

    @property
    def policy(self) -> str:
        """The new policy."""
        return self.rules.policies[1]

    @property
    def baseline(self) -> str:
        """The policy that it is held against."""
        return self.rules.policies[0]

    @property
    def margin(self) -> float:
        """How much worse is still acceptable, a positive number."""
        return -self.rules.margin

    @property
    def n(self) -> int:
        """GatePairs of trials used: until the decision, or all."""
        return self.not_worse.n

    @property
    def p_value(self) -> float:
        """The anytime p-value of the claim shown; while undecided, of "not worse"."""
        return (self.worse if self.shown == WORSE else self.not_worse).p_value

    @property
    def interval(self) -> Interval:
        """Interval of the mean of the new policy less that of the baseline, at all times.

        If lower is better, of the baseline's less that of the new one: its advantage.
        """
        return Interval(self.not_worse.interval.low, self.worse.interval.high)

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
        growth = gap**2 / (2 * ((self.spread / span) ** 2 + gap**2))
        return max(math.ceil(missing / growth), 1)

    @property
    def exit_code(self) -> int:
        """0 shown not worse, 1 shown worse, 3 undecided, as the command exits."""
        return {NOT_WORSE: 0, WORSE: 1, UNDECIDED: 3}[self.shown]

    @property
    def sentence(self) -> str:
        """What was shown, in words, with what it rests on."""
        promised = promise(
            self.method, "the chance of such a claim if it is false", self.alpha, n_max=self.n_max
        )
        return (
            f"{self._finding()}; {self._facts()}; {promised} ({self.method}, {self.design} design)."
        )

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    def _finding(self) -> str:
        pair, by = (self.policy, self.baseline), score_text(self.margin)
        after = counted(self.n, "pair")
        if self.shown == NOT_WORSE:
            return f"{pair[0]} is not worse than {pair[1]} by {by} or more: shown after {after}"
        if self.shown == WORSE:
            return f"{pair[0]} is worse than {pair[1]} by more than {by}: shown after {after}"
        seen = after if self.n_max is None else f"{self.n} of at most {self.n_max} pairs"
        return (
            f"Undecided after {seen} whether {pair[0]} is worse than {pair[1]} by {by} or more, "
            f"which shows neither; {self._more()}"
        )

    def _more(self) -> str:
        if self.n == self.n_max:
            return "all declared pairs are used"
        needed = self.needed
        if needed is None:
            return "how many more pairs are needed cannot be told yet"
        left = "" if self.n_max is None else f", with {self.n_max - self.n} left"
        more = counted(needed, "more pair")
        return f"about {more} if things go on like this, which promises nothing{left}"

    def _facts(self) -> str:
        means, lower = self.not_worse, self.rules.lower_is_better
        difference = f"{self.policy}'s advantage" if lower else "the difference"
        return (
            f"means {score_text(means.mean1)} ({self.policy}) and {score_text(means.mean0)} "
            f"({self.baseline}){', lower is better' if lower else ''}, anytime p = "
            f"{self.p_value:.2g}, {100 * self.interval_level:.6g}% "
            f"confidence sequence of {difference} {interval_text(self.interval, -self.margin)}"
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
            "sentence": self.sentence,
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """Return the answer as JSON; the keys are in docs/guides/gate.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def to_junit(self) -> str:
        """Return the answer as a JUnit file: worse is a failure, undecided a skipped test."""
        outcome = {WORSE: "failure", UNDECIDED: "skipped"}.get(self.shown)
        margin = score_text(self.margin)
        name = f"{self.policy} is not worse than {self.baseline} by {margin} or more"
        return junit(name, outcome, self.sentence)

    def to_markdown(self) -> str:
        """Return the answer as a table for the summary of a CI run."""
        row = {
            "policy": self.policy,
            "baseline": self.baseline,
            "worse by the margin or more?": {NOT_WORSE: "no", WORSE: "yes"}.get(
                self.shown, UNDECIDED
            ),
            "margin": score_text(self.margin),
            "pairs": str(self.n),
            "difference": interval_text(self.interval, -self.margin),
            "anytime p": f"{self.p_value:.2g}",
            "more pairs needed": "unknown" if self.needed is None else f"about {self.needed}",
        }
        if self.shown != UNDECIDED:
            row["more pairs needed"] = "0"
        return markdown(row, self.sentence)


@flat(GateSettings)
def gate(
    new: Any,
    baseline: Any,
    margin: float = 0.05,
    *,
    results: Any = None,
    task: str | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    state: str | Path | None = None,
    versions: str | None = None,
    **settings: Unpack[GateSettings],
) -> Gate:
    """Say whether a new policy is not worse than a baseline by a margin, as a release asks.

    "Not worse" says that its mean is above that of the baseline less the margin; "worse", that it
    is below. Each of the two, where it is false, is ever shown with probability at most alpha,
    however often you look.

    Parameters
    ----------
    new, baseline
        The trials of each policy: a file, a folder, a frame or its scores in order. With
        ``results``, or if ``new`` is a file with both, the names of policies in it.
    margin
        How much worse is still acceptable, in units of the score: a positive number. What is
        tested is ``margin=-0.05`` of ``SequentialTest`` for 0.05 here.
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
        old and new: a past that has changed, or other rules, are refused.
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
    """
    require(
        is_number(margin) and margin > 0,
        named("margin"),
        " must be a positive number, how much worse is still acceptable (0.05 here is "
        f"margin=-0.05 of SequentialTest), but got {margin!r}",
        code="bad-margin",
    )
    memory = Memory.opened(state, versions)
    trials, names = found_policies(new, baseline, results, {"bounds": bounds})
    pairs = pairs_of(trials, names, task=task, design=design, bounds=bounds)
    given = {"seed": memory.seed, **{key: own for key, own in settings.items() if own is not None}}
    rules = Rules.of(
        policies=names,
        bounds=pairs.bounds,
        design=pairs.design,
        alternative="greater",
        margin=-margin,
        **given,
    )
    memory.check(rules, pairs)
    found = _answer(rules, pairs)
    memory.keep(rules, pairs.first(found.n))
    return found


def claims(rules: Rules) -> tuple[Rules, Rules]:
    """Return the rules of both tests: that of "not worse" as given, and that of "worse".

    The one has the null hypothesis mean1 <= mean0 - m, the other mean0 <= mean1 + m, which is
    mean1 >= mean0 - m.
    """
    return rules, replace(rules, alternative="less", margin=-rules.margin)


def _answer(rules: Rules, pairs: GatePairs) -> Gate:
    """Run both tests until the first decides."""
    rules, mirrored = claims(rules)
    not_worse = _seen(rules, pairs)
    worse = _seen(mirrored, pairs.first(not_worse.n))
    if worse.n < not_worse.n:
        not_worse = _seen(rules, pairs.first(worse.n))
    shown = UNDECIDED
    if not_worse.decided != worse.decided:  # both at once (absurd levels only) would say nothing
        shown = NOT_WORSE if not_worse.decided else WORSE
    warnings, (old, new) = list(pairs.notes), rules.policies
    if not_worse.dependence is not None:
        text = dependence_text(old, new, not_worse.dependence, rules.method)
        warnings.append(Message(text, code=f"scores-{not_worse.dependence}"))
    if "seed" in rules.parameters:
        text = CAUTIONS["randomised"].format(method=rules.method, seed=rules.parameters["seed"])
        warnings.append(Message(text, code="randomised"))
    return Gate(
        shown=shown,
        not_worse=not_worse,
        worse=worse,
        rules=rules,
        spread=float(np.diff(pairs.first(not_worse.n).scores).std()),
        task=pairs.task,
        unused=len(pairs.scores) - not_worse.n,
        warnings=tuple(warnings),
    )


def _seen(rules: Rules, pairs: GatePairs) -> Verdict:
    """Return the verdict of one of the tests on these pairs."""
    settings = rules.pair_settings()
    test = SequentialTest(**settings.pop("parameters"), **settings)
    return test.run(pairs.scores[:, 0], pairs.scores[:, 1])
