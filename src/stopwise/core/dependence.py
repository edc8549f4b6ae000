"""Whether the two scores of a pair go together: watched while "independent" is declared.

Within a block of pairs of independent scores every cyclic shift of policy 1's was as likely as the
one seen, so exp(tilt * covariance) over its mean over all shifts is an e-value. The order within a
block is scrambled first: else neighbours, which drift makes alike, would stand in for each other.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Floats

# Share of studies with independent scores in which dependence is ever claimed.
FALSE_ALARMS = 0.01
# Pairs of the first two blocks, of each way to cut them; later blocks double up to the last size.
FIRST_BLOCKS = (8, 12, 40)
LARGEST_BLOCK = 512
# Correlations that are bet on.
TILTS = np.array([0.2, 0.45, 0.8])
CORRELATIONS = np.concatenate((TILTS, -TILTS))
# Blocks of the largest size that are computed at once.
BLOCKS_AT_ONCE = 16
TOGETHER, OPPOSED = "together", "opposed"


def dependence(scores0: Floats, scores1: Floats, level: float = FALSE_ALARMS) -> str | None:
    """Return "together" or "opposed" if the scores of pairs depend on each other, else None."""
    ends: list[int] = []
    gained: list[Floats] = []  # by cut and correlation, at each end of a block
    for cut, first in enumerate(FIRST_BLOCKS):
        start, blocks = 0, 1
        while (end := _pairs_in(first, blocks)) <= scores0.size:
            size = end - start
            together = 1  # the largest blocks are many: some at once
            if size == LARGEST_BLOCK:
                together = min((scores0.size - start) // size, BLOCKS_AT_ONCE)
            rows = slice(start, start + together * size)
            evidence = np.zeros((together, len(FIRST_BLOCKS), CORRELATIONS.size))
            evidence[:, cut] = _block_evidence(
                scores0[rows].reshape(-1, size), scores1[rows].reshape(-1, size)
            )
            ends.extend(range(end, rows.stop + 1, size))
            gained.append(evidence)
            start, blocks = rows.stop, blocks + together
    if not ends:
        return None
    return _claim(np.add.accumulate(np.concatenate(gained)[np.argsort(ends, kind="stable")]), level)


def _pairs_in(first: int, blocks: int) -> int:
    doubling = min(blocks, (LARGEST_BLOCK // first).bit_length() + 1)  # or as large as the first
    pairs = first << (doubling - 1) if doubling else 0
    return pairs + (blocks - doubling) * LARGEST_BLOCK


def _claim(log_e: Floats, level: float) -> str | None:
    """Return the first claim at this level, given log e-values (time, cut, correlation)."""
    largest = np.maximum.reduce(log_e, axis=(1, 2), keepdims=True)
    means = np.add.reduce(np.exp(log_e - largest), axis=(1, 2)) / log_e[0].size
    enough = (largest[:, 0, 0] + np.log(means) >= -math.log(level)).nonzero()[0]
    if not enough.size:
        return None
    by_correlation = np.logaddexp.reduce(log_e[enough[0]], axis=0)
    return TOGETHER if CORRELATIONS[int(by_correlation.argmax())] > 0 else OPPOSED


def _block_evidence(scores0: Floats, scores1: Floats) -> Floats:
    """Return the log e-values (..., correlation) of blocks, whose pairs are the last axis."""
    size = scores0.shape[-1]
    centred = np.array((scores0, scores1)).take(_scrambled(size), axis=-1)
    centred -= np.add.reduce(centred, axis=-1, keepdims=True) / size
    square0, square1 = np.add.reduce(centred * centred, axis=-1, keepdims=True)
    scale = np.sqrt(square0 * square1)
    # A score that never changes goes with nothing.
    scale = np.where(scale < 1e-9 * size, np.inf, scale)
    spectrum0, spectrum1 = np.fft.rfft(centred)
    correlation = np.fft.irfft(spectrum0.conj() * spectrum1, size) * (size / scale)
    exponent = TILTS[:, None] * correlation[..., None, :]  # at each shift; 0 is the one seen
    seen = exponent[..., 0]
    weights = np.exp(exponent)  # below exp(LARGEST_BLOCK)
    with_it = seen - np.log(np.add.reduce(weights, axis=-1) / size)
    np.divide(1.0, weights, out=weights)
    against = -seen - np.log(np.add.reduce(weights, axis=-1) / size)
    return np.concatenate((with_it, against), axis=-1)


@lru_cache(maxsize=32)
def _scrambled(size: int) -> NDArray[np.intp]:
    order = np.random.default_rng(size).permutation(size)
    order.flags.writeable = False
    return order
