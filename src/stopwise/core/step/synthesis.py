"""Make a rule for a level and a horizon, and prove that it keeps the level."""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from stopwise.core.progress import Progress
from stopwise.core.step.alternatives import cost_arrays, default_alternatives
from stopwise.core.step.evaluation import rejection_given_counts
from stopwise.core.step.induction import Regions, best_regions, unfold
from stopwise.core.step.lagrangian import Problem, solve
from stopwise.core.step.stopping_rule import Rule
from stopwise.core.step.walk import Integers, Walk
from stopwise.core.step.worst_case import WorstCase, worst_case

# Left unspent, so that the gaps between null points stay within alpha as well.
_RESERVE = 1e-4
_BAND = 5.0


class Synthesis(NamedTuple):
    """A rule, the proof of its level, and a lower bound of the objective."""

    rule: Rule
    worst_case: WorstCase
    lower_bound: float


def synthesise(alpha: float, n_max: int, *, binding: bool, progress: Progress) -> Synthesis:
    """Make a rule whose proven error is at most alpha, with futility stops."""
    reserve = _RESERVE
    while True:
        rule, lower_bound = _optimal(alpha, n_max, reserve, binding, progress)
        monotone = rule.is_monotone() and not binding
        rejection = rejection_given_counts(rule, heed_futility=binding)
        proof = worst_case(rejection, monotone=monotone)
        if proof.error <= alpha:
            return Synthesis(rule, proof, lower_bound)
        reserve += proof.error / alpha - 1.0 + _RESERVE


def _optimal(
    alpha: float, n_max: int, reserve: float, binding: bool, progress: Progress
) -> tuple[Rule, float]:
    # Short horizons are cheap, and there single states matter most: search them harder.
    ascent, search, keep = (30, 50, 20) if n_max <= 60 else (20, 14, 1)
    alternatives = default_alternatives(n_max, "binding" if binding else "decision")
    band = _band(alpha, n_max)
    while True:
        problem = Problem(alpha, n_max, alternatives, reserve=reserve, futility=binding, band=band)
        report = _counter(progress, ascent + search)
        solution = solve(problem, (ascent, search), keep, report)
        if solution.band_is_wide_enough:
            break
        band += 1.0
    regions = solution.regions
    if not binding:
        regions = Regions(_advice(problem.walk, n_max, regions.reject_from), regions.reject_from)
    rule = Rule(unfold(regions.reject_from), unfold(regions.continue_from))
    return rule, solution.lower_bound


def _counter(progress: Progress, total: int) -> Callable[[], None]:
    done = itertools.count(1)
    return lambda: progress(min(next(done), total), total)


def _advice(walk: Walk, n_max: int, reject_from: Integers) -> Integers:
    """Futility stops that suit a given rejection region, at no price for its errors."""
    costs = cost_arrays(walk, default_alternatives(n_max, "advice"))
    free = np.zeros(n_max + 1)
    _, regions = best_regions(
        walk, walk.backward_weights(), costs, free, futility=True, reject_from=reject_from
    )
    return regions.continue_from


def _band(alpha: float, n_max: int) -> float:
    """Width of the walk: well beyond a boundary that is crossed with probability alpha."""
    return max(_BAND, 1.0 - float(ndtri(alpha / n_max)))
