"""Table III on our MuJoCo returns: two comparisons over all tasks, N = 1000."""

from benchmarks.paper.mujoco import NOT_PUBLIC, pair_figures, pair_tables, published_totals
from benchmarks.paper.result import Result, published
from benchmarks.paper.settings import Settings

# The paper's PPO vs. DDPG and SAC vs. TD3 are not in our data on every task.
PAIRS = (("ppo", "a2c"), ("trpo", "ars"))


def run(settings: Settings) -> Result:
    tables = pair_tables(settings, PAIRS, "Table III, our returns")
    totals = published("table_a1")["totals"]
    shown = {name: totals[name] for name in ("PPO vs. DDPG", "SAC vs. TD3")}
    return Result(tables, (NOT_PUBLIC, published_totals(shown)), pair_figures(tables))
