"""Figures of the designs: level, power, expected pairs, certificate, and tables on disk.

Reference figures: the published implementation, run on its own (power, expected
pairs at four pairs of rates, means over the 36 pairs of tenths, alpha .05).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stopwise.core.step import design as module
from stopwise.core.step.design import StepDesign, cache_folder, load_or_make, step_design
from stopwise.errors import InvalidInput

Designed = Callable[..., StepDesign]
POINTS = np.array([(0.5, 0.6), (0.1, 0.2), (0.85, 0.95), (0.3, 0.6)]).T
TENTHS = np.array([(a / 10, b / 10) for b in range(1, 10) for a in range(1, b)]).T
REFERENCE = {
    50: ([0.2250, 0.3391, 0.4271, 0.8826], 0.7535, 27.04),
    200: ([0.5642, 0.8243, 0.9335, 1.0000], 0.9237, 58.00),
}


@pytest.mark.parametrize("n_max", [50, 200])
def test_optimal_table_needs_fewer_pairs_at_equal_power(designed: Designed, n_max: int) -> None:
    design = designed(0.05, n_max)
    power, mean_power, mean_pairs = REFERENCE[n_max]
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


@pytest.mark.parametrize("n_max", [20, 50, 200])
def test_certificate_is_a_close_lower_bound(designed: Designed, n_max: int) -> None:
    certificate = designed(0.05, n_max).certificate
    assert certificate.lower_bound <= certificate.expected_n <= 1.03 * certificate.lower_bound


def test_drifting_rates_raise_the_error_beyond_the_level(designed: Designed) -> None:
    """An adversary keeps policy 1 no better in every pair, but picks the rates by the state."""
    assert designed(0.05, 50).drift_error > 0.1


@pytest.mark.parametrize(
    "arguments", [{"alpha": 0.0}, {"alpha": 0.6}, {"n_max": 1}, {"n_max": 5000}]
)
def test_refuses_what_it_cannot_make(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        step_design(**{"alpha": 0.05, "n_max": 20, **arguments})


def test_rates_outside_the_unit_interval_are_refused(designed: Designed) -> None:
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        designed(0.05, 20).power(0.5, 1.5)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], int]:
    """Ask for a table; returns how often it was made by then."""
    calls: list[int] = []

    def make(_: object) -> dict[str, np.ndarray]:
        calls.append(1)
        return {"numbers": np.array([1.0, 2.0])}

    def ask() -> int:
        assert load_or_make("table", 20, make)["numbers"].tolist() == [1.0, 2.0]
        return len(calls)

    monkeypatch.setenv("STOPWISE_CACHE", str(tmp_path / "tables"))
    return ask


def test_a_table_is_made_once_and_again_for_another_version(
    made: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [made(), made()] == [1, 1]
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert made() == 2


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "text"])
def test_a_damaged_file_is_made_again(made: Callable[[], int], damage: str) -> None:
    made()
    (path,) = cache_folder().glob("*.npz")
    content = path.read_bytes()
    half = len(content) // 2
    flipped = content[:100] + bytes([content[100] ^ 255]) + content[101:]
    path.write_bytes(
        {"cut": content[:half], "empty": b"", "flipped": flipped, "text": b"no table"}[damage]
    )
    assert [made(), made()] == [2, 2]


def test_an_unusable_folder_still_gives_the_table(made: Callable[[], int]) -> None:
    cache_folder().write_text("")
    assert [made(), made()] == [1, 2]
