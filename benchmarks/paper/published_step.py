"""STEP's published rule: at every time, stop in as many states as the error budget allows.

Snyder et al. (2025), "Is your imitation learning policy better than mine? Policy comparison with
near-optimal stopping". Written from the mathematics. The mass of a state under a null point is a
binomial factor times the fraction of strings still running, and that fraction does not depend on
the null point: one forward pass serves all of them. At each time a linear programme chooses the
stopping probabilities of the states (each with its mirror under exchanging success and failure, so
half the null points suffice). Of alpha, a share that grows linearly may be spent by each number of
pairs, after a dead time without stops. ``published_design`` evaluates the rule exactly, as
``stopwise.step_design`` does with the table of the package.
"""

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from stopwise.core.arrays import Doubles
from stopwise.core.progress import Progress
from stopwise.core.step.design import StepDesign, load_or_make
from stopwise.core.step.exact import (
    ROUNDING,
    Rule,
    WorstCase,
    all_states,
    binomial_probabilities,
    cell_terms,
    rejection_given_counts,
    worst_case,
)
from stopwise.core.step.synthesis import folded
from stopwise.core.step.walk import Walk, combine, combine_totals, interior

# 2 ** rounds + 1 null points over the whole scale: 129 as published, 513 at the horizon.
_ROUNDS, _FINE_ROUNDS = 7, 9
_NEGLIGIBLE = 1e-9
# Of alpha, left unspent so that the gaps between null points stay within alpha as well.
_RESERVE = 1.5e-4
# Of the proof for rules that are not monotone.
_CELLS_PER_PAIR = 4
_LEAST_CELLS = 600
_BLOCK = 512


@dataclass(frozen=True)
class PublishedRule(Rule):
    """A rule in which a few states below ``reject_from`` stop with a probability.

    They are listed by sorted codes ``(t (n_max + 1) + x) (n_max + 1) + y`` with ``y > x``.
    """

    random_state: NDArray[np.int64]
    random_probability: Doubles

    def rejection_probability(
        self, n: NDArray[np.int64], successes0: NDArray[np.int64], successes1: NDArray[np.int64]
    ) -> Doubles:
        """Probability of declaring policy 1 better on arrival in these states, elementwise."""
        certain = self.rejects(n, successes0, successes1)
        probability: Doubles = certain.astype(np.float64)
        if self.random_state.size:
            width = self.n_max + 1
            code = (n * width + successes0) * width + successes1
            place = np.searchsorted(self.random_state, code)
            place = np.minimum(place, self.random_state.size - 1)
            listed = (self.random_state[place] == code) & ~certain
            probability = np.where(listed, self.random_probability[place], probability)
        return probability

    def is_monotone(self) -> bool:
        """Whether rejection only becomes likelier with a success of 1 or a failure of 0."""
        for t in range(1, self.n_max + 1):
            table = self.table(t)
            if np.any(np.diff(table, axis=1) < 0.0) or np.any(np.diff(table, axis=0) > 0.0):
                return False
        return True

    def table(self, t: int) -> Doubles:
        return self.rejection_probability(*all_states(t))


_RULE = tuple(entry.name for entry in fields(PublishedRule))


def published_design(alpha: float, n_max: int) -> StepDesign:
    def make(progress: Progress) -> dict[str, NDArray[Any]]:
        rule, worst = synthesise(alpha, n_max, progress)
        own = {name: getattr(rule, name) for name in _RULE}
        return {**own, "worst_case": np.array(worst)}

    arrays = load_or_make(f"published-n{n_max}-a{float(alpha)!r}", n_max, make)
    return StepDesign(
        alpha=alpha,
        n_max=n_max,
        rule=PublishedRule(*(arrays[name] for name in _RULE)),
        worst=WorstCase(*(float(value) for value in arrays["worst_case"])),
        objective_bound=float("nan"),
    )


