"""Find out which policy is better with as few trials as possible, with a guarantee.

The names below are loaded on first use, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stopwise.core.confidence import Interval
    from stopwise.core.pair_verdict import Decision, Verdict
    from stopwise.core.registry import MethodInfo, methods
    from stopwise.core.simulate import Simulation, simulate
    from stopwise.core.step.design import step_design
    from stopwise.core.stream import SequentialTest
    from stopwise.data.read import read_trials
    from stopwise.data.trials import Trials
    from stopwise.errors import (
        InvalidInput,
        InvalidState,
        NotAllowed,
        StopwiseError,
        StoreFailed,
    )
    from stopwise.planning.forecast import forecast
    from stopwise.planning.forecast_result import ForecastResult
    from stopwise.planning.plan import plan
    from stopwise.planning.plan_result import PlanResult
    from stopwise.questions.analysis import Analysis
    from stopwise.questions.analyze import analyze
    from stopwise.questions.best_analysis import BestAnalysis
    from stopwise.questions.compare import compare
    from stopwise.questions.counts import CountsResult
    from stopwise.questions.gate import gate
    from stopwise.questions.gate_result import GateResult
    from stopwise.questions.standing import PairResult, PolicyResult
    from stopwise.rollout.race import race
    from stopwise.rollout.race_result import RaceResult
    from stopwise.rollout.stop_rule import StopRule
    from stopwise.study.study import Study

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "BestAnalysis",
    "CountsResult",
    "Decision",
    "ForecastResult",
    "GateResult",
    "Interval",
    "InvalidInput",
    "InvalidState",
    "MethodInfo",
    "NotAllowed",
    "PairResult",
    "PlanResult",
    "PolicyResult",
    "RaceResult",
    "SequentialTest",
    "Simulation",
    "StopRule",
    "StopwiseError",
    "StoreFailed",
    "Study",
    "Trials",
    "Verdict",
    "analyze",
    "compare",
    "forecast",
    "gate",
    "methods",
    "plan",
    "race",
    "read_trials",
    "simulate",
    "step_design",
]

# Entry points from which a table may be made, with a progress bar in a terminal.
_MAY_TAKE_LONG = {
    "SequentialTest",
    "StopRule",
    "Study",
    "analyze",
    "compare",
    "forecast",
    "plan",
    "race",
    "simulate",
    "step_design",
}
_HOMES = {
    "Analysis": "questions.analysis",
    "BestAnalysis": "questions.best_analysis",
    "CountsResult": "questions.counts",
    "Decision": "core.pair_verdict",
    "ForecastResult": "planning.forecast_result",
    "GateResult": "questions.gate_result",
    "Interval": "core.confidence",
    "InvalidInput": "errors",
    "InvalidState": "errors",
    "MethodInfo": "core.registry",
    "NotAllowed": "errors",
    "PairResult": "questions.standing",
    "PlanResult": "planning.plan_result",
    "PolicyResult": "questions.standing",
    "RaceResult": "rollout.race_result",
    "SequentialTest": "core.stream",
    "Simulation": "core.simulate",
    "StopRule": "rollout.stop_rule",
    "StopwiseError": "errors",
    "StoreFailed": "errors",
    "Study": "study.study",
    "Trials": "data.trials",
    "Verdict": "core.pair_verdict",
    "analyze": "questions.analyze",
    "compare": "questions.compare",
    "forecast": "planning.forecast",
    "gate": "questions.gate",
    "methods": "core.registry",
    "plan": "planning.plan",
    "race": "rollout.race",
    "read_trials": "data.read",
    "simulate": "core.simulate",
    "step_design": "core.step.design",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'stopwise' has no attribute {name!r}")
    if name in _MAY_TAKE_LONG:
        import_module("stopwise.display").install()
    return getattr(import_module(f"stopwise.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
