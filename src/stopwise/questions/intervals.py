"""Confidence sequences read off at one time, in a bounded number of steps."""

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence import ConfidenceSequence, Interval

STEPS = 1000


def interval(sequence: ConfidenceSequence, r0: Floats, r1: Floats, rows: int) -> Interval:
    """Return the interval of the mean of r1 - r0, from scores in [0, 1].

    Long studies go in groups: the average of g pairs has the same mean and range as one. The size
    of a group depends only on the number of rows in the study, never on when a decision fell,
    so that the group is fixed before its scores are seen; an unfinished group is left out.
    """
    size = -(-rows // STEPS)
    groups = len(r0) // size
    grouped0, grouped1 = (
        scores[: groups * size].reshape(groups, size).mean(axis=1) for scores in (r0, r1)
    )
    state = sequence.start(())
    for score0, score1 in zip(grouped0, grouped1, strict=True):
        state = sequence.step(state, np.asarray(score0), np.asarray(score1))
    low, high = sequence.bounds(state)
    return Interval(float(low), float(high))
