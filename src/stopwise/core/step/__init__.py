"""The near-optimal test of two success rates, synthesised in seconds."""

from stopwise.core.step.design import Certificate, StepDesign
from stopwise.core.step.design_lookup import estimated_seconds, step_design
from stopwise.core.step.method import Step
from stopwise.core.step.risk_budget import RiskBudget

__all__ = ["Certificate", "RiskBudget", "Step", "StepDesign", "estimated_seconds", "step_design"]
