"""Others that look for the best of several policies, from their published formulas, vectorised.

Each is shown fresh scores in [0, 1] and stops by its own rule; ``delta`` is its error level. Rates
are those under which the level is proven ("proven"), or those usual in experiments ("usual").
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints

Draw = Callable[[], Floats]
Rate = Callable[[Ints, int, float], Floats]
BISECTIONS = 22


class Ends(NamedTuple):
    """How studies end: trials in all, and the policy named, -1 for none."""

    trials: Ints
    named: Ints


def divergence(p: Floats, q: Floats) -> Floats:
    """Kullback-Leibler divergence of Bernoulli distributions."""
    p, q = np.clip(p, 1e-9, 1 - 1e-9), np.clip(q, 1e-9, 1 - 1e-9)
    found: Floats = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    return found


def divergence_bounds(means: Floats, n: Floats, rate: Floats) -> tuple[Floats, Floats]:
    """Return the means whose divergence, times n, reaches the rate on either side."""
    ends = []
    for end in (np.zeros_like(means), np.ones_like(means)):
        inner, outer = means, end
        for _ in range(BISECTIONS):
            middle = 0.5 * (inner + outer)
            inside = n * divergence(means, middle) <= rate
            inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
        ends.append(outer)
    return ends[0], ends[1]


def kl_proven_rate(t: Ints, k: int, delta: float) -> Floats:
    """KL-LUCB, proven (Kaufmann & Kalyanakrishnan 2013) with alpha 1.1 and k1 = 1 + 1/(alpha-1)."""
    first: Floats = np.log(11 * k / delta) + 1.1 * np.log(t)
    return first + np.log(first)


def kl_usual_rate(t: Ints, k: int, delta: float) -> Floats:  # noqa: ARG001
    """The rate usual in experiments: log((1 + log t) / delta)."""
    found: Floats = np.log((1 + np.log(t)) / delta)
    return found


@dataclass(frozen=True)
class Lucb:
    """KL-LUCB: the leader and the one that may most likely be better, in turn."""

    rate: Rate

    def run(
        self, draw: Draw, shape: tuple[int, int], *, delta: float, slack: float, most: int
    ) -> Ends:
        """Outcomes of studies with at most so many trials in all."""
        studies, k = shape
        rows = np.arange(studies)
        n, total = np.ones(shape), draw()
        named, going = np.full(studies, -1), np.ones(studies, dtype=bool)
        t = 1
        while going.any() and k + 2 * (t - 1) < most:
            t += 1
            low, high = divergence_bounds(total / n, n, self.rate(np.array(t), k, delta))
            leader = (total / n + 1e-9 * n).argmax(axis=1)  # of equals, the best known
            high[rows, leader] = -np.inf
            rival = high.argmax(axis=1)
            shown = going & (high[rows, rival] - low[rows, leader] <= slack)
            named[shown] = leader[shown]
            going &= ~shown
            for chosen in (leader, rival):
                scores = draw()[rows, chosen]
                n[rows, chosen] += going
                total[rows, chosen] += np.where(going, scores, 0.0)
        return Ends(n.sum(axis=1).astype(np.int64), named)


@dataclass(frozen=True)
class TrackAndStop:
    """Track-and-stop (Garivier & Kaufmann 2016), D-tracking; weights are renewed every k trials.

    Its proven rate for binary scores is log(2 t (k - 1) / delta), whatever the sampling.
    """

    usual: bool = False

    def run(
        self,
        draw: Draw,
        shape: tuple[int, int],
        *,
        delta: float,
        slack: float,  # noqa: ARG002
        most: int,
    ) -> Ends:
        """Outcomes of studies with at most so many trials in all."""
        studies, k = shape
        rows = np.arange(studies)
        n, total = np.ones(shape), draw()
        named, going = np.full(studies, -1), np.ones(studies, dtype=bool)
        t = k
        while going.any() and t < most:
            weights = _weights(total / n)
            for _ in range(k):
                t += 1
                rate = kl_usual_rate(np.array(t), k, delta)
                if not self.usual:
                    rate = np.log(2 * t * (k - 1) / delta)
                leader, least = _least_evidence(total, n)
                shown = going & (least > rate)
                named[shown] = leader[shown]
                going &= ~shown
                starved = n < np.sqrt(t) - k / 2
                behind = np.where(starved, 1e6 - n, t * weights - n)
                chosen = behind.argmax(axis=1)
                scores = draw()[rows, chosen]
                n[rows, chosen] += going
                total[rows, chosen] += np.where(going, scores, 0.0)
        return Ends(n.sum(axis=1).astype(np.int64), named)


def halving(draw: Draw, shape: tuple[int, int], budget: int) -> Ends:
    """Successive halving (Karnin et al. 2013) of a fixed number of trials; it promises nothing."""
    studies, k = shape
    rounds = int(np.ceil(np.log2(k)))
    open_: Bools = np.ones(shape, dtype=bool)
    used = np.zeros(studies, dtype=np.int64)
    left, total = k, np.zeros(shape)
    for _ in range(rounds):
        each = max(budget // (left * rounds), 1)
        total = np.sum([draw() for _ in range(each)], axis=0)
        used += each * left
        left = -(-left // 2)
        order = np.argsort(-np.where(open_, total, -1.0), axis=1)
        open_ = np.zeros(shape, dtype=bool)
        np.put_along_axis(open_, order[:, :left], True, axis=1)
    return Ends(used, open_.argmax(axis=1))


def _least_evidence(total: Floats, n: Floats) -> tuple[Ints, Floats]:
    """Return the leader, and the least likelihood ratio between it and another."""
    rows = np.arange(len(n))
    means = total / n
    leader = means.argmax(axis=1)
    own, its = n[rows, leader][:, None], means[rows, leader][:, None]
    middle = (own * its + n * means) / (own + n)
    ratio = own * divergence(its, middle) + n * divergence(means, middle)
    ratio[rows, leader] = np.inf
    return leader, ratio.min(axis=1)


def _weights(means: Floats) -> Floats:
    """Return the shares of trials that tell the leader from all others soonest: theorem 5."""
    means = np.clip(means, 0.01, 0.99)
    rows = np.arange(len(means))
    leader = means.argmax(axis=1)
    its = means[rows, leader][:, None]
    means = np.minimum(means, its - 1e-3)  # ties would never be resolved
    means[rows, leader] = 0.0
    low, high = np.zeros(its.shape), divergence(its, means)
    high[rows, leader] = np.inf
    high = high.min(axis=1, keepdims=True)
    for _ in range(BISECTIONS):
        level = 0.5 * (low + high)
        x, ratio = _tilted(its, means, level)
        ratio[rows, leader] = 0.0
        above = ratio.sum(axis=1, keepdims=True) > 1
        low, high = np.where(above, low, level), np.where(above, level, high)
    x, _ = _tilted(its, means, low)
    x[rows, leader] = 1.0
    weights: Floats = x / x.sum(axis=1, keepdims=True)
    return weights


def _tilted(its: Floats, means: Floats, level: Floats) -> tuple[Floats, Floats]:
    """Trials of each policy per trial of the leader that give this much evidence."""
    low, high = np.zeros(means.shape), np.full(means.shape, 1e3)
    for _ in range(BISECTIONS):
        x = np.where(low > 0, np.sqrt(low * high), 1e-3 * high)
        middle = (its + x * means) / (1 + x)
        less = divergence(its, middle) + x * divergence(means, middle) < level
        low, high = np.where(less, x, low), np.where(less, high, x)
    middle = (its + high * means) / (1 + high)
    return high, divergence(its, middle) / np.maximum(divergence(means, middle), 1e-12)
