"""The efficiency benchmarks measure what they say."""

import numpy as np
import pytest

from benchmarks.efficiency import adversarial, against_step, compare, pairing
from benchmarks.efficiency.oracle import limit_growth, oracle
from benchmarks.efficiency.suite import Case, bernoulli, suite, synthetic
from stopwise.core.arrays import Floats

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

    figures = compare.as_json(setting, found)
    assert [case["name"] for case in figures["cases"]] == [case.name for case in cases]
    binary = found[0]
    assert set(binary.methods) >= {"nscore-plus", "nscore", "wsr", "oracle"}
    assert ("step" in binary.methods) == ("savi" in binary.methods) == (design == "independent")
    assert binary.decidable
    assert all(1 <= figure.ttd <= 30 for case in found for figure in case.methods.values())
    assert 0.4 < figures["families"]["all"]["ratio"]["nscore-plus"] < 1
    for table in (compare.overall, compare.others):
        assert table([figures]).count("\n") > 1
    assert compare.every_case(figures).count("\n") == 1 + len(cases)


@pytest.mark.parametrize("coupling", [-1.0, 0.0, 0.5])
def test_two_point_nulls_have_equal_means(coupling: float) -> None:
    null = adversarial.TwoPoint.at(np.array([0.5, 1.0, 0.3, 0.2, 0.9, coupling]))

    scores0, scores1 = null.draw(np.random.default_rng(0), (400, 500))

    assert scores0.mean() == pytest.approx(null.mean, abs=0.005)
    assert scores1.mean() == pytest.approx(null.mean, abs=0.005)
    assert np.sign(np.corrcoef(scores0.ravel(), scores1.ravel())[0, 1].round(2)) == np.sign(
        coupling
    )


def test_the_search_finds_the_top() -> None:
    def hill(point: Floats) -> float:
        return float(-np.sum((point - np.array([1.0, 0.8, 0.9, 0.7, 0.9])) ** 2))

    found = adversarial.search(hill, 5, 400, [], seed=0)

    assert hill(found) > -0.5


def test_step_side_by_side() -> None:
    found = against_step.alternatives(20, 50, 1, workers=1)

    assert len(found["pairs"]) == 36
    assert found["mean"]["step, optimal"]["power"] == pytest.approx(
        found["mean"]["nscore-plus"]["power"], abs=0.15
    )


def test_correlated_scores_keep_their_margins() -> None:
    case = SYNTHETIC["lev7a"]
    latent, reached = pairing.latent_correlation(case, 0.6, seed=0)

    scores = pairing.coupled(case, latent, np.random.default_rng(1), (100_000,))

    assert reached == pytest.approx(0.6, abs=0.01)
    assert np.corrcoef(*scores)[0, 1] == pytest.approx(0.6, abs=0.02)
    assert scores[0].mean() == pytest.approx(case.policy0.mean, abs=0.01)