def decision(
    design: StepDesign, scores0: ArrayLike, scores1: ArrayLike, *, seed: int
) -> tuple[int, int] | None:
    """Decision of the published rule (0 or 1) and its number of pairs.

    The seed decides in randomised states. None stands for a study that ends undecided.
    """
    rule = design.rule
    assert isinstance(rule, PublishedRule)
    lots = uniform(seed, design.n_max)
    counts = [np.cumsum(np.asarray(own) > 0.5)[: design.n_max] for own in (scores0, scores1)]
    for n, (x, y) in enumerate(zip(*counts, strict=True), start=1):
        for policy, state in ((1, (n, x, y)), (0, (n, y, x))):
            if lots[n] < rule.rejection_probability(*map(np.asarray, state)):
                return policy, n
    return None


def synthesise(alpha: float, n_max: int, progress: Progress) -> tuple[PublishedRule, WorstCase]:
    """Make a rule whose proven error is at most alpha, and the proof.

    If the proof misses alpha by the little that null points leave between them, the rule is made
    again for a level that is smaller by as much.
    """
    reserve = _RESERVE
    while True:
        rule = published_rule(alpha * (1.0 - reserve), n_max, progress)
        rejection = rejection_given_counts(rule)
        proof = worst_case(rejection)
        if not rule.is_monotone() and np.any(np.diff(rejection, axis=1) < -ROUNDING):
            proof = proof._replace(error=max(proof.error, off_diagonal(rejection, proof.error)))
        if proof.error <= alpha:
            return rule, proof
        reserve += proof.error / alpha - 1.0 + _RESERVE


def off_diagonal(rejection: Doubles, target: float) -> float:
    """Largest bound over the cells that neither stay below the target nor rise with ``p1``.

    The triangle ``p1 <= p0`` is split into cells, and in each one of two things must be proven:
    that the error is at most the target, or that its derivative in ``p1`` is positive. Going up in
    ``p1`` from any point one reaches a cell of the first kind or the diagonal.
    """
    trials = rejection.shape[0] - 1
    cells = max(_CELLS_PER_PAIR * trials, _LEAST_CELLS)
    grid = np.sin(np.linspace(0.0, np.pi / 2, cells + 1)) ** 2
    low, high = grid[:-1], grid[1:]
    width = high - low
    terms = [cell_terms(trials - k, low, high) for k in (0, 1, 2)]
    whole, less = binomial_probabilities(trials, grid), binomial_probabilities(trials - 1, grid)
    by_1 = trials * np.diff(rejection, axis=1)
    pairs = trials * (trials - 1)
    bend_00 = pairs * np.abs(np.diff(rejection, n=2, axis=0))
    bend_11 = pairs * np.abs(np.diff(rejection, n=2, axis=1))
    bend_01 = trials**2 * np.abs(np.diff(np.diff(rejection, axis=0), axis=1))
    largest = 0.0
    for start in range(0, low.size, _BLOCK):
        stop = min(start + _BLOCK, low.size)
        # Cells with p1 <= p0 only: columns up to the last row of the block.
        rows, corners = slice(start, stop), slice(start, stop + 1)
        curve_00 = terms[2][rows] @ bend_00 @ terms[0][:stop].T
        curve_11 = terms[0][rows] @ bend_11 @ terms[2][:stop].T
        curve_01 = terms[1][rows] @ bend_01 @ terms[1][:stop].T
        across, along = width[rows, np.newaxis], width[np.newaxis, :stop]
        error = _corners(whole[corners] @ rejection @ whole[: stop + 1].T, np.maximum)
        error += across**2 / 8.0 * curve_00 + along**2 / 8.0 * curve_11
        slope = _corners(whole[corners] @ by_1 @ less[: stop + 1].T, np.minimum)
        # From the nearest corner of the cell it is at most half a width in each direction.
        slope -= 0.5 * (across * curve_01 + along * curve_11)
        below = low[np.newaxis, :stop] < high[rows, np.newaxis]
        unsettled = below & (slope < 0.0) & (error > target)
        largest = max(largest, float(error[unsettled].max(initial=0.0)))
    return largest


