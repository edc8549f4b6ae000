"""N-SCORE as published: bet on the difference, sized on binned estimates of both policies."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.futility import MayBeFutile
from stopwise.core.method import Citation
from stopwise.core.scores import LEVEL_TOLERANCE, level_values, require_whole

# The published cap of the bet; at 1 a single pair could wipe out all evidence.
LARGEST_BET = 0.995
# Finer bins than these cost time and memory and no longer change the bets.
MOST_BINS, MOST_BIN_VALUES = 1001, 128
# Halley's method nearly always converges within so many steps; after them, bisection guards it.
UNGUARDED = 4
# Total weight of the symmetric Dirichlet prior on each policy's bins.
PRIOR_WEIGHT = 2.0


class NScoreState(NamedTuple):
    """State of N-SCORE; the bet was fixed before the pair that it meets."""

    log_e: Floats
    bet: Floats
    weights0: Floats  # bin counts plus prior, and one column of zeros
    weights1: Floats
    lags: Floats  # sum of weights0[i] * weights1[j] by the difference of bin values


@dataclass(frozen=True, kw_only=True)
class NScore(MayBeFutile[NScoreState]):
    """N-SCORE (Snyder et al., "Beyond Binary Success"), with k bins or given bin values."""

    bins: int = 21  # equally spaced values on [0, 1]
    bin_values: Sequence[float] | None = None  # the task's own milestones, instead of ``bins``

    name: ClassVar[str] = "nscore"
    summary: ClassVar[str] = "N-SCORE as published: bets on the difference, sized on k bins"
    citation: ClassVar[Citation] = Citation(
        "D. Snyder et al.",
        "Beyond Binary Success: Sample-Efficient and Statistically Rigorous Robot Policy "
        "Comparison",
        "arXiv:2603.13616",
        2026,
    )
    advice: ClassVar[str] = "to compare with results published with N-SCORE"
    designs: ClassVar[tuple[str, ...]] = ("independent", "paired")
    needs_independence: ClassVar[bool] = False
    inverts: ClassVar[bool] = True
    score_parameters: ClassVar[tuple[str, ...]] = ("bin_values",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole(self.bins, "bins", 2, MOST_BINS)
        _ = self._centres  # checks the values

    @cached_property
    def _centres(self) -> Floats:
        return level_values(self.bins, self.bin_values, "bin_values", MOST_BIN_VALUES)

    @cached_property
    def _lag_tables(self) -> tuple[Floats, Ints, Ints]:
        """Distinct differences of bin values less the margin, and which bin lies at which."""
        centres = self._centres
        k = centres.size
        differences = centres[None, :] - centres[:, None]
        keys = np.round(differences, 6)
        lags, lag_of = np.unique(keys, return_inverse=True)
        lag_of = lag_of.reshape(k, k)
        partner0 = np.full((k, lags.size), k)
        partner1 = np.full((k, lags.size), k)
        bins = np.arange(k)
        for a in range(k):
            partner0[a, lag_of[a]] = bins
            partner1[a, lag_of[:, a]] = bins
        return lags - self.margin, partner0, partner1

    def start(self, shape: tuple[int, ...]) -> NScoreState:
        k = self._centres.size
        values, partner0, _ = self._lag_tables
        weights = np.full((*shape, k + 1), PRIOR_WEIGHT / k)
        weights[..., k] = 0.0
        pairs_at_lag = (partner0 < k).sum(axis=0)
        lag_sums = np.broadcast_to(pairs_at_lag * (PRIOR_WEIGHT / k) ** 2, (*shape, values.size))
        return NScoreState(
            np.zeros(shape), np.zeros(shape), weights, weights.copy(), lag_sums.copy()
        )

    def step(self, state: NScoreState, r0: Floats, r1: Floats) -> NScoreState:
        log_e = state.log_e + np.log1p(state.bet * (r1 - r0 - self.margin))
        values, partner0, partner1 = self._lag_tables
        k = self._centres.size
        runs = log_e.size
        bin0, bin1 = self._bin(r0.ravel()), self._bin(r1.ravel())
        weights0, weights1 = state.weights0.copy(), state.weights1.copy()
        flat0, flat1 = weights0.reshape(-1), weights1.reshape(-1)
        offset = np.arange(0, runs * (k + 1), k + 1)
        sums = state.lags.reshape(runs, values.size) + flat1[partner0[bin0] + offset[:, None]]
        flat0[offset + bin0] += 1.0
        sums += flat0[partner1[bin1] + offset[:, None]]
        flat1[offset + bin1] += 1.0
        largest = LARGEST_BET / (1.0 + self.margin)
        bet = best_bet(sums, values, state.bet.reshape(-1), largest)
        return NScoreState(
            log_e, bet.reshape(log_e.shape), weights0, weights1, sums.reshape(state.lags.shape)
        )

    def margin_fall(
        self, before: NScoreState, after: NScoreState, r0: Floats, r1: Floats
    ) -> Floats:
        del after  # the bet was fixed before the pair
        fall: Floats = before.bet / (1.0 + before.bet * (r1 - r0 - self.margin))
        return fall

    def _standardised(self, state: NScoreState) -> tuple[Floats, Floats]:
        weights0, weights1 = state.weights0[..., :-1], state.weights1[..., :-1]
        gap, variance = gap_and_variance(weights0, weights1, self._centres)
        pairs = weights0.sum(axis=-1) - PRIOR_WEIGHT
        return pairs, (gap - pairs * self.margin) / np.sqrt(variance)

    @cached_property
    def _bin_starts(self) -> Floats:
        # Data files round 1/7 to 0.14285714: scores this near below a bin value belong to it.
        return self._centres[1:] - LEVEL_TOLERANCE

    def _bin(self, scores: Floats) -> Ints:
        return self._bin_starts.searchsorted(scores, side="right")


def gap_and_variance(weights0: Floats, weights1: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return sum1 - sum0 of weighted values, and the sum of the two variances."""
    size = np.add.reduce(weights0, axis=-1)  # as that of the other policy
    sums = [np.add.reduce(weights * values, axis=-1) for weights in (weights0, weights1)]
    squares = np.add.reduce((weights0 + weights1) * values**2, axis=-1)
    variance: Floats = squares / size - (sums[0] / size) ** 2 - (sums[1] / size) ** 2
    return sums[1] - sums[0], variance


