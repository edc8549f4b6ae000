"""The edition of a method stands for its evidence: where that changes, the edition must.

A study is replayed with the edition that it was locked with. If the same scores gave other evidence
under the same edition, an honest study would look forged after an upgrade.
"""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.registry import create
from tests.guarantees.pinned import COUNTING, assert_recorded

PINNED = Path(__file__).with_name("editions.json")
PIN = "python -m tests.guarantees.pinned tests/core/test_editions.py"
LAST = 48
LOOKS = (3, 6, 12, 24, LAST)
CASES: dict[str, dict[str, Any]] = {
    "nscore-plus": {},
    "nscore-plus, n_max": {"n_max": LAST},
    "nscore-plus, n_max, paired": {"n_max": LAST, "design": "paired"},
    "nscore-plus, paired, margin": {"design": "paired", "margin": 0.05},
    "nscore-plus, paired, not worse": {"design": "paired", "margin": -0.05},
    "nscore-plus, sameness": {"n_max": LAST, "design": "paired", "equivalence": 0.2},
    "nscore-plus, number": {"n_max": LAST, "design": "paired", "number": (0.6,)},
    "nscore": {},
    "nscore, paired": {"design": "paired"},
    "wsr": {},
    "savi": {},
    "step": {"n_max": LAST},
}


def method_of(case: str) -> str:
    return case.split(",", maxsplit=1)[0]


def scores(binary: bool) -> tuple[Floats, Floats]:
    """Return fixed scores of two policies, the second somewhat better."""
    steps = np.arange(1, LAST + 1)
    low, high = (steps * 0.618034 % 1) ** 1.5, (steps * 0.754878 % 1) ** 0.7
    return ((low > 0.5) * 1.0, (high > 0.5) * 1.0) if binary else (low, high)


def evidence(case: str, *, binary: bool) -> list[float]:
    """Return the pair at which it rejects, and log e-values, to nine digits, at a few looks.

    Of methods that have none, p-values. Nine digits leave out what depends on the machine.
    """
    settings = dict(CASES[case])
    common = {"alpha": 0.05, "margin": 0.0, "design": "independent", "n_max": None, **settings}
    within = common.pop("equivalence", None)
    method = create(method_of(case), parameters={}, **common)
    if within is not None:
        method = method.not_worse(0.05, within)
    state = method.start((1, 1))
    found, rejected = [], 0
    low, high = scores(binary)
    low = np.full_like(low, settings["number"]) if "number" in settings else low
    for n, (r0, r1) in enumerate(zip(low, high, strict=True), 1):
        state = method.step(state, np.array([[r0]]), np.array([[r1]]))
        now = method.evidence(state)
        rejected = rejected or (n if now.rejected.item() else 0)
        if n in LOOKS:
            log_e = now.log_e.item()
            found.append(float(f"{log_e if np.isfinite(log_e) else now.p_value.item():.9g}"))
    return [rejected, *found]


def test_every_method_is_pinned() -> None:
    assert {method_of(case) for case in CASES} == set(sw.methods())


@pytest.mark.parametrize("case", CASES)
def test_other_evidence_is_another_edition(case: str) -> None:
    info = sw.methods()[method_of(case)]
    takes_all = info.scores.startswith("any")
    found = {"binary": evidence(case, binary=True)}
    if takes_all:
        found["any"] = evidence(case, binary=False)
    pinned = json.loads(PINNED.read_text()).get(case, {})
    if (
        COUNTING in os.environ
    ):  # by the command that pins; what depends on the machine moves nothing
        same = all(
            values == pytest.approx(pinned.get(kind, []), rel=1e-8, abs=1e-12)
            for kind, values in found.items()
        )
        assert_recorded(PINNED, case, {**(pinned if same else found), "edition": info.edition})
        return

    assert pinned.pop("edition") == info.edition, f"a new edition is pinned with {PIN}"
    assert pinned.keys() == found.keys()
    for kind, values in found.items():
        assert values == pytest.approx(pinned[kind], rel=1e-8, abs=1e-12), (
            f"the same scores give other evidence: raise the edition on its class, then {PIN}"
        )
