"""Runs inside the peers' own environment: when each of them stops, on the same scores.

Called by ``benchmarks.efficiency.peers`` with a file of scores; prints one JSON object, pairs until
the stop by peer and case, 0 where there was none. Only public functions of the packages are used.
"""

import json
import sys

import numpy as np
import ville  # type: ignore[import-not-found]
from fieldtrial.stats import capital_process  # type: ignore[import-not-found]
from orbit_eval.gate.records import GateConfig  # type: ignore[import-not-found]
from orbit_eval.gate.sequential import EpisodeSequential  # type: ignore[import-not-found]
from verdikt import sequential  # type: ignore[import-not-found]

ALPHA = 0.05


def ville_stop(scores0: np.ndarray, scores1: np.ndarray) -> int:
    test = ville.BettingTest(0.0, bounds=(-1.0, 1.0), alternative="greater", alpha=ALPHA)
    return int(test.fit(scores1 - scores0).stopping_time(ALPHA) or 0)


def fieldtrial_stop(scores0: np.ndarray, scores1: np.ndarray) -> int:
    """Time at which the capital of fieldtrial's paired anytime test first exceeds 1/alpha."""
    capital = capital_process((scores1 - scores0 + 1.0) / 2.0, 0.5, ALPHA, "greater")
    crossed = np.flatnonzero(np.asarray(capital) > 1.0 / ALPHA)
    return int(crossed[0]) + 1 if crossed.size else 0


def verdikt_stop(scores0: np.ndarray, scores1: np.ndarray) -> int:
    """Stopping time of verdikt's two-sided test; it has no one-sided one."""
    return int(sequential.run(scores0, scores1, alpha=ALPHA).stopped_at or 0)


def orbit_stop(scores0: np.ndarray, scores1: np.ndarray) -> int:
    """Time at which the evidence of orbit's gate for "ship" reaches 1/alpha; successes only."""
    gate = EpisodeSequential(GateConfig(alpha=ALPHA, selection="final"), track_cs=False)
    for n, (score0, score1) in enumerate(zip(scores0, scores1, strict=True), start=1):
        gate.update(bool(score0), bool(score1))
        if gate.max_log_e_ship >= -np.log(ALPHA):
            return n
    return 0


PEERS = {
    "ville": ville_stop,
    "fieldtrial": fieldtrial_stop,
    "verdikt": verdikt_stop,
    "orbit": orbit_stop,
}


if __name__ == "__main__":
    with np.load(sys.argv[1]) as cases:
        stops = {
            peer: {
                name: [stop(*pair) for pair in zip(*cases[name].astype(float), strict=True)]
                for name in cases.files
                if peer != "orbit" or "success" in name
            }
            for peer, stop in PEERS.items()
        }
    print(json.dumps(stops))
