"""The rules that turn a planned effect into the bet on the next pair.

Validity rests on ``bounds``, ``product_weight`` and a centre inside the range alone.
"""

import numpy as np

from stopwise.core.arrays import Bools, Floats, between, greatest
from stopwise.core.nscore_plus.estimates import SIGNAL_SHARE, Estimates, Sums, inside
from stopwise.core.nscore_plus.growth import BOUND_SHARE

# Tuned; any value is valid. Raise the edition of the method when you change one.
SHOWN_WEIGHT = 3.0  # pairs that shrink the effect shown
AVERAGES_BOLDNESS = 1.07  # how much more is bet on averages than planned
AVERAGES_CAUTION = 0.7  # how much less per squared effect
LEAN_WEIGHT = 3.0  # pairs that shrink the lean to large losses
FAILURE_PAIRS, FAILURE_OFFSET = 5.0, 25.0  # the worst pair's chance: (5 / (n + 25))^2 at most
FAILURE_FLOOR = 0.8  # no bet is cut below this share of its bound
UNSEEN_LOSSES = 0.5  # all-or-nothing losses added to those seen where ties are wins
LOSS_PAIRS = 20.0  # pairs added to those seen
NOISY_SHARE = 0.4  # of the bound, held back after the first pair for all-or-nothing scores
NOISY_PAIRS = 20.0  # pairs after which half is
WIN_DEVIATIONS = 2.0  # so many below the mean of wins is a usual one
PRODUCT_KEPT = 0.2  # share of the full product kept in the worst pair, above 0
RENEWAL_PAIRS = 1000  # bets are renewed every pair up to here, then every second up to twice this


def large_effects(pairs: Floats, total: Floats, second_order: float) -> Floats:
    """Factor by which a large effect is bet on more than planned."""
    shown = np.maximum(total, 0.0) / (pairs + SHOWN_WEIGHT)
    added: Floats = second_order * shown * shown
    return (1 + added) / (1 + SIGNAL_SHARE * added)


def averages(pairs: Floats, total: Floats) -> Floats:
    """Factor in place of ``large_effects`` where scores are averages of groups."""
    shown = np.maximum(total, 0.0) / (pairs + SHOWN_WEIGHT)
    factor: Floats = AVERAGES_BOLDNESS / (1 + AVERAGES_CAUTION * (shown * shown))
    return factor


def shape(sums: Sums, estimates: Estimates, effect: Floats) -> Floats:
    """Bet of greatest growth for an effect; less where scores lean towards large losses."""
    middle = 0.5 * (estimates.mean0 + estimates.mean1)  # 0 in the paired design
    second = sums.high_square - sums.low_square
    third = sums.third - estimates.third - 3 * middle * (second - middle * (sums.high - sums.low))
    lean = np.maximum(-third / (sums.pairs + LEAN_WEIGHT), 0.0)
    amount: Floats = effect / (estimates.variance + effect * (lean / estimates.variance))
    return amount


def centre(estimates: Estimates, amount: Floats, margin: Floats | float) -> Floats:
    """Centre between the means; nearer to where bets may be large if the bet asks for it."""
    mean0, mean1 = estimates.mean0, estimates.mean1
    middle = 0.5 * (mean0 + mean1)
    if greatest(amount) <= BOUND_SHARE:  # these bets fit anywhere in the range
        return inside(middle, margin)
    half = 0.5 * (1 - margin)  # here m1 = 1 - m0 and the bound on the bet is largest
    nearest = between(half, np.minimum(mean0, mean1), np.maximum(mean0, mean1))
    room = BOUND_SHARE / np.maximum(amount, 1e-12)  # the bet fits while m1, 1 - m0 are below this
    low = np.minimum(np.minimum(1 - room, half), nearest)
    high = np.maximum(np.maximum(room - margin, half), nearest)
    return inside(between(middle, low, high), margin)


