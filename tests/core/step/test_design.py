"""Figures of the designs: level, power, expected pairs, certificate.

Reference figures: the published implementation, run on its own (power, expected
pairs at four pairs of rates, means over the 36 pairs of tenths, alpha .05).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stopwise.core.step.design import StepDesign
from stopwise.core.step.design_lookup import estimated_seconds, step_design
from stopwise.errors import InvalidInput

Designed = Callable[..., StepDesign]
POINTS = np.array([(0.5, 0.6), (0.1, 0.2), (0.85, 0.95), (0.3, 0.6)]).T
TENTHS = np.array([(a / 10, b / 10) for b in range(1, 10) for a in range(1, b)]).T
REFERENCE = {
    50: ([0.2250, 0.3391, 0.4271, 0.8826], [45.35, 43.45, 42.08, 27.92], 0.7535, 27.04),
    200: ([0.5642, 0.8243, 0.9335, 1.0000], [150.40, 119.21, 98.92, 41.89], 0.9237, 58.00),
}


@pytest.mark.parametrize("n_max", [50, 200])
def test_optimal_table_needs_fewer_pairs_at_equal_power(designed: Designed, n_max: int) -> None:
    design = designed(0.05, n_max)
    power, _, mean_power, mean_pairs = REFERENCE[n_max]
    assert np.all(design.power(*POINTS) >= np.array(power) - 0.005)
    assert design.power(*TENTHS).mean() >= mean_power - 0.005
    assert design.expected_n(*TENTHS).mean() <= 0.98 * mean_pairs


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.05 / 6])
@pytest.mark.parametrize("n_max", [20, 50, 100, 200])
def test_error_is_at_most_alpha(designed: Designed, n_max: int, alpha: float) -> None:
    design = designed(alpha, n_max)
    worst = design.worst_case()
    rates = np.concatenate([np.linspace(0.0, 1.0, 1001), np.geomspace(1e-5, 0.1, 200)])
    assert worst.error <= alpha
    assert worst.attained <= worst.error <= worst.attained * (1 + 1e-4) + 1e-10
    assert np.all(design.error(rates) <= worst.error)
    assert design.error(worst.rate) == pytest.approx(worst.attained, abs=1e-10)
    above = np.random.default_rng(0).random((2, 2000))
    assert np.all(design.power(above.max(axis=0), above.min(axis=0)) <= worst.error)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_binding_futility_keeps_the_level_and_saves_pairs(designed: Designed, alpha: float) -> None:
    design = designed(alpha, 50, futility="binding")
    free = designed(alpha, 50, futility=None)
    assert design.worst_case().error <= alpha
    assert design.expected_n(0.5, 0.5) < 0.75 * free.expected_n(0.5, 0.5)
    with pytest.raises(InvalidInput, match="binding"):
        design.power(0.5, 0.5, heed_futility=False)


def test_advice_costs_little_power_and_can_be_ignored(designed: Designed) -> None:
    design, free = designed(0.05, 50), designed(0.05, 50, futility=None)
    assert np.array_equal(design.power(*POINTS), free.power(*POINTS))
    heeded = design.power(*POINTS, heed_futility=True)
    assert np.all(heeded <= free.power(*POINTS))
    assert np.all(heeded >= free.power(*POINTS) - 0.005)
    assert design.expected_n(0.5, 0.5, heed_futility=True) < 0.8 * free.expected_n(0.5, 0.5)


@pytest.mark.parametrize("futility", [None, "binding"])
@pytest.mark.parametrize("n_max", [20, 50, 200])
def test_certificate_is_a_close_lower_bound(
    designed: Designed, n_max: int, futility: str | None
) -> None:
    certificate = designed(0.05, n_max, futility=futility).certificate
    assert certificate.lower_bound <= certificate.expected_n <= 1.03 * certificate.lower_bound


def test_decision_regions_agree_with_the_rule(designed: Designed) -> None:
    design = designed(0.05, 20)
    regions = design.decision_regions(20)
    assert regions.better1[0, 20]
    assert regions.better0[20, 0]
    assert regions.better1.shape == (21, 21)
    assert designed(0.05, 20).decision_regions(15).futile[7, 7]


@pytest.mark.parametrize(
    "arguments",
    [{"alpha": 0.0}, {"alpha": 0.6}, {"n_max": 1}, {"n_max": 5000}, {"futility": "maybe"}],
)
def test_refuses_what_it_cannot_make(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        step_design(**{"alpha": 0.05, "n_max": 20, **arguments})


def test_rates_outside_the_unit_interval_are_refused(designed: Designed) -> None:
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        designed(0.05, 20).power(0.5, 1.5)


def test_progress_and_estimate() -> None:
    calls: list[tuple[int, int]] = []
    step_design(0.04, 12, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1][0] == calls[-1][1]
    assert estimated_seconds(500) > estimated_seconds(200) > 0.5
