"""The level with a judge and audits, and what would break it: a lot that is known too early."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from tests.guarantees.pinned import assert_at_most

CHANCE = 0.4


def errors(bend: str = "") -> int:
    """Return the false orders of 2,000 studies of equal policies with a good judge.

    Bent as they would be if lots were known too early: by a "set-up" that helps the new policy in
    trials which nobody will look at, or by a "void" of audited rows that it has lost.
    """
    runs, rows = 2000, 60
    rng = np.random.default_rng(24)

    def scores() -> list[Floats]:
        y0, y1 = (rng.random((2, runs, rows)) < 0.5) * 1.0
        return [y0, y1, *(np.where(rng.random(y.shape) < 0.9, y, 1 - y) for y in (y0, y1))]

    asked, (y0, y1, f0, f1) = rng.random((runs, rows)) < CHANCE, scores()
    if bend == "set-up":
        f1 = np.where(~asked & (rng.random(asked.shape) < 0.5), 1.0, f1)
    if bend == "void":
        lost, known = asked & (y1 < y0), (y0, y1, f0, f1)
        y0, y1, f0, f1 = (np.where(lost, *both) for both in zip(scores(), known, strict=True))
    found = sw.simulate(
        "nscore-plus",
        np.where(asked, y0, np.nan),
        np.where(asked, y1, np.nan),
        proxy=(f0, f1),
        audit=CHANCE,
        n_max=rows,
        design="paired",
        workers=1,
        alternative="greater",
    )
    return int((found.decision >= 0).sum())


def test_the_level_holds_and_not_if_the_lot_is_known_too_early() -> None:
    """Which is why it is drawn last, and nothing can be voided after it."""
    assert_at_most(errors(), 2000, 0.05)
    for bend in ("set-up", "void"):
        with pytest.raises(AssertionError):
            assert_at_most(errors(bend), 2000, 0.05)
