"""The state of ``nscore-plus``: flat for runners and saved tests, in named parts for the method."""

from typing import Any

import numpy as np
import pytest

from stopwise.core.nscore_plus import NScorePlus, PlusState
from stopwise.core.snapshot import encode_state, restore_state

# States after three pairs, as the first release saves them, and what three more pairs come to.
SAVED: list[tuple[dict[str, Any], list[float], float]] = [
    (
        {"margin": 0.05},
        [
            3.0,
            0.7000000000000001,
            1.85,
            0.21000000000000005,
            1.3475,
            0.0,
            0.9786249999999999,
            2.0,
            1.2999999999999998,
            0.845,
            0.9584389748257462,
            1.3988704876706406,
            0.42811003087774246,
            1.7630396098617527,
        ],
        1.483798472282272,
    ),
    (
        {"design": "paired"},
        [
            3.0,
            0.7000000000000001,
            2.0,
            0.21000000000000005,
            1.54,
            0.99,
            0.685,
            2.0,
            1.4,
            0.98,
            0.9215082842975795,
            0.9855838528405131,
            0.0,
            0.0,
        ],
        1.438093025072268,
    ),
]


def numbered() -> PlusState:
    """Return a state in which each array differs."""
    return PlusState._make(np.full(2, float(place)) for place in range(len(PlusState._fields)))


def test_parts_take_their_arrays_by_name() -> None:
    state = numbered()

    for part in (state.sums, state.bet):
        for name, array in part._asdict().items():
            assert array is getattr(state, name)


def test_the_parts_make_up_the_whole_state() -> None:
    state = numbered()

    again = PlusState.of(state.sums, state.bet, state.log_e)

    assert all(one is other for one, other in zip(again, state, strict=True))


@pytest.mark.parametrize(("settings", "saved", "log_e"), SAVED)
def test_saved_states_go_on_as_they_did(
    settings: dict[str, Any], saved: list[float], log_e: float
) -> None:
    """Saved tests have no names for the arrays: another order would give other evidence."""
    method = NScorePlus(n_max=20, **settings)
    state = restore_state([[value] for value in saved], method.start((1,)))
    assert encode_state(state) == [[value] for value in saved]

    for score0, score1 in [(0.6, 0.7), (0.3, 1.0), (0.5, 0.4)]:
        state = method.step(state, np.array([score0]), np.array([score1]))

    assert state.log_e[0] == pytest.approx(log_e, rel=1e-12)
