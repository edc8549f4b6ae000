"""Table A.I on our MuJoCo returns: all pairs of the policies that every task has, N = 1000."""

from itertools import combinations

from .mujoco import COMMON, NOT_PUBLIC, pair_tables, published_totals
from .result import Result, published
from .settings import Settings


def run(settings: Settings) -> Result:
    """Recompute the layout of the table on our returns."""
    return Result(
        pair_tables(settings, tuple(combinations(COMMON, 2)), "Table A.I, our returns"),
        (NOT_PUBLIC, published_totals(published("table_a1")["totals"])),
    )
