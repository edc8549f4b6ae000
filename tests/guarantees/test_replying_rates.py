"""Success rates that reply to the outcomes so far: bets keep their promise, a table does not.

In every pair both policies succeed with the same probability, so neither is better. But that
probability is chosen by what has happened, in the way that makes STEP err most often. The null of
the anytime methods contains this; STEP's level is proven for rates that stay the same.
"""

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.step.design import StepDesign, step_design

pytestmark = pytest.mark.slow(
    "thousands of studies: adds rates that reply to the scores to the exact tests of bets"
)

ALPHA, N, RUNS = 0.05, 40, 4000
RATES = np.linspace(0.0, 1.0, 201)


@pytest.fixture(scope="module")
def design() -> StepDesign:
    return step_design(ALPHA, N)


@pytest.fixture(scope="module")
def scores(design: StepDesign) -> tuple[Floats, Floats]:
    """Outcomes of an adversary who has looked up, backwards, the worst rate of every state."""
    later, worst = np.zeros((N + 1, N + 1)), []
    for t in range(N, 0, -1):
        stop = design.rule.table(t)
        value = stop + (1 - stop - stop.T) * later
        p = RATES[:, None, None]
        one = value[1:, :-1] + value[:-1, 1:]
        chance = (1 - p) ** 2 * value[:-1, :-1] + p * (1 - p) * one + p**2 * value[1:, 1:]
        worst.append(RATES[chance.argmax(axis=0)])
        later = chance.max(axis=0)
    rng = np.random.default_rng(11)
    x, y = np.zeros((2, RUNS), dtype=int)
    outcomes = np.empty((2, RUNS, N))
    for t in range(N):
        outcomes[:, :, t] = rng.random((2, RUNS)) < worst[-1 - t][x, y]
        x, y = x + outcomes[0, :, t].astype(int), y + outcomes[1, :, t].astype(int)
    return outcomes[0], outcomes[1]


def test_step_errs_as_often_as_computed(design: StepDesign, scores: tuple[Floats, Floats]) -> None:
    sim = sw.simulate("step", *scores, alpha=ALPHA, n_max=N, workers=1, alternative="greater")
    errors = (sim.decision == 1).mean()
    spread = np.sqrt(design.drift_error * (1 - design.drift_error) / RUNS)
    assert design.drift_error > 2 * ALPHA
    assert abs(errors - design.drift_error) < 4 * spread
