"""The optimal sequential test of one success rate against a number, by backward induction."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from stopwise.core.arrays import Doubles, Ints
from stopwise.errors import require

LARGEST = 2000
# Alternatives, from one that is hardly detectable by n_max to near certainty.
ALTERNATIVES, LEAST_EFFECT, NEAR_CERTAIN = 16, 2.0, 0.98
# Price of ending undecided; 1 is the price of the trials that the alternative needs anyway.
UNDECIDED_PRICE = 2.5
# Trials that any study is granted; delay is measured relative to them.
FIRST_TRIALS = 12.0
# A study whose chance of a decision is below this is futile.
LEAST_CHANCE = 0.05
# Evidence beyond this decides whatever the price of an error.
OVERWHELMING = 600.0
# Sums of rounded probabilities stay this far below the level, as a share of it.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class OneRateTest:
    """A boundary for the number of successes, with its exact error."""

    rate: float  # the number; the null hypothesis is that the success rate is at most this
    # By the number of trials: so many successes reject it (more than all trials: none do), and with
    # fewer than so many a decision by n_max is unlikely.
    reject_from: Ints = field(repr=False)
    continue_from: Ints = field(repr=False)
    error: float  # of ever rejecting at the number itself, the largest under the null hypothesis
    # Expected cost, summed over the alternatives that the test is made for, and a bound below which
    # no test of level alpha can get.
    cost: float
    least_cost: float

    def power(self, rate: float) -> float:
        """Return the exact probability of rejecting by n_max at a success rate."""
        return sum(stopped for stopped, _ in _walk(self.reject_from, rate))

    def expected_n(self, rate: float) -> float:
        """Return the exact expected number of trials until a rejection, or n_max."""
        return sum(going for _, going in _walk(self.reject_from, rate))


@lru_cache(maxsize=64)
def one_rate_test(alpha: float, n_max: int, rate: float) -> OneRateTest:
    """Return the test of "the success rate is at most ``rate``" with the least expected cost."""
    require(0.0 < alpha < 0.5, f"alpha must lie between 0 and 1/2, got {alpha!r}")
    require(2 <= n_max <= LARGEST, f"step needs n_max between 2 and {LARGEST}, got {n_max!r}")
    rates, price = _alternatives(alpha, n_max, rate)
    costs = _ratios(n_max, rate, rates, price)
    losses = _ratios(n_max, rate, rates, np.full(ALTERNATIVES, UNDECIDED_PRICE))
    # An error costs so much (in logarithms); the dearer it is, the fewer are made.
    low, high = -10.0, math.log(UNDECIDED_PRICE / alpha) + 10.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        error = _error(_boundary(math.exp(middle), rate, costs, losses)[0], rate)
        low, high = (low, middle) if error <= alpha * (1 - ROUNDING) else (middle, high)
    boundary, least = _boundary(math.exp(high), rate, costs, losses)
    boundary = _filled_up(boundary, rate, alpha * (1 - ROUNDING))
    test = OneRateTest(
        rate=rate,
        reject_from=boundary,
        continue_from=_futile_below(boundary, rate, losses),
        error=_error(boundary, rate),
        cost=math.nan,
        # Whoever may err in alpha of all studies saves at most the price of that.
        least_cost=least - math.exp(high) * alpha,
    )
    each = [
        cost * test.expected_n(other) + UNDECIDED_PRICE * (1 - test.power(other))
        for other, cost in zip(rates.tolist(), price.tolist(), strict=True)
    ]
    return replace(test, cost=sum(each))


def _alternatives(alpha: float, n_max: int, rate: float) -> tuple[Doubles, Doubles]:
    """Return success rates above the number, and what a trial costs at each."""
    start = math.asin(math.sqrt(rate))
    greatest = NEAR_CERTAIN * (math.pi - 2 * start)
    least = min(LEAST_EFFECT / math.sqrt(n_max), 0.5 * greatest)
    effects = np.geomspace(least, greatest, ALTERNATIVES)
    needed = FIRST_TRIALS + 2 * math.log(1 / alpha) / effects**2
    return np.sin(start + effects / 2) ** 2, 1 / np.minimum(n_max, needed)


def _ratios(n_max: int, rate: float, rates: Doubles, weights: Doubles) -> list[Doubles]:
    """Return, for each number of trials, the weighted likelihood ratios by successes."""
    win, loss = np.log(rates / rate), np.log((1 - rates) / (1 - rate))
    successes = np.arange(n_max + 1)[:, None] * (win - loss)
    return [
        np.exp(np.minimum(successes[: n + 1] + n * loss, OVERWHELMING)) @ weights
        for n in range(n_max + 1)
    ]


def _boundary(
    error_price: float, rate: float, costs: list[Doubles], losses: list[Doubles]
) -> tuple[Ints, float]:
    """Least successes at which rejecting is cheaper than going on, and the least cost of all."""
    n_max = len(costs) - 1
    boundary = np.arange(1, n_max + 2)
    cost = losses[n_max]
    for n in range(n_max, 0, -1):
        boundary[n] = int(np.searchsorted(cost, error_price))
        cost = np.minimum(cost, error_price)
        # Relative to the null hypothesis, under which the next trial succeeds at the rate.
        cost = costs[n - 1] + rate * cost[1:] + (1 - rate) * cost[:-1]
    return boundary, float(cost[0])


def _walk(boundary: Ints, rate: float) -> Iterator[tuple[float, float]]:
    """Yield, trial by trial, the chance to reject at it and to have got there."""
    for reached in _reached(boundary, rate):
        n = reached.size - 1
        yield float(reached[boundary[n] :].sum()), float(reached.sum())


def _reached(boundary: Ints, rate: float) -> Iterator[Doubles]:
    """Yield, for 1 to n_max trials, the chance to arrive there with so many successes."""
    going = np.ones(1)
    for n in range(1, boundary.size):
        reached = np.zeros(n + 1)
        reached[1:] = rate * going
        reached[:-1] += (1 - rate) * going
        yield reached
        going = reached.copy()
        going[boundary[n] :] = 0.0


def _error(boundary: Ints, rate: float) -> float:
    return sum(stopped for stopped, _ in _walk(boundary, rate))


def _filled_up(boundary: Ints, rate: float, alpha: float) -> Ints:
    """Let one more state reject, at as many numbers of trials as alpha has room for, late first."""
    boundary = boundary.copy()
    room = alpha - _error(boundary, rate)
    reached = list(_reached(boundary, rate))
    later = np.zeros(boundary.size)
    for n in range(boundary.size - 1, 0, -1):
        if boundary[n] <= n:
            later[boundary[n] :] = 1.0
        state = boundary[n] - 1
        added = float(reached[n - 1][state] * (1 - later[state]))
        if state >= 0 and added <= room and state > rate * n:
            boundary[n], room, later[state] = state, room - added, 1.0
        later = rate * later[1:] + (1 - rate) * later[:-1]
    return boundary


def _futile_below(boundary: Ints, rate: float, losses: list[Doubles]) -> Ints:
    """Return below how many successes the alternatives have too little chance of a rejection."""
    futile = np.zeros_like(boundary)
    n_max = boundary.size - 1
    won = np.zeros(n_max + 1)
    for n in range(n_max, 0, -1):
        won[boundary[n] :] = losses[n][boundary[n] :]
        if n < n_max:
            futile[n] = int(np.argmax(won >= LEAST_CHANCE * losses[n]))
        won = rate * won[1:] + (1 - rate) * won[:-1]
    return futile
