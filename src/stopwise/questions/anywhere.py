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
from stopwise.questions.gate_result import EXIT_CODES, FAIL, PASS, UNDECIDED, GateResult
from stopwise.rows.reading import INPUT, taken


@dataclass(frozen=True, kw_only=True)
class AnywhereResult:
    policy: str
    baseline: str
    margin: float
    alpha: float
    tasks: Mapping[str, GateResult]
    worse: tuple[str, ...]

    @property
    def answer(self) -> str:
        if self.worse:
            return FAIL
        return PASS if all(gate.answer == PASS for gate in self.tasks.values()) else UNDECIDED

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.answer]

    @property
    def sentence(self) -> str:
        number, by, alpha = len(self.tasks), score_text(self.margin), f"{self.alpha:g}"
        claim = f"{self.policy} is less than {by} worse than {self.baseline}"
        left = [task for task, gate in self.tasks.items() if gate.answer != PASS]
        answer, chance = {
            PASS: (
                f"Pass: {claim} on each of {number} tasks, each shown at alpha {alpha}",
                "the chance of this claim if it is false on any task",
            ),
            FAIL: (
                f"Fail: {self.policy} is more than {by} worse than {self.baseline} on "
                f"{few(self.worse)}",
                "the chance of such a claim, on any task where it is false,",
            ),
            UNDECIDED: (
                f"Undecided: it is shown on {number - len(left)} of {number} tasks that {claim}, "
                f"but not on {few(left)}",
                "the chance of the claim on all tasks if it is false on any",
            ),
        }[self.answer]
        size = next(iter(self.tasks.values())).rules.list_size
        scope = "" if size is None else f", on the {size} scenes of each task, in this run"
        return f"{answer}{scope}; {chance} is at most {alpha}."

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": 1,
            **vars(self),
            "answer": self.answer,
            "sentence": self.sentence,
            "worse": list(self.worse),
            "tasks": {task: gate.to_dict() for task, gate in self.tasks.items()},
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
    others = {name: value for name, value in settings.items() if name not in INPUT}
    trials, _ = taken(results, settings, bounds=bounds)
    require(isinstance(trials, Trials), "results must hold trials with a column of tasks")
    counts = trials.counts()
    missing = [task for task in trials.tasks if not {(task, new), (task, baseline)} <= {*counts}]
    require(
        not missing,
        f"on {few(missing)} not both policies have trials: a claim about each task needs all; ",
        named("where"),
        " reads some of the tasks",
    )
    asked: dict[str, Any] = {"results": trials, "bounds": bounds, "design": design, **others}
    gates = {task: gate(new, baseline, margin, task=task, **asked) for task in trials.tasks}
    alpha = settings.get("alpha", Rules.alpha)
    return AnywhereResult(
        policy=new,
        baseline=baseline,
        margin=margin,
        alpha=alpha,
        tasks=gates,
        worse=tuple(
            task for task, gate in gates.items() if gate.worse.p_value <= alpha / len(gates)
        ),
    )
