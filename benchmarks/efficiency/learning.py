"""What ``nscore-plus`` pays for not knowing the scores: its TTD if it were told about them.

Run ``python -m benchmarks.efficiency.learning`` (about 4 minutes on 2 cores). On each case of the
suite the estimates that size the bets are replaced by the truth, all but the effect: the means
alone, the variance alone, or both and that there are no failures yet to come. Nobody could know
these; the last column is what better estimates could gain at most.
"""

from argparse import Namespace
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import stopwise as sw
from benchmarks.document import markdown
from benchmarks.efficiency.suite import SEPARATE, Case, suite
from benchmarks.program import Found, benchmark, tracked
from stopwise.core.arrays import Floats
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.nscore_plus.estimates import Estimates
from stopwise.core.nscore_plus.state import Sums

ALPHA = 0.05
TOLD: dict[str, frozenset[str]] = {
    "as it is": frozenset(),
    "told the means": frozenset({"means"}),
    "told the variance": frozenset({"variance"}),
    "told all but the effect": frozenset({"means", "variance", "no failures"}),
}


@dataclass(frozen=True)
class Truth:
    """Moments of both policies' scores."""

    mean0: float
    mean1: float
    variance: float  # of a difference, as the method estimates it


@dataclass(frozen=True, kw_only=True)
class Told(NScorePlus):
    """The method, told some of the truth about one case (independent design)."""

    truth: Truth
    told: frozenset[str]

    def _estimates(self, sums: Sums, margin: Floats | float) -> Estimates:
        found = super()._estimates(sums, margin)
        if "means" in self.told:
            found = found._replace(
                mean0=np.full_like(found.mean0, self.truth.mean0),
                mean1=np.full_like(found.mean1, self.truth.mean1),
                doubt=np.zeros_like(found.doubt),
            )
        if "variance" in self.told:
            found = found._replace(variance=np.full_like(found.variance, self.truth.variance))
        return found

    def _rare_failures(self, amount: Floats, *others: Any) -> Floats:
        if "no failures" in self.told:
            return amount
        return super()._rare_failures(amount, *others)


def stops(method: NScorePlus, scores0: Floats, scores1: Floats) -> tuple[float, float]:
    """Return the mean number of pairs until the decision, and the power."""
    runs, n = scores0.shape
    state = method.start((runs,))
    pairs = np.full(runs, n)
    decided = np.zeros(runs, dtype=bool)
    for column in range(n):
        state = method.step(state, scores0[:, column], scores1[:, column])
        new = method.evidence(state).rejected & ~decided
        pairs[new] = column + 1
        decided |= new
        if decided.all():
            break
    return float(pairs.mean()), float(decided.mean())


def truth_about(case: Case) -> Truth:
    """Return the moments of a case as the method would estimate them from many scores."""
    policies = case.policy0, case.policy1
    variance = sum(
        float(policy.weights @ (policy.values - policy.mean) ** 2) for policy in policies
    )
    effect = case.policy1.mean - case.policy0.mean
    # half of the part that is due to the effect is left in
    return Truth(case.policy0.mean, case.policy1.mean, variance + effect**2 / 4)


def measure(case: Case, n: int, runs: int) -> dict[str, Any]:
    """Return TTD and power of ``nscore`` and of each column on one case."""
    scores0, scores1 = case.draw(1, runs, n)
    reference = sw.simulate(
        "nscore", scores0, scores1, alpha=ALPHA, n_max=n, bins=21, workers=1, alternative="greater"
    )
    truth = truth_about(case)
    found = {
        name: stops(Told(alpha=ALPHA, n_max=n, told=told, truth=truth), scores0, scores1)
        for name, told in TOLD.items()
    }
    found["nscore"] = float(reference.n.mean()), reference.rate(1)
    return {"name": case.name, "family": case.family, "figures": found}


def ratios(cases: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the geometric means of TTD relative to ``nscore`` over the decidable cases."""
    figures = [case["figures"] for case in cases]
    kept = [row for row in figures if max(row["nscore"][1], row["as it is"][1]) >= 0.5]
    return {
        name: float(np.exp(np.mean([np.log(row[name][0] / row["nscore"][0]) for row in kept])))
        for name in TOLD
        if kept
    }


def table(figures: dict[str, dict[str, dict[str, float]]]) -> str:
    """Return our ratio by family, as it is and if it were told about the scores."""
    rows = [
        [n, family, *(f"{row[name]:.3f}" for name in TOLD)]
        for n, found in figures.items()
        for family, row in found.items()
        if row
    ]
    return markdown(["N", "family", *TOLD], rows)


@benchmark(n=[50, 200, 1000], runs=(100, "per case"), json=Path)
def main(options: Namespace) -> Found:
    """Print the table."""
    cases = [case for case in suite() if case.family not in SEPARATE]
    written: dict[str, Any] = {}
    for n in options.n:
        with ThreadPoolExecutor() as pool:
            tasks = pool.map(measure, cases, [n] * len(cases), [options.runs] * len(cases))
            found = list(tracked(tasks, f"N = {n}", len(cases)))
        families = dict.fromkeys(case["family"] for case in found)
        groups = {name: [case for case in found if case["family"] == name] for name in families}
        written[str(n)] = {name: ratios(group) for name, group in {**groups, "all": found}.items()}
    return Found([table(written)], written)
