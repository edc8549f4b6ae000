"""Shared tables and data: every table is synthesised once per test run."""

from collections.abc import Callable
from functools import cache

import pytest

from stopwise.core.step.design import StepDesign, step_design


@pytest.fixture(scope="session")
def designed() -> Callable[..., StepDesign]:
    return cache(step_design)
