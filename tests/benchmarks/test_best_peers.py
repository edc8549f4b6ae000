"""The peers of the best policy do what their papers say."""

import numpy as np

from benchmarks.efficiency.best import PEERS, Case, measure
from benchmarks.efficiency.best_peers import divergence, divergence_bounds


def test_bounds_are_where_the_divergence_reaches_the_rate() -> None:
    means, n = np.array([0.2, 0.5, 0.9]), np.array([10.0, 20.0, 40.0])

    low, high = divergence_bounds(means, n, np.array(3.0))

    np.testing.assert_allclose(n * divergence(means, low), 3.0, rtol=1e-3)
    np.testing.assert_allclose(n * divergence(means, high), 3.0, rtol=1e-3)


def test_all_find_a_clear_best_and_ours_needs_fewer_than_proven_ones() -> None:
    found = measure(Case.rates(0.1, 0.3, 0.95, n_max=400), 20, 0, with_peers=True)

    assert {"stopwise", "halving, our trials", *PEERS} <= set(found)
    assert all(right > 0.9 for _, right, _ in found.values())
    proven = [trials for name, (trials, _, _) in found.items() if name.endswith("proven")]
    assert found["stopwise"][0] < min(proven)
