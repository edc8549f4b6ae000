"""Tails of the normal distribution; loading ``scipy.special`` takes longer than most analyses."""

import math

import numpy as np

from stopwise.core.arrays import Floats

ROOT_HALF, HAZARD = math.sqrt(0.5), math.sqrt(2.0 / math.pi)
# Of (1 + 2x) erfcx(x) in powers of t = (x - 3) / (x + 3): its Chebyshev expansion on x >= 0,
# computed with 60 digits and cut where its terms are below 1e-16.
COEFFICIENTS = (
    1.2530080582697296,
    -0.13562110612457576,
    -0.04756229435342038,
    0.12964515870228346,
    -0.11927366341676002,
    0.06830802735638397,
    -0.023770514891530075,
    0.0025293916672051724,
    0.0018886900977441495,
    -0.0007798312797290158,
    -0.00010515831297813128,
    0.00012509531076254534,
    4.94412434222366e-06,
    -2.0089997833284275e-05,
    -7.187883834404266e-07,
    3.454294770277738e-06,
    3.3669790806407595e-07,
    -5.963983625522741e-07,
    -1.205414228648938e-07,
    8.765881411730558e-08,
    2.7843881265502222e-08,
    -7.641962892589975e-09,
    -3.1813541434969274e-09,
)
LARGEST_POWER = 709.0  # exp of more is no number


def erfcx(x: Floats) -> Floats:
    """exp(x^2) erfc(x), which stays a number where erfc is 0."""
    size = np.abs(x)
    t = 1.0 - 6.0 / (size + 3.0)
    value = np.full_like(t, COEFFICIENTS[-1])
    for coefficient in COEFFICIENTS[-2::-1]:
        value *= t
        value += coefficient
    value /= 1.0 + 2.0 * size
    below = x < 0
    if below.any():
        mirrored = 2.0 * np.exp(np.minimum(size * size, LARGEST_POWER)) - value
        value = np.where(below, mirrored, value)
    return value
