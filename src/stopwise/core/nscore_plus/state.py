"""What ``nscore-plus`` remembers: sums over the pairs seen, the last bet, and the wealth."""

from typing import NamedTuple, Self

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence_state import Bet

ONE, NONE = np.ones(()), np.zeros(())


class Sums(NamedTuple):
    """Sums over pairs; ``low`` and ``high`` are the scores of policy 0, and 1 less the margin."""

    pairs: Floats
    low: Floats
    high: Floats
    low_square: Floats
    high_square: Floats
    gap_square: Floats  # of (high - low)^2; paired only
    third: Floats  # of high^3 - low^3; paired: of (high - low)^3
    wins: Floats  # pairs with a positive difference: number, sum and sum of squares
    win_sum: Floats
    win_square: Floats

    @classmethod
    def of_pair(cls, low: Floats, high: Floats, difference: Floats, design: str) -> Self:
        low_square, high_square = low * low, high * high
        gap_square: Floats = NONE
        if design == "paired":
            gap_square = difference * difference
            third = gap_square * difference
        else:
            third = high_square * high - low_square * low
        win = np.maximum(difference, 0.0)
        return cls(
            pairs=ONE,
            low=low,
            high=high,
            low_square=low_square,
            high_square=high_square,
            gap_square=gap_square,
            third=third,
            wins=(difference > 0).astype(np.float64),
            win_sum=win,
            win_square=win * win,
        )

    def shifted(self, more: Floats, design: str) -> "Sums":
        """Return the sums as they would be with so much more margin (last axis: margins)."""
        old = Sums._make(array[..., None] for array in self)
        square = more * more
        high = old.high - old.pairs * more
        paired = design == "paired"
        once = old.high - old.low if paired else old.high  # whose powers the third sum is of
        squared = old.gap_square if paired else old.high_square
        shifted_square = squared - more * (2.0 * once - old.pairs * more)
        gap_square = shifted_square if paired else old.gap_square
        third = old.third - 3.0 * more * (squared - more * once) - old.pairs * (square * more)
        low, low_square = (np.broadcast_to(sum_, high.shape) for sum_ in (old.low, old.low_square))
        return old._replace(
            low=low,
            low_square=low_square,
            high=high,
            high_square=old.high_square - more * (2.0 * old.high - old.pairs * more),
            gap_square=np.maximum(gap_square, 0.0),
            third=third,
            win_sum=np.maximum(old.win_sum - old.wins * more, 0.0),
            win_square=np.maximum(
                old.win_square - more * (2.0 * old.win_sum - old.wins * more), 0.0
            ),
        )

    def plus(self, more: "Sums") -> "Sums":
        return Sums(*[old + new for old, new in zip(self, more, strict=True)])


class PlusState(NamedTuple):
    """Sums, wealth and bet in one flat row of arrays, as runners and saved tests expect it."""

    pairs: Floats
    low: Floats
    high: Floats
    low_square: Floats
    high_square: Floats
    gap_square: Floats
    third: Floats
    wins: Floats
    win_sum: Floats
    win_square: Floats
    log_e: Floats
    amount: Floats
    centre0: Floats
    cross: Floats

    @classmethod
    def of(cls, sums: Sums, bet: Bet, log_e: Floats) -> Self:
        return cls(*sums, log_e, *bet)

    @property
    def sums(self) -> Sums:
        return Sums._make(self[: len(Sums._fields)])

    @property
    def bet(self) -> Bet:
        return Bet(self.amount, self.centre0, self.cross)
