"""The state of ``nscore-plus``, as saved tests hold it."""

import numpy as np
import pytest

from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.snapshot import encode_state, restore_state

# The state after three pairs, each array different.
SAVED = (
    *(3.0, 0.7000000000000001, 1.85, 0.21000000000000005, 1.3475, 0.0, 0.9786249999999999),
    *(2.0, 1.2999999999999998, 0.845, 0.9584389748257462, 1.3988704876706406),
    *(0.42811003087774246, 1.7630396098617527),
)


def test_saved_states_go_on_as_they_did() -> None:
    """Saved tests have no names for the arrays: another order would give other evidence."""
    method = NScorePlus(n_max=20, margin=0.05)
    state = restore_state([[value] for value in SAVED], method.start((1,)))
    assert encode_state(state) == [[value] for value in SAVED]

    for score0, score1 in [(0.6, 0.7), (0.3, 1.0), (0.5, 0.4)]:
        state = method.step(state, np.array([score0]), np.array([score1]))

    assert state.log_e[0] == pytest.approx(1.483798472282272, rel=1e-12)
