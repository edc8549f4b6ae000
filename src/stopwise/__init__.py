"""Find out which policy is better with as few trials as possible, with a guarantee.

The names below are loaded on first use, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stopwise.core.confidence import Interval as Interval
    from stopwise.core.pair_verdict import Decision as Decision
    from stopwise.core.pair_verdict import Verdict as Verdict
    from stopwise.core.registry import MethodInfo as MethodInfo
    from stopwise.core.registry import methods as methods
    from stopwise.core.simulate import Simulation as Simulation
    from stopwise.core.simulate import simulate as simulate
    from stopwise.core.step.design import step_design as step_design
    from stopwise.core.stream import SequentialTest as SequentialTest
    from stopwise.data.read import read_trials as read_trials
    from stopwise.data.trials import Trials as Trials
    from stopwise.errors import InvalidInput as InvalidInput
    from stopwise.errors import InvalidState as InvalidState
    from stopwise.errors import NotAllowed as NotAllowed
    from stopwise.errors import StopwiseError as StopwiseError
    from stopwise.errors import StoreFailed as StoreFailed
    from stopwise.planning.forecast import forecast as forecast
    from stopwise.planning.forecast_result import ForecastResult as ForecastResult
    from stopwise.planning.plan import plan as plan
    from stopwise.planning.plan_result import PlanResult as PlanResult
    from stopwise.questions.analysis import Analysis as Analysis
    from stopwise.questions.analyze import analyze as analyze
    from stopwise.questions.best_analysis import BestAnalysis as BestAnalysis
    from stopwise.questions.compare import compare as compare
    from stopwise.questions.counts import CountsResult as CountsResult
    from stopwise.questions.gate import gate as gate
    from stopwise.questions.gate_result import GateResult as GateResult
    from stopwise.questions.standing import PairResult as PairResult
    from stopwise.questions.standing import PolicyResult as PolicyResult
    from stopwise.rollout.race import race as race
    from stopwise.rollout.race_result import RaceResult as RaceResult
    from stopwise.rollout.stop_rule import StopRule as StopRule
    from stopwise.study.study import Study as Study

__version__ = "0.1.0"

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
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'stopwise' has no attribute {name!r}")
    import_module("stopwise.display").install()
    return getattr(import_module(f"stopwise.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
