"""Table A.I on our MuJoCo returns: all pairs of the policies that every task has, N = 1000."""

from itertools import combinations

from benchmarks.paper.mujoco import COMMON, NOT_PUBLIC, pair_figures, pair_tables, published_totals
from benchmarks.paper.result import Result, published
from benchmarks.paper.settings import Settings


def run(settings: Settings) -> Result:
    tables = pair_tables(settings, tuple(combinations(COMMON, 2)), "Table A.I, our returns")
    totals = published_totals(published("table_a1")["totals"])
    return Result(tables, (NOT_PUBLIC, totals), pair_figures(tables))
