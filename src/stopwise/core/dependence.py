"""Whether the two scores of a pair go together: watched while "independent" is declared.

Pairs come in blocks. If the scores of a pair are independent and pairs are fresh draws, then within
a block every cyclic shift of policy 1's scores against policy 0's was as likely as the one seen. So

    e = w(0) / mean of w(k) over all shifts k,   w(k) = exp(tilt * covariance at shift k)

is an e-value for any tilt that does not depend on the matching: its mean over the shifts is 1. The
product over blocks is an e-process, and so is a mean of such products over tilts and over ways to
cut blocks; it ever reaches 1/level with probability at most level (Ville). A common drift or tasks
in turn make scores go together too. The order within a block is scrambled first, the same way for
both policies: else neighbours, which drift makes alike, would stand in for each other.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Floats
from stopwise.core.scores import require_whole

# Share of studies with independent scores in which dependence is ever claimed.
FALSE_ALARMS = 0.01
# Pairs of the first two blocks, of each way to cut them; later blocks double up to the last size.
FIRST_BLOCKS = (8, 12, 40)
LARGEST_BLOCK = 512
# Correlations that are bet on.
CORRELATIONS = np.array([0.2, 0.45, 0.8, -0.2, -0.45, -0.8])
TOGETHER, OPPOSED = "together", "opposed"


class _Cut(NamedTuple):
    """One way to cut the pairs into blocks: the open block, and the evidence of those before."""

    first: int
    blocks: int
    open0: tuple[float, ...]
    open1: tuple[float, ...]
    log_e: tuple[float, ...]  # by correlation

    @property
    def size(self) -> int:
        """Pairs of the open block once it is full."""
        return min(self.first << max(self.blocks - 1, 0), LARGEST_BLOCK)

    def advanced(self, r0: float, r1: float) -> "_Cut":
        open0, open1 = (*self.open0, r0), (*self.open1, r1)
        if len(open0) < self.size:
            return self._replace(open0=open0, open1=open1)
        log_e = np.array(self.log_e) + _block_evidence(np.array(open0), np.array(open1))
        return _Cut(self.first, self.blocks + 1, (), (), tuple(log_e.tolist()))


class PairDependence(NamedTuple):
    """What is known of the dependence within pairs; replaced as a whole with each pair."""

    cuts: tuple[_Cut, ...]
    found: str | None = None

    @classmethod
    def begin(cls) -> Self:
        """Return the state before the first pair."""
        none = (0.0,) * CORRELATIONS.size
        return cls(tuple(_Cut(first, 0, (), (), none) for first in FIRST_BLOCKS))

    @property
    def pairs(self) -> int:
        """Pairs seen, as far as it matters: none, or some."""
        return max(len(cut.open0) + cut.blocks for cut in self.cuts)

    def advanced(self, r0: float, r1: float) -> "PairDependence":
        """Return the state after one more pair of scores."""
        cuts = tuple(cut.advanced(r0, r1) for cut in self.cuts)
        full = any(new.blocks > old.blocks for new, old in zip(cuts, self.cuts, strict=True))
        found = self.found
        if full and found is None:
            found = _claim(np.array([cut.log_e for cut in cuts]), FALSE_ALARMS)
        return PairDependence(cuts, found)

    def content(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"cuts": [list(cut) for cut in self.cuts], "found": self.found}

    @classmethod
    def restored(cls, content: dict[str, Any]) -> Self:
        """Return the state of such values, or raise ``ValueError``."""
        cuts = []
        for (first, blocks, open0, open1, log_e), usual in zip(
            content["cuts"], FIRST_BLOCKS, strict=True
        ):
            values = np.array([*open0, *open1, *log_e], dtype=float)
            fits = first == usual and len(open0) == len(open1) and len(log_e) == CORRELATIONS.size
            if not (fits and np.isfinite(values).all()):
                raise ValueError("the watch for dependence does not fit")
            known = require_whole(blocks, "blocks", 0)
            cuts.append(_Cut(first, known, tuple(open0), tuple(open1), tuple(log_e)))
        if content["found"] not in (None, TOGETHER, OPPOSED):
            raise ValueError(f"dependence cannot be {content['found']!r}")
        return cls(tuple(cuts), content["found"])


def dependence(scores0: Floats, scores1: Floats, level: float = FALSE_ALARMS) -> str | None:
    """Return "together" or "opposed" if the scores of pairs depend on each other, else None.

    Parameters
    ----------
    scores0, scores1
        Scores of both policies, pair by pair.
    level
        Chance of ever saying so of independent scores.
    """
    ends: dict[int, list[tuple[int, Floats]]] = {}
    for cut, first in enumerate(FIRST_BLOCKS):
        start, blocks = 0, 0
        while (end := start + _Cut(first, blocks, (), (), ()).size) <= scores0.size:
            evidence = _block_evidence(scores0[start:end], scores1[start:end])
            ends.setdefault(end, []).append((cut, evidence))
            start, blocks = end, blocks + 1
    log_e = np.zeros((len(FIRST_BLOCKS), CORRELATIONS.size))
    for end in sorted(ends):
        for cut, evidence in ends[end]:
            log_e[cut] += evidence
        found = _claim(log_e, level)
        if found is not None:
            return found
    return None


def _claim(log_e: Floats, level: float) -> str | None:
    """Return what may be said at this level, given log e-values by cut and correlation."""
    largest = log_e.max()
    mean = largest + math.log(float(np.exp(log_e - largest).mean()))
    if mean < -math.log(level):
        return None
    by_correlation = np.logaddexp.reduce(log_e, axis=0)
    return TOGETHER if CORRELATIONS[int(by_correlation.argmax())] > 0 else OPPOSED


def _block_evidence(scores0: Floats, scores1: Floats) -> Floats:
    """Return the log e-value of one block for each correlation that is bet on."""
    order = _scrambled(scores0.size)
    centred0 = scores0[order] - scores0.mean()
    centred1 = scores1[order] - scores1.mean()
    scale = math.sqrt(float((centred0**2).sum() * (centred1**2).sum()))
    if scale < 1e-9 * scores0.size:
        return np.zeros(CORRELATIONS.size)  # a score that never changes goes with nothing
    spectrum = np.fft.rfft(centred0).conj() * np.fft.rfft(centred1)
    correlation = np.fft.irfft(spectrum, scores0.size) / scale  # at each shift; 0 is the one seen
    exponent = scores0.size * CORRELATIONS[:, None] * correlation
    largest = exponent.max(axis=1)
    mean = np.exp(exponent - largest[:, None]).mean(axis=1)
    evidence: Floats = exponent[:, 0] - largest - np.log(mean)
    return evidence


@lru_cache(maxsize=32)
def _scrambled(size: int) -> NDArray[np.intp]:
    order = np.random.default_rng(size).permutation(size)
    order.flags.writeable = False
    return order
