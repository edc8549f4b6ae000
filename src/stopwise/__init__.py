"""Find out which policy is better with as few trials as possible, with a guarantee.

The names below are loaded on first use, so that importing the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stopwise.core.confidence import Interval
    from stopwise.core.registry import MethodInfo, methods
    from stopwise.core.result import Decision, Verdict
    from stopwise.core.simulate import Simulation, simulate
    from stopwise.core.stream import SequentialTest
    from stopwise.data.read import read_trials
    from stopwise.data.trials import Trials
    from stopwise.errors import InvalidInput, InvalidState, StopwiseError
    from stopwise.ranking.analysis import Analysis
    from stopwise.ranking.analyze import analyze, analyze_tasks

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "Decision",
    "Interval",
    "InvalidInput",
    "InvalidState",
    "MethodInfo",
    "SequentialTest",
    "Simulation",
    "StopwiseError",
    "Trials",
    "Verdict",
    "analyze",
    "analyze_tasks",
    "methods",
    "read_trials",
    "simulate",
]

_HOMES = {
    "Analysis": "ranking.analysis",
    "Decision": "core.result",
    "Interval": "core.confidence",
    "InvalidInput": "errors",
    "InvalidState": "errors",
    "MethodInfo": "core.registry",
    "SequentialTest": "core.stream",
    "Simulation": "core.simulate",
    "StopwiseError": "errors",
    "Trials": "data.trials",
    "Verdict": "core.result",
    "analyze": "ranking.analyze",
    "analyze_tasks": "ranking.analyze",
    "methods": "core.registry",
    "read_trials": "data.read",
    "simulate": "core.simulate",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'stopwise' has no attribute {name!r}")
    return getattr(import_module(f"stopwise.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
