"""The simulator: the same methods on thousands of streams at once."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stopwise.core.arrays import Floats, Ints, of_runs
from stopwise.core.keywords import flat
from stopwise.core.pair_test import EQUIVALENT, PairTest
from stopwise.core.rules import Rules, pair_rules
from stopwise.core.scores import require_whole
from stopwise.core.settings import PairSettings
from stopwise.errors import InvalidInput

# Runs per block: states of a block stay in the processor's cache, and memory stays bounded.
BLOCK = 1024
# Columns scaled at once: as many scores as the processor reads from memory together.
SCALED = 8


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """The outcome of many simulated studies; arrays are read-only.

    Attributes
    ----------
    n
        Pairs used per run: until the decision (or a binding futility stop), or all.
    decision
        1 where policy 1 was declared better, 0 where policy 0, 2 where both were declared
        practically the same (with ``equivalence``), -1 where undecided.
    log_e, p_value
        Evidence when the run stopped; compare with 1/alpha and alpha.
    rules
        What was declared.
    """

    n: Ints
    decision: Ints
    log_e: Floats
    p_value: Floats
    rules: Rules

    def __post_init__(self) -> None:
        for array in (self.n, self.decision, self.log_e, self.p_value):
            array.setflags(write=False)

    def __repr__(self) -> str:
        ends = ", ".join(f"{self.rate(end):.3g} of {end}" for end in np.unique(self.decision))
        return (
            f"<Simulation: {self.n.size} runs by {self.rules.method}, mean pairs "
            f"{self.n.mean():.4g}, decisions {ends}>"
        )

    def rate(self, decision: int) -> float:
        """Return the share of runs that ended with this decision (1, 0, 2 or -1)."""
        return float(np.mean(self.decision == decision))


@flat(PairSettings)
def simulate(
    method: str,
    scores0: ArrayLike,
    scores1: ArrayLike | None = None,
    *,
    alpha: float = 0.05,
    n_max: int | None = None,
    proxy: tuple[ArrayLike, ArrayLike] | None = None,
    proxy_scores: ArrayLike | None = None,
    workers: int | None = None,
    **settings: Unpack[PairSettings],
) -> Simulation:
    """Run a method on every row of two score arrays, each row one study.

    The formulas are those of ``SequentialTest``: the same scores give the same decision and
    the same evidence. Memory beyond the input does not grow with the number of runs.

    Parameters
    ----------
    method, alpha, n_max, **settings
        As for ``SequentialTest``. Columns beyond n_max are not used.
    scores0, scores1
        Arrays (runs, n) of the scores of both policies; with a reference, of the policy alone.
    proxy, proxy_scores
        Arrays (runs, n) of a proxy's scores of policy 0 and of policy 1 in the same scenes; and, if
        ``proxy_mean`` is not known, simulated scenes (M, 2) apart from them, for all studies. What
        shares of runs show is then true of these scenes; alpha holds over scenes drawn anew.
    workers
        Threads; all cores by default. The result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> import stopwise as sw
    >>> rng = np.random.default_rng(1)
    >>> scores0, scores1 = rng.random((500, 100)) < 0.3, rng.random((500, 100)) < 0.7
    >>> sim = sw.simulate("nscore", scores0, scores1, bins=2)
    >>> bool(sim.rate(1) > 0.95), bool(20 < sim.n.mean() < 35)
    (True, True)
    """
    declared = {"method": method, "alpha": alpha, "n_max": n_max, "proxy_scores": proxy_scores}
    rules = pair_rules(**declared, **settings)
    return run_studies(rules, scores0, scores1, proxy=proxy, workers=workers)


def run_studies(
    rules: Rules,
    scores0: ArrayLike,
    scores1: ArrayLike | None = None,
    *,
    proxy: tuple[ArrayLike, ArrayLike] | None = None,
    workers: int | None = None,
) -> Simulation:
    """Run studies of two policies under rules that were checked; otherwise as ``simulate``."""
    comparison = PairTest(rules)
    array0, array1 = rules.reading.both(scores0, scores1)
    if array0.ndim != 2 or array0.shape != array1.shape:
        raise InvalidInput(
            "both policies need arrays of the same shape (runs, n), but got shapes "
            f"{array0.shape} and {array1.shape}"
        )
    guesses = rules.reading.beside(proxy, array0.shape)
    runs, n = array0.shape
    if rules.n_max is not None:
        n = min(n, rules.n_max)
    if workers is not None:
        require_whole(workers, "workers", 1)
    blocks = [slice(start, min(start + BLOCK, runs)) for start in range(0, runs, BLOCK)]
    for block in blocks:
        comparison.check_both(array0[block, :n], array1[block, :n])
    both: tuple[NDArray[Any], ...] = (array0, array1)
    if guesses is not None:  # behind the scores, along a first axis
        both = tuple(np.stack(scores) for scores in zip(both, guesses, strict=True))
    cut = [[part[..., block, :n] for block in blocks] for part in both]
    with ThreadPoolExecutor(max_workers=workers or os.cpu_count()) as pool:
        parts = list(pool.map(partial(_run_block, comparison), *cut))
    if not parts:
        return Simulation(np.empty(0, int), np.empty(0, int), np.empty(0), np.empty(0), rules)
    used, decision, log_e, p_value = map(np.concatenate, zip(*parts, strict=True))
    return Simulation(used, decision, log_e, p_value, rules)


def _run_block(
    comparison: PairTest, scores0: NDArray[Any], scores1: NDArray[Any]
) -> tuple[Ints, Ints, Floats, Floats]:
    """Run one block of studies, dropping each as soon as it is decided."""
    runs, n = scores0.shape[-2:]
    used, decision = np.full(runs, n), np.full(runs, -1)
    log_e, p_value = np.zeros(runs), np.ones(runs)
    rows = np.arange(runs)
    seen = comparison.start((runs,))
    columns = (_unit_columns(comparison, scores) for scores in (scores0, scores1))
    for pairs, (r0, r1) in enumerate(zip(*columns, strict=True), start=1):
        directed = comparison.directed(r0.take(rows, axis=-1), r1.take(rows, axis=-1))
        seen = comparison.observe(seen, *directed)
        ends, winner = comparison.end(seen)
        if comparison.test.stops_at_futility:
            winner = np.where(ends, winner, -1)
            ends = ends | comparison.hopeless(seen)
        if ends.any():
            stopped, ended = rows[ends], of_runs(seen, np.flatnonzero(ends))
            used[stopped] = pairs
            decision[stopped] = np.broadcast_to(winner, ends.shape)[ends]
            log_e[stopped] = comparison.log_e(ended)
            p_value[stopped] = comparison.p_value(ended, decision[stopped] == EQUIVALENT)
            going = np.flatnonzero(~ends)
            rows, seen = rows.take(going), of_runs(seen, going)
            if not rows.size:
                break
    log_e[rows], p_value[rows] = comparison.log_e(seen), comparison.p_value(seen)
    return used, decision, log_e, p_value


def _unit_columns(comparison: PairTest, scores: NDArray[Any]) -> Iterator[Floats]:
    """Yield the scores of all runs in [0, 1], pair by pair; some columns at a time are quicker."""
    for start in range(0, scores.shape[-1], SCALED):
        columns = np.moveaxis(scores[..., start : start + SCALED], -1, 0)
        yield from comparison.scale.unit(np.ascontiguousarray(columns))
