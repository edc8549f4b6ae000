"""The efficiency benchmarks measure what they say."""

import numpy as np
import pytest

from benchmarks.efficiency import compare
from benchmarks.efficiency.oracle import limit_growth, oracle
from benchmarks.efficiency.suite import Case, bernoulli, suite, synthetic

SYNTHETIC = {case.name: case for case in synthetic()}


def test_every_case_is_an_alternative_within_the_bounds() -> None:
    cases = suite()

    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert case.policy1.mean > case.policy0.mean, case.name
        for policy, scores in zip((case.policy0, case.policy1), case.draw(1, 40, 60), strict=True):
            assert scores.shape == (40, 60)
            assert 0 <= scores.min() <= scores.max() <= 1, case.name
            deviation = np.sqrt(policy.weights @ (policy.values - policy.mean) ** 2)
            assert abs(scores.mean() - policy.mean) <= 5 * deviation / np.sqrt(2400) + 1e-9


@pytest.mark.parametrize(("p0", "p1"), [(0.1, 0.3), (0.45, 0.55), (0.2, 0.9)])
def test_oracle_of_bernoulli_scores_is_the_likelihood_ratio(p0: float, p1: float) -> None:
    """To the closest null, in which both succeed at the rate q."""
    q = (p0 + p1) / 2
    closed_form = sum(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)) for p in (p0, p1))

    best = oracle(Case("pair", "Bernoulli", bernoulli(p0), bernoulli(p1)))

    assert best.growth == pytest.approx(closed_form, rel=1e-6)
    assert best.b == pytest.approx((p1 - q) / (q * (1 - q)), rel=1e-3)


@pytest.mark.parametrize("name", ["poly0", "polyflip10", "beta 50,50/53,47", "lev14c", "bim2"])
def test_oracle_growth_equals_the_dual_limit(name: str) -> None:
    case = SYNTHETIC[name]

    growth = oracle(case).growth

    assert growth == pytest.approx(limit_growth(case.policy0, case.policy1), rel=1e-5)
    assert oracle(case, "paired").growth <= growth * (1 + 1e-3)


@pytest.mark.parametrize("design", ["independent", "paired"])
def test_a_small_comparison(design: str) -> None:
    cases = [SYNTHETIC[name] for name in ("bern 0.25/0.75", "lev3d", "beta 5,5/6,4")]
    oracles = {case.name: oracle(case, design) for case in cases}
    setting = compare.Setting(n=30, alpha=0.05, runs=40, design=design, seed=1)

    found = compare.measure(cases, oracles, setting, workers=1)

    figures = compare.summary(setting, found)
    assert set(found[0].methods) == {"nscore-plus", "nscore", "wsr", "oracle"}
    assert found[0].decidable
    assert all(1 <= figure.ttd <= 30 for case in found for figure in case.methods.values())
    assert 0.4 < figures["ratio"]["nscore-plus"] < 1
    assert compare.overall([figures]).count("\n") > 1