def _corners(values: Doubles, choose: np.ufunc) -> Doubles:
    rows: Doubles = choose(values[1:], values[:-1])
    result: Doubles = choose(rows[:, 1:], rows[:, :-1])
    return result


def shares(n_max: int) -> Doubles:
    """Share of alpha that may be spent by each ``t = 0, ..., n_max``; zero in the dead time."""
    dead = min(max(4, int(math.log2(n_max)) + 1), n_max - 1)
    steps = np.arange(1, n_max - dead + 2, dtype=np.float64)
    found = np.zeros(n_max + 1)
    found[dead + 1 :] = (steps / steps[-1])[1:]
    return found


def published_rates(n_max: int, rounds: int) -> Doubles:
    """Return the null points up to 1/2; more rounds keep all points.

    ``[1 / n_max, 1 - 1 / n_max]`` is cut in two at the rate with the same Kullback-Leibler
    divergence to both ends, and so are its parts; the first round cuts at 1/2.
    """
    rates = np.array([1.0 / n_max, 0.5])
    for _ in range(rounds - 1):
        low, high = rates[:-1], rates[1:]
        failure = np.log1p(-low) - np.log1p(-high)
        rates = np.sort(np.append(rates, failure / (failure + np.log(high / low))))
    return rates


class States(NamedTuple):
    """States that are reached at one time: ``m``, ``d`` and fraction of strings still running."""

    m: NDArray[np.int64]
    d: NDArray[np.int64]
    fraction: Doubles


