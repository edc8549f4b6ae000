"""Midway forecasts on real data: stated chances against how often the verdict came."""

import numpy as np

from benchmarks.efficiency.forecast_calibration import Case, cases, sources


def test_forecasts_on_permuted_real_data_are_calibrated() -> None:
    """Every fourth pair of policies in one random order; the whole is in the benchmark.

    Chances near 0 and 1 and in between must be near the truth, and squared misses far below those
    of one chance for all: forecasts of another study (drawn from other data) would fail, and so
    would a prior with the fixed weight of three trials, which is too hopeful in between.
    """
    rng = np.random.default_rng(7)
    found: list[Case] = []
    for source in list(sources())[::4]:
        found += cases(source, rng, runs=60)
    stated = np.array([case.stated for case in found])
    came = np.array([case.verdict for case in found], dtype=float)

    assert len(found) > 60
    assert abs(came.mean() - stated.mean()) < 0.08
    assert came[stated < 0.05].mean() < 0.1
    between = (stated >= 0.05) & (stated <= 0.95)
    assert abs(came[between].mean() - stated[between].mean()) < 0.12
    assert came[stated > 0.95].mean() > 0.85
    assert np.mean((stated - came) ** 2) < 0.65 * came.var()
