"""The published STEP rule: at every time, stop in as many states as the risk budget allows.

Snyder et al. (2025), "Is your imitation learning policy better than mine? Policy comparison with
near-optimal stopping". Written from the mathematics. The mass of a state under a null point is a
binomial factor times the fraction of strings still running, and that fraction does not depend on
the null point: one forward pass serves all of them. At each time a linear programme chooses the
stopping probabilities of the states (each with its mirror under exchanging success and failure, so
half the null points suffice).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Doubles
from stopwise.core.step.evaluation import binomial_probabilities
from stopwise.core.step.null_points import folded, published_rates
from stopwise.core.step.risk_budget import RiskBudget
from stopwise.core.step.stopping_rule import Rule
from stopwise.core.step.walk import Walk, combine, combine_totals, interior

# 2 ** rounds + 1 null points over the whole scale: 129 as published, 513 at the horizon.
_ROUNDS, _FINE_ROUNDS = 7, 9
_NEGLIGIBLE = 1e-9


class States(NamedTuple):
    """States that are reached at one time: ``m``, ``d`` and fraction of strings still running."""

    m: NDArray[np.int64]
    d: NDArray[np.int64]
    fraction: Doubles


def published_rule(
    alpha: float, n_max: int, budget: RiskBudget, progress: Callable[[int, int], None] | None = None
) -> Rule:
    """Synthesise the published rule: at most alpha < 1/2 at every null point, at the horizon."""
    # Only the dead time lets the difference grow freely; afterwards the boundary contains it.
    walk = Walk(n_max, 12.0)
    weights = walk.forward_weights()
    shares = budget.shares(n_max)
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
        if shares[t] > 0.0:
            states = _reached(running, t)
            if t == n_max:
                # Now the gaps between the null points count too, so a finer grid takes over.
                rates, duals = _refined(duals, n_max)
            likelihood = folded(binomial_probabilities(2 * t, rates))
            room = np.maximum(alpha * shares[t] - likelihood @ rejected[: t + 1], 0.0)
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
    from scipy.optimize import linprog  # a third of the package's start-up, for this table only

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
    """Collects the decisions of each time into the tables of a `Rule`."""

    def __init__(self, n_max: int) -> None:
        self.n_max = n_max
        # Beyond every reachable difference: no stop.
        self.reject_from = np.full((n_max + 1, 2 * n_max + 1), n_max + 1, dtype=np.int16)
        self.codes: list[NDArray[np.int64]] = []
        self.probabilities: list[Doubles] = []

    def record(self, t: int, states: States, chosen: Doubles) -> None:
        """Store the decisions at time ``t``; everything above the last state that goes on stops."""
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

    def rule(self) -> Rule:
        """Return the rule, with its randomised states in sorted order."""
        codes = np.concatenate([np.empty(0, np.int64), *self.codes])
        probabilities = np.concatenate([np.empty(0), *self.probabilities])
        order = np.argsort(codes)
        never_futile = np.zeros_like(self.reject_from)
        return Rule(self.reject_from, never_futile, codes[order], probabilities[order])
