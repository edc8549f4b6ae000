"""Runs inside the peer's own environment: seconds per step of the authors' package.

Called by ``benchmarks.speed.updates`` with the number of pairs already seen and to be timed;
prints one JSON object. Only the package's public classes are used.
"""

import json
import sys
import time

import numpy as np
from nscore.nonparametric_nsm import ContinuousNsmTest  # type: ignore[import-not-found]
from nscore.savi import SaviTest  # type: ignore[import-not-found]
from nscore.wsr import WsrComparisonTest  # type: ignore[import-not-found]
from statistical_comparison_core.base import (  # type: ignore[import-not-found]
    TwoSampleMeanHypothesis,
)

BETTER = TwoSampleMeanHypothesis.P0LessThanP1
WARM_UP = 10


def seconds_per_step(test: object, steps: int, *, binary: bool = False) -> float:
    rng = np.random.default_rng(0)
    times = []
    for index in range(WARM_UP + steps):
        scores = rng.random(), rng.random() ** 0.6
        if binary:
            scores = float(scores[0] > 0.5), float(scores[1] > 0.5)
        start = time.perf_counter()
        test.step(*scores)  # type: ignore[attr-defined]
        if index >= WARM_UP:
            times.append(time.perf_counter() - start)
    return float(np.median(times))


if __name__ == "__main__":
    steps = int(sys.argv[1])
    print(
        json.dumps(
            {
                "nscore, 10 bins": seconds_per_step(
                    ContinuousNsmTest(BETTER, 0.05, np.linspace(0, 1, 10)), steps
                ),
                "nscore, 21 bins": seconds_per_step(
                    ContinuousNsmTest(BETTER, 0.05, np.linspace(0, 1, 21)), steps
                ),
                "wsr": seconds_per_step(WsrComparisonTest(BETTER, 0.05), steps),
                "savi": seconds_per_step(SaviTest(BETTER, 0.05), steps, binary=True),
            }
        )
    )
