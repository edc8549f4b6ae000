"""RoboArena's anytime p-values against trials, for every pair, on progress and on success."""

from collections.abc import Iterator

import stopwise as sw
from benchmarks.paper.figures import Panel, p_value_panels
from benchmarks.paper.result import Cell, Result, Table, published
from benchmarks.paper.roboarena import METRICS, ranked
from benchmarks.paper.settings import Settings
from stopwise.questions.standing import PairResult

METHODS = ("nscore", "wsr", "nscore-plus")


def run(settings: Settings) -> Result:
    expected = published("p_values")["pairs"]
    curves = [(metric, method) for metric in METRICS for method in METHODS]
    rows: dict[str, dict[str, Cell]] = {}
    panels: dict[str, list[Panel]] = {}
    for done, (metric, method) in enumerate(curves, start=1):
        for name, pair in _pairs(ranked(settings.folder, metric, method)):
            column = f"{method}, {metric}"
            time = pair.n if pair.decided else None
            paper = expected.get(name, {})
            rows.setdefault(name, {})[column] = (
                Cell.exact(time, paper[column]) if column in paper else Cell.own(time)
            )
            path = pair.path
            panels.setdefault(name, []).append(Panel(column, path.n, path.p_value))
        settings.report(done / len(curves))
    columns = tuple(f"{method}, {metric}" for metric, method in curves)
    notes = (
        "Pairs of trials until the p-value, adjusted for six pairs, falls to .05; the paper prints "
        "only a few of them in its text, about 80 trials for pi0-FAST against PG-Bin on success "
        "among them.",
    )
    return Result(
        (Table("RoboArena: decision times by pair", columns, rows),),
        notes,
        {"p_values": lambda: p_value_panels(panels, 0.05)},
    )


def _pairs(analysis: sw.Analysis) -> Iterator[tuple[str, PairResult]]:
    for pair in analysis.pairs:
        yield f"{pair.policy0} / {pair.policy1}", pair
