"""The exact evaluation against enumeration of every outcome, and against simulation."""

from itertools import product

import numpy as np
import pytest

from stopwise.core.step.exact import (
    Rule,
    duration_given_counts,
    mean_over_counts,
    rejection_given_counts,
    rejection_under_drift,
)


def small_rule(seed: int) -> Rule:
    """A rule for six pairs with random bounds."""
    rng = np.random.default_rng(seed)
    n_max = 6
    reject_from = rng.integers(2, 5, size=(n_max + 1, 2 * n_max + 1)).astype(np.int16)
    return Rule(reject_from, np.zeros_like(reject_from))


def enumerate_rule(rule: Rule, p0: float, p1: float) -> tuple[float, float]:
    """Rejection probability and expected pairs by walking through all 4^n outcomes."""
    power = pairs = 0.0
    for outcome in product(range(4), repeat=rule.n_max):
        weight = 1.0
        for cell in outcome:
            a, b = divmod(cell, 2)
            weight *= (p0 if a else 1 - p0) * (p1 if b else 1 - p1)
        x = y = 0
        running = 1.0
        for t, cell in enumerate(outcome, start=1):
            x, y = x + cell // 2, y + cell % 2
            pairs += weight * running
            here = (np.array([t]), np.array([x]), np.array([y]))
            up = float(rule.rejects(*here)[0])
            down = float(rule.rejects(here[0], here[2], here[1])[0])
            power += weight * running * up
            running *= 1.0 - up - down
    return power, pairs


@pytest.mark.parametrize("seed", [0, 1])
def test_matches_enumeration_of_all_sequences(seed: int) -> None:
    rule = small_rule(seed)
    power, pairs = enumerate_rule(rule, 0.35, 0.8)
    rates = np.array([0.35]), np.array([0.8])
    rejection = rejection_given_counts(rule)
    duration = duration_given_counts(rule)
    assert mean_over_counts(rejection, *rates)[0] == pytest.approx(power, abs=1e-13)
    assert mean_over_counts(duration, *rates)[0] == pytest.approx(pairs, abs=1e-12)


def worst_drift(rule: Rule, t: int = 0, x: int = 0, y: int = 0) -> float:
    """The same maximum by recursion over all outcomes, with the rates on a grid."""
    if t == rule.n_max:
        return 0.0
    value = np.zeros((2, 2))
    for a, b in product(range(2), repeat=2):
        here = np.array([t + 1]), np.array([x + a]), np.array([y + b])
        up = float(rule.rejects(*here)[0])
        down = float(rule.rejects(here[0], here[2], here[1])[0])
        value[a, b] = up + (1.0 - up - down) * worst_drift(rule, t + 1, x + a, y + b)
    grid = np.linspace(0.0, 1.0, 41)
    chances = np.stack([1.0 - grid, grid])
    rejection = chances.T @ value @ chances  # over (p0, p1)
    return float(np.tril(rejection).max())


@pytest.mark.parametrize("seed", [0, 1])
def test_drift_matches_a_search_over_rates_in_every_state(seed: int) -> None:
    rule = small_rule(seed)
    rule = Rule(rule.reject_from[:5, :9], rule.continue_from[:5, :9])
    found = rejection_under_drift(rule)
    searched = worst_drift(rule)
    assert searched - 1e-12 <= found <= searched + 2e-3
