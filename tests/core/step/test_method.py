"""`Step` as a method: real data, closing, replay, refusals."""

import numpy as np
import pytest

from stopwise.core.arrays import Floats
from stopwise.core.step.method import Step, StepState


def run(method: Step, r0: Floats, r1: Floats) -> list[StepState]:
    """States after each pair, both directions; the first axis of the scores is time."""
    state = method.start((*r0.shape[1:], 2))
    states = []
    for a, b in zip(r0.astype(float), r1.astype(float), strict=True):
        forward, backward = np.stack([a, b], -1), np.stack([b, a], -1)
        state = method.step(state, forward, backward)
        states.append(state)
    return states


def test_a_direction_is_closed_by_the_mirrored_stop() -> None:
    # Policy 0 wins 14 pairs, then policy 1 wins 36: the table alone would reject at the end.
    method = Step(n_max=50, futility=None)
    r1 = np.repeat([0.0, 1.0], [14, 36])
    states = run(method, 1.0 - r1, r1)
    assert method.evidence(states[13]).rejected.tolist() == [False, True]
    assert method.evidence(states[-1]).rejected.tolist() == [False, True]
    final = np.array([50]), np.array([14]), np.array([36])
    assert method.stopping.rule.rejects(*final)[0]


def test_evidence_is_all_or_nothing() -> None:
    method = Step(n_max=20)
    states = run(method, np.zeros(20), np.ones(20))
    before, after = method.evidence(states[0]), method.evidence(states[-1])
    assert np.all(before.log_e == -np.inf)
    assert np.all(before.p_value == 1.0)
    assert after.log_e[0] == pytest.approx(-np.log(0.05))
    assert after.p_value.tolist() == [0.05, 1.0]


def test_futility_is_said_where_it_is_asked_for() -> None:
    tie = np.tile([0.0, 1.0], 15)
    advisory, binding, none = (Step(n_max=50, futility=f) for f in ("advisory", "binding", None))
    ended = [method.futile(run(method, tie, tie)[-1]).all() for method in (advisory, binding)]
    assert ended == [True, True]
    assert not none.futile(run(none, tie, tie)[-1]).any()
    assert (binding.stops_at_futility, advisory.stops_at_futility) == (True, False)