def best_bet(weights: Floats, values: Floats, guess: Floats, largest: float) -> Floats:
    """Maximise sum_l weights[:, l] log(1 + bet values[l]) over bet in [0, largest], per row."""
    weighted = weights * values
    bet = np.zeros(len(weights))
    rows = (np.add.reduce(weighted, axis=-1) > 0.0).nonzero()[0]
    weighted, point = weighted[rows], guess[rows]
    point = np.where(point > 0.0, point, 0.5 * largest)
    low, high = np.zeros(rows.size), np.full(rows.size, largest)
    iteration = 0
    while rows.size:
        inverse = np.reciprocal(1.0 + point[:, None] * values)
        terms = weighted * inverse
        slope = np.add.reduce(terms, axis=-1)
        inverse *= values
        terms *= inverse
        curvature = np.add.reduce(terms, axis=-1)
        terms *= inverse
        newton = slope / curvature
        bend = newton * (np.add.reduce(terms, axis=-1) / curvature)
        shift = newton / np.maximum(1.0 - bend, 0.5)  # far from the root, no wild step
        target = np.minimum(np.maximum(point + shift, 0.0), largest)
        if iteration >= UNGUARDED:
            low, high = np.where(slope > 0.0, point, low), np.where(slope < 0.0, point, high)
            inside = (target >= low) & (target <= high)
            target = np.where(inside, target, 0.5 * (low + high))
        # Convergence is cubic: after a step of 1e-3 the error is of order 1e-9.
        going = np.abs(target - point) > 1e-3 * largest
        if not going.all():
            bet[rows] = target  # final for the rows that have converged
            rows, weighted, target = rows[going], weighted[going], target[going]
            low, high = low[going], high[going]
        point = target
        iteration += 1
    return bet
