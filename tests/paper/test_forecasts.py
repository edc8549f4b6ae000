"""Midway forecasts on real data: stated chances against how often the verdict came."""

import numpy as np

from benchmarks.efficiency.forecast_calibration import Case, cases, sources


def test_forecasts_on_permuted_real_data_are_calibrated() -> None:
    """Every fourth pair of policies in one random order; the whole is in the benchmark.

    Chances near 0 and 1 must be near the truth, and squared misses must be far below those of one
    chance for all: forecasts of another study (drawn from other data) would fail.
    """
    rng = np.random.default_rng(7)
    found: list[Case] = []
    for source in list(sources())[::4]:
        found += cases(source, rng, runs=60)
    stated = np.array([case.stated for case in found])
    came = np.array([case.verdict for case in found], dtype=float)

    assert len(found) > 60
    assert abs(came.mean() - stated.mean()) < 0.12
    assert came[stated < 0.05].mean() < 0.05
    assert came[stated > 0.95].mean() > 0.85
    assert np.mean((stated - came) ** 2) < 0.75 * came.var()
