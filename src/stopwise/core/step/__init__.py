"""The near-optimal test of two success rates, synthesised in seconds.

The names below are loaded on first use: other methods need none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stopwise.core.step.design import Certificate, StepDesign
    from stopwise.core.step.design_lookup import estimated_seconds, step_design
    from stopwise.core.step.method import Step
    from stopwise.core.step.risk_budget import RiskBudget

__all__ = ["Certificate", "RiskBudget", "Step", "StepDesign", "estimated_seconds", "step_design"]

_HOMES = {
    "Certificate": "design",
    "RiskBudget": "risk_budget",
    "Step": "method",
    "StepDesign": "design",
    "estimated_seconds": "design_lookup",
    "step_design": "design_lookup",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