def rare_failures(amount: Floats, effect: Floats, worst: Floats | float, chance: Floats) -> Floats:
    """Bet a little less where the worst pair would cost nearly everything."""
    wanted = np.maximum(amount * worst, 1e-9)
    inverse = 1 / wanted
    middle = 1 + inverse + chance * worst / np.maximum(effect, 1e-9)
    root = np.sqrt(np.maximum(middle * middle - 4 * inverse, 0.0))
    risked: Floats = np.maximum(2 / (middle + root), np.minimum(wanted, FAILURE_FLOOR))
    return risked / worst


def failure_chance(pairs: Floats, odds: Floats) -> Floats:
    """Chance of the worst pair while it was not seen; odds: how much of it these scores have."""
    chance: Floats = (FAILURE_PAIRS / (pairs + FAILURE_OFFSET)) ** 2 * odds
    return chance


def losses_seen(sums: Sums, worst: float, spread: Floats) -> Floats:
    """Chance of the worst pair by the losses of a paired study in which ties are wins."""
    lost = np.maximum(sums.gap_square - sums.win_square, 0.0) / (worst * worst)
    chance: Floats = (lost + UNSEEN_LOSSES * spread * spread) / (sums.pairs + LOSS_PAIRS)
    return chance


def noisy_scores(amount: Floats, worst: Floats, pairs: Floats, spread: Floats) -> Floats:
    """Keep bets on all-or-nothing scores away from their bound until many pairs were seen."""
    if greatest(amount * worst) < BOUND_SHARE - NOISY_SHARE - 1e-9:  # never held back
        return amount
    doubted = np.minimum(pairs, 1.0) * (NOISY_PAIRS / (pairs + NOISY_PAIRS))
    square = spread * spread
    kept: Floats = (BOUND_SHARE - NOISY_SHARE * doubted * square * square) / worst
    return np.minimum(amount, kept)


def one_pair_may_decide(need: Floats, margin: Floats | float) -> bool:
    """Whether any study is so near to its decision that the cap matters."""
    most = 2 * np.log(2 / (1 + margin))  # of what one pair can add to the log-wealth
    return bool(np.any((need > 0) & (need < most)))


def cap(sums: Sums, need: Floats, gain: Floats | float, loss: Floats | float) -> Floats:
    """Largest useful bet: a win of usual size already reaches the threshold."""
    wins = np.maximum(sums.wins, 1.0)
    mean = sums.win_sum / wins
    deviation = np.sqrt(np.maximum(sums.win_square / wins - mean * mean, 0.0))
    # no wins seen or sizes too different: no cap, for next to nothing reaches the threshold
    usual = np.maximum(mean * wins / (wins + 1) - WIN_DEVIATIONS * deviation, 1e-12)
    missing = np.expm1(np.where(need > 0, between(need, 1e-6, 50.0), 50.0))  # decided: no cap
    square = usual * usual
    reached = missing + loss * square
    root = np.sqrt(square + 4 * gain * square * reached)
    largest: Floats = np.minimum(missing / usual, 2 * reached / (usual + root))
    return largest


def bounds(amount: Floats, worst: Floats | float) -> Floats:
    """Validity rests on this rule: no bet below 0, none that could make a factor negative."""
    return between(amount, 0.0, BOUND_SHARE / worst)


def product_weight(
    amount: Floats, below: Floats, above: Floats, share: Floats, doubt: Floats
) -> Floats:
    """Weight of the product of both scores; ``below`` is m1 and ``above`` is 1 - m0."""
    kept = (1 - amount * below) * (1 - amount * above)
    square = amount * amount
    least = square - (1 - PRODUCT_KEPT) * kept / (below * above)
    return between(np.maximum(share * square - doubt, least), 0.0, square)


def renewal(pairs: Floats) -> Bools:
    """Whether the bet is renewed after so many pairs: ever more rarely, as it hardly moves."""
    due: Bools = pairs % (pairs // RENEWAL_PAIRS + 1) == 0
    return due


def pairs_until_renewal(seen: int) -> int:
    """Pairs for which the next bet stays as it is, after so many."""
    every = seen // RENEWAL_PAIRS + 1
    return min(every - seen % every, RENEWAL_PAIRS - seen % RENEWAL_PAIRS)
