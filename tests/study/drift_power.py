"""How often a change of the rig is found: ``python -m tests.study.drift_power --runs 1000``."""

import argparse
import sys

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.drift import changed
from stopwise.study.level_drift import LEVEL

DAYS = 10
# What is scored, by the level before and after, and its numbers: of days before, of scores a day,
# of scores in each mean, and of kinds of scores that share the level.
CASES: dict[str, tuple[float, float, int, int, int, int]] = {
    "drift check, 3 a day, .8 to .5 after day 2": (0.8, 0.5, 2, 3, 1, 2),
    "drift check, 3 a day, .8 to .5 after day 5": (0.8, 0.5, 5, 3, 1, 2),
    "drift check, 3 a day, .98 to .5 after day 5": (0.98, 0.5, 5, 3, 1, 2),
    "drift check, 10 a day, .98 to .5 after day 2": (0.98, 0.5, 2, 10, 1, 2),
    "drift check, 3 a day, graded, .8 to .6 (sd .1) after day 2": (0.8, 0.6, 2, 3, 0, 2),
    "drift check, 3 a day, graded, .8 to .6 (sd .1) after day 5": (0.8, 0.6, 5, 3, 0, 2),
    "2 policies, 10 rows a day, .8 to .5 after day 2": (0.8, 0.5, 2, 10, 2, 1),
    "2 policies, 10 rows a day, .8 to .6 after day 5": (0.8, 0.6, 5, 10, 2, 1),
    "5 policies, 10 rows a day, .8 to .5 after day 2": (0.8, 0.5, 2, 10, 5, 1),
    "2 policies, 10 rows a day, no change": (0.8, 0.8, 2, 10, 2, 1),
}


def drawn(rng: np.random.Generator, level: Floats, of: int) -> Floats:
    """Return scores about these levels: means of so many successes, or graded ones if of none."""
    if not of:
        return np.clip(rng.normal(level, 0.1), 0.0, 1.0)
    means: Floats = (rng.random((level.size, of)) < level[:, None]).mean(axis=1)
    return means


def share_found(case: str, runs: int, seed: int = 0) -> float:
    """Return the share of studies of ten days that are warned of."""
    before, after, days, a_day, of, kinds = CASES[case]
    level = np.where(np.arange(DAYS * a_day) < days * a_day, before, after)
    rng = np.random.default_rng(seed)
    ways = [changed(tuple(drawn(rng, level, of).tolist()), LEVEL / kinds) for _ in range(runs)]
    return sum(way is not None for way in ways) / runs


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    for case in CASES:
        sys.stdout.write(f"| {case} | {share_found(case, runs):.1%} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
