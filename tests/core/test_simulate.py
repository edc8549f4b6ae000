"""The simulator: shapes, bad input, independence of threads and blocks."""

import numpy as np
import pytest

import stopwise as sw


def test_threads_and_blocks_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    scores0, scores1 = rng.random((2500, 12)), rng.random((2500, 12)) ** 0.5

    one = sw.simulate("nscore", scores0, scores1, workers=1)
    two = sw.simulate("nscore", scores0, scores1, workers=2)
    part = sw.simulate("nscore", scores0[1000:1100], scores1[1000:1100])

    np.testing.assert_array_equal(one.log_e, two.log_e)
    np.testing.assert_array_equal(one.n, two.n)
    np.testing.assert_array_equal(one.log_e[1000:1100], part.log_e)


@pytest.mark.parametrize(
    ("scores0", "scores1", "message"),
    [
        (np.zeros(5), np.zeros(5), r"arrays of the same shape \(runs, n\)"),
        (np.zeros((2, 5)), np.zeros((2, 6)), r"\(2, 5\) and \(2, 6\)"),
        (np.zeros((2, 5)), np.full((2, 5), 1.5), r"bounds \[0, 1\], but policy 1 got 1\.5"),
        (np.full((2, 5), np.nan), np.zeros((2, 5)), "policy 0 got nan"),
        (np.full((2, 5), "a"), np.zeros((2, 5)), "policy 0 must be numbers"),
    ],
)
def test_bad_input_gets_one_clear_error(
    scores0: np.typing.NDArray[np.float64], scores1: np.typing.NDArray[np.float64], message: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.simulate("nscore", scores0, scores1)
