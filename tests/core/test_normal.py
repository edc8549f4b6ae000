"""The functions of the normal distribution that are computed here, next to those of scipy."""

import numpy as np
import pytest
from scipy.special import erfcx as erfcx_of_scipy
from scipy.special import log_ndtr, ndtri

from stopwise.core.normal import erfcx
from stopwise.core.nscore_plus.growth import NEAR, last_bet


def test_the_scaled_tail_is_that_of_scipy() -> None:
    x = np.concatenate([-np.geomspace(1e-12, 26.0, 2000), [0.0], np.geomspace(1e-12, 1e12, 2000)])

    assert erfcx(x) == pytest.approx(erfcx_of_scipy(x), rel=3e-15)
    assert erfcx(np.array([np.inf]))[0] == 0.0
    assert erfcx(np.array([-1e9]))[0] > 1e300  # a number, without a warning
    assert erfcx(np.array(0.5)) == pytest.approx(0.6156903441929259, rel=1e-15)


def test_the_last_bet_is_the_hazard_at_the_quantile() -> None:
    need = np.geomspace(1e-9, 0.999 * NEAR, 500)
    quantile = ndtri(np.exp(-need))

    expected = np.exp(-0.5 * quantile**2 - log_ndtr(quantile)) / np.sqrt(2 * np.pi)
    assert last_bet(need) == pytest.approx(expected, rel=1e-13)
    assert np.isinf(last_bet(np.array([0.0, NEAR]))).all()
