"""The fixture ``stopwise_gate``: a release check as a test, found by pytest by itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from stopwise.questions.gate_result import GateResult


@pytest.fixture
def stopwise_gate() -> "Callable[..., GateResult]":
    """Return ``stopwise.gate`` that fails the test if worse was shown, and skips if undecided."""

    def checked(new: Any, baseline: Any, **settings: Any) -> "GateResult":
        from stopwise.questions.gate import gate

        result = gate(new, baseline, **settings)
        if result.answer == "fail":
            pytest.fail(result.sentence, pytrace=False)
        if result.answer == "undecided":
            pytest.skip(result.sentence)
        return result

    return checked
