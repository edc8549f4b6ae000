"""Is a new policy not worse on any task? All shown, each at alpha: no correction is needed.

"Not worse anywhere" is false if it is false on one task, where it is shown with probability at most
alpha, whatever the others show. "Worse somewhere" is one claim of many, and shares alpha.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from stopwise.core.keywords import flat
from stopwise.core.rules import Rules
from stopwise.core.scores import score_text
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import few, named
from stopwise.questions.gate import GateQuestion, gate
from stopwise.questions.gate_result import EXIT_CODES, NOT_WORSE, GateResult
from stopwise.rows.reading import INPUT, taken

# What is in JSON as it is.
ASKED = ("answer", "policy", "baseline", "margin", "alpha")


@dataclass(frozen=True, kw_only=True)
class AnywhereResult:
    policy: str
    baseline: str
    margin: float
    alpha: float
    tasks: Mapping[str, GateResult]
    worse: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(task for task, own in self.tasks.items() if own.shown == NOT_WORSE)

    @property
    def answer(self) -> str:
        if self.worse:
            return "fail"
        return "pass" if len(self.shown) == len(self.tasks) else "undecided"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.answer]

    @property
    def sentence(self) -> str:
        number, by, alpha = len(self.tasks), score_text(self.margin), f"{self.alpha:g}"
        claim = f"{self.policy} is less than {by} worse than {self.baseline}"
        left = few([task for task in self.tasks if task not in self.shown])
        chance = "the chance of the claim on all tasks if it is false on any"
        if self.answer == "pass":
            found = f"Pass: {claim} on each of {number} tasks, each shown at alpha {alpha}"
            chance = "the chance of this claim if it is false on any task"
        elif self.answer == "fail":
            worse = f"{self.policy} is more than {by} worse than {self.baseline}"
            found = f"Fail: {worse} on {few(self.worse)}"
            chance = "the chance of such a claim, on any task where it is false,"
        else:
            shown = f"it is shown on {len(self.shown)} of {number} tasks that {claim}"
            found = f"Undecided: {shown}, but not on {left}"
        return f"{found}; {chance} is at most {alpha}."

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": 1,
            **{name: getattr(self, name) for name in ASKED},
            "sentence": self.sentence,
            "worse": list(self.worse),
            "tasks": {task: own.to_dict() for task, own in self.tasks.items()},
        }


@flat(GateQuestion)
def not_worse_anywhere(
    new: str,
    baseline: str,
    margin: float,
    *,
    results: Any,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    **settings: Unpack[GateQuestion],
) -> AnywhereResult:
    own = {name: own for name, own in settings.items() if name not in {*INPUT, "alpha"}}
    trials, _ = taken(results, settings, bounds=bounds)
    require(isinstance(trials, Trials), "results must hold trials with a column of tasks")
    alpha = settings.get("alpha", Rules.alpha)
    asked: dict[str, Any] = {"results": trials, "bounds": bounds, "design": design, **own}
    counts = trials.counts()
    missing = [task for task in trials.tasks if not {(task, new), (task, baseline)} <= {*counts}]
    require(
        not missing,
        f"on {few(missing)} not both policies have trials: a claim about each task needs all; ",
        named("where"),
        " reads some of the tasks",
    )
    gates = {
        task: gate(new, baseline, margin, task=task, alpha=alpha, **asked) for task in trials.tasks
    }
    fails = [task for task, found in gates.items() if found.worse.p_value <= alpha / len(gates)]
    return AnywhereResult(
        policy=new,
        baseline=baseline,
        margin=margin,
        alpha=alpha,
        tasks=gates,
        worse=tuple(fails),
    )
