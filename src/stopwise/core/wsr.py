"""The test dual to the confidence sequences of Waudby-Smith and Ramdas (WSR)."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.confidence import Bet
from stopwise.core.futility import MayBeFutile
from stopwise.core.method import Citation

TRUNCATION = 0.95


class WsrState(NamedTuple):
    """Running sums of Z = (r1 - r0 + 1)/2 and the log of half the one-sided martingale."""

    log_e: Floats
    n: Floats
    total: Floats
    squares: Floats  # 1/4 plus the sum of squared deviations from the running mean


def wsr_bet(n: Floats, squares: Floats, alpha: float) -> Floats:
    """Return the predictable plug-in bet for pair n + 1, before truncation, in units of Z."""
    variance = squares / (n + 1.0)
    bet: Floats = np.sqrt(2.0 * np.log(2.0 / alpha) / ((n + 1.0) * np.log(n + 2.0) * variance))
    return bet


@dataclass(frozen=True, kw_only=True)
class Wsr(MayBeFutile[WsrState]):
    """WSR: the betting confidence sequence of the mean difference excludes the margin."""

    name: ClassVar[str] = "wsr"
    summary: ClassVar[str] = "Waudby-Smith & Ramdas: betting confidence sequence excludes 0"
    citation: ClassVar[Citation] = Citation(
        "I. Waudby-Smith and A. Ramdas",
        "Estimating means of bounded random variables by betting",
        "JRSS B 86",
        2024,
    )
    advice: ClassVar[str] = "a reference: decides when its published interval excludes the margin"
    designs: ClassVar[tuple[str, ...]] = ("independent", "paired")
    needs_independence: ClassVar[bool] = False
    splits_itself: ClassVar[bool] = True
    inverts: ClassVar[bool] = True

    def start(self, shape: tuple[int, ...]) -> WsrState:
        zeros = np.zeros(shape)
        return WsrState(np.full(shape, -np.log(2.0)), zeros, zeros, np.full(shape, 0.25))

    def step(self, state: WsrState, r0: Floats, r1: Floats) -> WsrState:
        z = 0.5 * (r1 - r0 + 1.0)
        centre = 0.5 * (1.0 + self.margin)
        bet = self._bet(state, centre)
        n = state.n + 1.0
        total = state.total + z
        mean = (0.5 + total) / (n + 1.0)
        return WsrState(
            state.log_e + np.log1p(bet * (z - centre)), n, total, state.squares + (z - mean) ** 2
        )

    def margin_fall(self, before: WsrState, after: WsrState, r0: Floats, r1: Floats) -> Floats:
        del after  # the bet was fixed before the pair
        bet = 0.5 * self._bet(before, 0.5 * (1.0 + self.margin))  # of the difference
        fall: Floats = bet / (1.0 + bet * (r1 - r0 - self.margin))
        return fall

    def bets_at(self, state: WsrState, margins: Floats, need: Floats, size: Floats) -> Bet:
        del need
        wanted = wsr_bet(state.n, state.squares, self.alpha)[..., None] * np.sqrt(size)
        amount = 0.5 * np.minimum(wanted, TRUNCATION / (0.5 * (1.0 + margins)))
        none = np.zeros_like(amount)
        return Bet(amount, none, none)

    def _standardised(self, state: WsrState) -> tuple[Floats, Floats]:
        variance = state.squares / (state.n + 1.0)
        return state.n, (state.total - state.n * 0.5 * (1.0 + self.margin)) / np.sqrt(variance)

    def _bet(self, state: WsrState, centre: float) -> Floats:
        bet: Floats = np.minimum(wsr_bet(state.n, state.squares, self.alpha), TRUNCATION / centre)
        return bet
