"""What a gate has shown, and of which trials each number is."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from stopwise import __version__
from stopwise.core.confidence import Interval
from stopwise.core.pair_verdict import Verdict
from stopwise.core.registry import edition_of
from stopwise.core.rules import Delegated, FromRules, Rules
from stopwise.core.scores import interval_text, score_text
from stopwise.core.words import promise
from stopwise.messages import counted
from stopwise.questions.doubts import SORTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.report.html import Origin

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
EXIT_CODES = {PASS: 0, FAIL: 1, UNDECIDED: 3}
SCHEMA = 1
# As a share of the score's range; a smaller difference from the margin is none.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Measured:
    trials: Mapping[str, int]
    means: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """Whether a new policy may replace the old one; never changes afterwards.

    Attributes
    ----------
    answer
        "pass" (not worse by the margin or more), "fail" (worse by more than the margin) or
        "undecided".
    n
        Pairs of trials up to the decision, or all that the test has used.
    not_worse, worse
        The verdicts of the two tests behind it, after all pairs up to n_max: policy 0 is the
        baseline, policy 1 the new policy.
    rules
        What was declared, of the test of "not worse".
    spread
        Standard deviation of the differences of all pairs.
    all_trials
        Numbers and means of all trials that were given, also of those after the decision.
    decision
        The same of the trials up to the decision, or None while undecided.
    task
        The task's name, or None.
    warnings
        What was assumed, and what may void the guarantee.
    about
        Which training runs the claim is about, where trials come from some; else nothing.
    """

    answer: str
    n: int
    not_worse: Verdict
    worse: Verdict
    rules: Rules
    spread: float
    all_trials: Measured
    decision: Measured | None
    task: str | None
    warnings: tuple[str, ...]
    about: str = ""

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The probability of each false claim.")
    design = FromRules[str]("design", "The design.")
    n_max = FromRules[int | None]("n_max", "The declared maximum number of pairs.")
    unit = Delegated[str]("rules.reading.unit", "What is counted.")

    @property
    def policy(self) -> str:
        """The new policy."""
        return self.rules.reading.run[-1]

    @property
    def baseline(self) -> str:
        """The policy, or the number, that it is held against."""
        return self.rules.baseline or self.rules.policies[0]

    @property
    def margin(self) -> float:
        """How much worse is still acceptable; 0 only beside a number."""
        return -self.rules.margin

    @property
    def p_value(self) -> float:
        """The anytime p-value of the claim shown; while undecided, of "not worse"."""
        return (self.worse if self.answer == FAIL else self.not_worse).p_value

    @property
    def interval(self) -> Interval:
        """Interval of the new policy's advantage, at all times; with a reference, of its mean."""
        good, bad = self.not_worse.interval, self.worse.interval
        return Interval(max(good.low, bad.low), min(good.high, bad.high))

    @property
    def interval_level(self) -> float:
        """The probability with which the interval holds: each end fails with at most alpha."""
        return round(self.not_worse.interval_level + self.worse.interval_level - 1, 12)

    @property
    def needed(self) -> int | None:
        """Roughly how many further pairs a decision takes; 0 once decided, None if unknown."""
        if self.answer != UNDECIDED:
            return 0
        span = self.rules.scale.span
        seen = self.not_worse
        gap = (self.rules.reading.advantage(seen.mean1 - seen.mean0) + self.margin) / span
        claim = self.not_worse if gap > 0 else self.worse
        missing = -math.log(self.alpha) - (claim.log_e or 0.0)
        # A table decides at once, not by evidence that grows.
        if self.n == self.n_max or abs(gap) < ROUNDING or missing == math.inf:
            return None
        # The evidence of a good bet grows by about so much per pair.
        growth = gap**2 / (2 * ((self.spread / span) ** 2 + gap**2))
        return max(math.ceil(missing / growth), 1)

    @property
    def exit_code(self) -> int:
        """0 shown not worse, 1 shown worse, 3 undecided, as the command exits."""
        return EXIT_CODES[self.answer]

    @property
    def sentence(self) -> str:
        """What was shown, in words, with what it rests on."""
        reading, chance = self.rules.reading, "the chance of a false claim"
        promised = reading.certain or promise(self.method, chance, self.alpha)
        for doubt in self.warnings:
            if getattr(doubt, "code", "") == SORTED:
                promised = f"for pairs in random order {promised}; but {doubt}"
        means = " and ".join(
            f"{score_text(mean)} ({name}, {counted(self.all_trials.trials[name], 'trial')})"
            for name, mean in reversed([*self.all_trials.means.items()])
        )
        return (
            f"{self.headline} All trials: mean{'s' * (len(self.all_trials.means) > 1)} {means}"
            f"{reading.better_text}, {100 * self.interval_level:.6g}% confidence sequence of "
            f"{reading.interval_of(self.policy)} {interval_text(self.interval, self.edge)}, "
            f"anytime p = {self.p_value:.2g}; {promised} ({self.method}{reading.design_text})."
        )

    @property
    def headline(self) -> str:
        """What was shown, without what it rests on."""
        about = self.rules.reading.scope + (f" ({self.about})" if self.about else "")
        seen = counted(self.n, self.unit)
        if self.answer != UNDECIDED:
            return f"{self.answer.title()}: {self.claim(self.answer)}{about}, shown after {seen}."
        if self.n_max is not None:
            seen = f"{self.n} of at most {self.n_max} {self.unit}s"
        more = f"too early to say how many more {self.unit}s are needed"
        if self.n == self.n_max:
            more = f"all {self.n} declared {self.unit}s are used"
        elif self.needed is not None:
            more = f"about {counted(self.needed, f'more {self.unit}')} (not a promise)"
            more += "" if self.n_max is None else f", with {self.n_max - self.n} left"
        return (
            f"Undecided: {more}; after {seen} it is not shown that {self.claim(PASS)}{about}, nor "
            f"that it is worse{' by more than that' if self.margin else ''}."
        )

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<GateResult: {self.headline}>"

    def claim(self, answer: str) -> str:
        """One of the two claims in words."""
        how = "better than" if answer == PASS else "worse than"
        if self.margin:
            less = "less" if answer == PASS else "more"
            how = f"{less} than {score_text(self.margin)} worse than"
        return f"{self.policy} is {how} {self.baseline}"

    @property
    def edge(self) -> float:
        """The end of the interval that something shown lies beyond."""
        return self.rules.reading.edge(-self.margin)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        plain = ("answer", "policy", "baseline", "margin", "n", "n_max", "needed")
        tests = {"not worse": self.not_worse, "worse": self.worse}
        tested = ("alternative", "margin", "p_value")
        return {
            "schema": SCHEMA,
            "version": __version__,
            **{name: getattr(self, name) for name in plain},
            "decision": None if self.decision is None else asdict(self.decision),
            "all_trials": {
                **asdict(self.all_trials),
                "pairs": self.not_worse.n,
                "p_value": self.p_value,
                "interval": list(self.interval),
                "interval_level": self.interval_level,
            },
            "claims": {
                claim: {name: getattr(test, name) for name in tested}
                for claim, test in tests.items()
            },
            "method": self.method,
            "edition": edition_of(self.method),
            "alpha": self.alpha,
            "design": self.design,
            "bounds": list(self.rules.bounds),
            **self.rules.compared(),
            "task": self.task,
            **({"parameters": dict(self.rules.parameters)} if self.rules.parameters else {}),
            "sentence": self.sentence,
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """Return the answer as JSON; the keys are in docs/guides/gate.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def to_markdown(self) -> str:
        """Return the answer as a table for the summary of a CI run."""
        row = {
            "answer": self.answer,
            "policy": self.policy,
            "baseline": self.baseline,
            "margin": score_text(self.margin),
            f"{self.unit}s": str(self.n),
            self.rules.reading.measured: interval_text(self.interval, self.edge),
            "anytime p": f"{self.p_value:.2g}",
            f"more {self.unit}s needed": str(self.needed or 0)
            if self.needed is not None
            else "unknown",
        }
        lines = [row, ["---"] * len(row), map(_cell, row.values())]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"### stopwise gate\n\n{table}\n\n{_cell(self.sentence)}\n"

    def plot(self, *, width: float | None = None, ax: "Axes | None" = None) -> "Figure":
        """Draw the interval of the difference beside the margin."""
        from stopwise.report.gate_page import plot_gate

        return plot_gate(self, width=width, ax=ax)

    def to_html(self, origin: "Origin | None" = None) -> str:
        """Return a self-contained page: the answer, the figure, and of which trials it is."""
        from stopwise.report.gate_page import gate_page

        return gate_page(self, origin)


def _cell(text: str) -> str:
    """Return text that stays within its cell and is shown as it is."""
    return " ".join(re.sub(r"([\\`*_|<>\[\]])", r"\\\1", text).split())