def published_rule(alpha: float, n_max: int, progress: Progress | None = None) -> PublishedRule:
    """Synthesise the published rule: at most alpha < 1/2 at every null point, at the horizon."""
    # Only the dead time lets the difference grow freely; afterwards the boundary contains it.
    walk = Walk(n_max, 12.0)
    weights = walk.forward_weights()
    budget = shares(n_max)
    rates = published_rates(n_max, _ROUNDS)
    duals = np.zeros(rates.size)
    rejected = np.zeros(2)
    tables = _Tables(n_max)
    buffers = walk.buffers()
    padded = next(buffers)
    padded[1, 1] = 1.0
    for t in range(1, n_max + 1):
        running = combine(padded, t, walk.shape(t), weights[t])
        rejected = combine_totals(rejected, weights[t])
        if budget[t] > 0.0:
            states = _reached(running, t)
            if t == n_max:
                # Now the gaps between the null points count too, so a finer grid takes over.
                rates, duals = _refined(duals, n_max)
            likelihood = folded(binomial_probabilities(2 * t, rates))
            room = np.maximum(alpha * budget[t] - likelihood @ rejected[: t + 1], 0.0)
            mass = likelihood[:, states.m] * states.fraction
            count = np.where(states.m > 0, 2.0, 1.0)
            chosen, duals = _most_states(mass, room, count, duals)
            np.add.at(rejected, states.m, chosen * states.fraction)
            tables.record(t, states, chosen)
            pairs, parity = np.divmod(states.d, 2)
            running[pairs, parity, states.m // 2] *= 1.0 - chosen
        padded = next(buffers)
        interior(padded, walk.shape(t))[...] = running
        if progress is not None:
            progress(t, n_max)
    return tables.rule()


def _refined(duals: Doubles, n_max: int) -> tuple[Doubles, Doubles]:
    """Return a finer grid, also below the first published point, with the prices known so far."""
    below = np.arange(1, 8) / (8.0 * n_max)
    fine = np.append(below, published_rates(n_max, _FINE_ROUNDS))
    carried = np.zeros(fine.size)
    carried[below.size :: 2 ** (_FINE_ROUNDS - _ROUNDS)] = duals
    return fine, carried


def _reached(running: Doubles, t: int) -> States:
    pairs, parity, column = np.nonzero(running > 0.0)
    d = 2 * pairs + parity
    keep = d > 0
    m = 2 * column + (t - d) % 2
    return States(m[keep], d[keep], running[pairs, parity, column][keep])


def _most_states(
    mass: Doubles, room: Doubles, count: Doubles, duals: Doubles
) -> tuple[Doubles, Doubles]:
    """Maximise the number of stopped states subject to the room of every null point.

    The last prices tell most states apart: far below its price a state stops, far above it goes
    on. Only the others enter the programme; then the new prices are checked against all states and
    whatever they contradict is let in, so the result is an optimum of the whole programme.
    """
    scaled = mass / np.maximum(room, 1e-15)[:, np.newaxis]
    hopeless = scaled.max(axis=0) > 1e9
    price = duals @ mass
    known = bool(np.any(duals > 0.0))
    stop = known & (price < 0.2 * count) & (scaled.max(axis=0) < 0.1)
    go_on = hopeless | (known & (price > 5.0 * count))
    while True:
        free = np.flatnonzero(~stop & ~go_on)
        left = 1.0 - scaled @ stop
        if np.any(left < 0.0):
            stop[:] = False
            continue
        solution = linprog(
            -count[free],
            A_ub=scaled[:, free],
            b_ub=left,
            bounds=(0.0, 1.0),
            method="highs-ds",
            options={"presolve": False},
        )
        shadow = -solution.ineqlin.marginals
        price = shadow @ scaled
        wrong = (stop & (price > count)) | (go_on & ~hopeless & (price < count))
        if not wrong.any():
            break
        stop &= ~wrong
        go_on &= ~wrong
    chosen = stop.astype(np.float64)
    chosen[free] = np.clip(solution.x, 0.0, 1.0)
    chosen[chosen < _NEGLIGIBLE] = 0.0
    chosen[chosen > 1.0 - _NEGLIGIBLE] = 1.0
    return chosen, shadow / np.maximum(room, 1e-15)


class _Tables:
    def __init__(self, n_max: int) -> None:
        self.n_max = n_max
        # Beyond every reachable difference: no stop.
        self.reject_from = np.full((n_max + 1, 2 * n_max + 1), n_max + 1, dtype=np.int16)
        self.codes: list[NDArray[np.int64]] = []
        self.probabilities: list[Doubles] = []

    def record(self, t: int, states: States, chosen: Doubles) -> None:
        last = np.full(t + 1, -1, dtype=np.int64)
        np.maximum.at(last, states.m, np.where(chosen < 1.0, states.d, -1))
        parity = (t - np.arange(t + 1)) % 2
        bound = np.where(last < 0, np.where(parity == 0, 2, 1), last + 2)
        self.reject_from[t, : t + 1] = bound[::-1]
        self.reject_from[t, t : 2 * t + 1] = bound
        random = (chosen > 0.0) & (states.d < bound[states.m])
        for sign in (1, -1):
            part = random & (states.m > 0) if sign < 0 else random
            total = t - sign * states.m[part]
            low, high = (total - states.d[part]) // 2, (total + states.d[part]) // 2
            width = self.n_max + 1
            self.codes.append((t * width + low) * width + high)
            self.probabilities.append(chosen[part])

    def rule(self) -> PublishedRule:
        codes = np.concatenate([np.empty(0, np.int64), *self.codes])
        probabilities = np.concatenate([np.empty(0), *self.probabilities])
        order = np.argsort(codes)
        never_futile = np.zeros_like(self.reject_from)
        return PublishedRule(self.reject_from, never_futile, codes[order], probabilities[order])


def uniform(seed: int, n_max: int) -> Doubles:
    """Return numbers in [0, 1) by the seed and the number of pairs: a replay is exact."""
    key = _hash(_hash(np.array(seed, dtype=np.uint64)))
    mixed = _hash(key ^ _hash(np.arange(n_max + 1, dtype=np.uint64)))
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _hash(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit integers (the finaliser of SplitMix64, Steele et al. 2014)."""
    # Arithmetic modulo 2^64 is meant; numpy warns of it for single numbers.
    with np.errstate(over="ignore"):
        mixed = values + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result
