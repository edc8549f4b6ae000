"""What decided studies show when they stop: the plain mean, and the estimate that does not flatter.

Run ``python -m benchmarks.efficiency.at_stop``.
"""

from argparse import Namespace
from zlib import crc32

import numpy as np
from rich.table import Table

from benchmarks.efficiency.suite import Case, held_out, suite
from benchmarks.program import Found, benchmark, tracked
from stopwise.core.arrays import Bools, Floats
from stopwise.core.rules import Rules
from stopwise.questions.intervals import difference_intervals
from stopwise.questions.pairs import PairTests, replay

N_MAX = 200
# Studies of a case, of which so many are decided, count; the others show nothing at the stop.
LEAST_DECIDED = 0.2
WHAT = ("bias", "error", "beyond")


def at_stop(rules: Rules, scores: Floats) -> tuple[Bools, Floats, Floats]:
    """Decisions for policy 1 (runs, rows, 2), with means and estimates."""
    ranking = PairTests(rules)
    outcome = replay(ranking.comparison, ranking.budget, scores, with_trace=True)
    columns = [tuple(own[:n].T) for own, n in zip(scores, outcome.n[:, 0].tolist(), strict=True)]
    claims = outcome.claims[:, 0]
    *_, estimates = difference_intervals(
        ranking.comparison, columns, outcome.levels[:, 0], outcome.record, claims
    )
    means = np.array([(scores1 - scores0).mean() for scores0, scores1 in columns])
    return claims[:, 0], means, estimates


def of_case(case: Case, rules: Rules, runs: int) -> dict[str, float] | None:
    """Return the figures of one case, in shares of its true gap; None if too few are decided."""
    scores = np.stack(case.draw(crc32(b"at stop"), runs, N_MAX), axis=-1)
    decided, means, estimates = at_stop(rules, scores)
    if decided.mean() < LEAST_DECIDED:
        return None
    gap = case.policy1.mean - case.policy0.mean
    figures = {"decided": float(decided.mean())}
    for name, shown in (("mean", means), ("estimate", estimates)):
        own = shown[decided]
        figures[f"{name} bias"] = float(own.mean() / gap - 1)
        figures[f"{name} error"] = float(np.sqrt(np.mean((own / gap - 1) ** 2)))
        figures[f"{name} beyond"] = float(np.mean(decided & (shown > gap)))
    return figures


@benchmark(runs=100)
def main(options: Namespace) -> Found:
    names = ("decided", *(f"{of} {what}" for of in ("mean", "estimate") for what in WHAT))
    table = Table("family", "cases", *names, title=f"n_max {N_MAX}, two-sided, alpha .05")
    rules = Rules(policies=("a", "b"), n_max=N_MAX)
    by_family: dict[str, list[dict[str, float]]] = {}
    for case in tracked([*suite(), *held_out()], "cases"):
        figures = of_case(case, rules, options.runs)
        if figures is not None:
            by_family.setdefault(case.family, []).append(figures)
    rows = {"all": [own for found in by_family.values() for own in found], **by_family}
    summary = {
        family: {name: float(np.mean([own[name] for own in found])) for name in names}
        for family, found in rows.items()
    }
    for family, figures in summary.items():
        shown = (f"{figures[name]:.2f}" for name in names)
        table.add_row(family, str(len(rows[family])), *shown)
    worst = max(own["estimate beyond"] for own in rows["all"])
    return Found([table, f"beyond the truth in the worst case: {worst:.2f}"])
