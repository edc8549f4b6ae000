"""Random numbers that belong to a run and a time, so that a replay is exact."""

import math
import secrets

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Floats

# Odd and large: blocks of runs get seeds far apart.
BLOCK_STRIDE = 0x9E3779B97F4A7C15
SEED_BITS = 32  # short enough to be copied by hand


def drawn_seed() -> int:
    """Return a seed from the operating system: nobody can know it before it is drawn."""
    return secrets.randbits(SEED_BITS)


def run_keys(seed: int, shape: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return a key per run, the same for all directions (the last axis) of it.

    It depends on the seed and the position of the run, not on how many others there are.
    """
    runs = np.arange(math.prod(shape[:-1]), dtype=np.uint64).reshape(shape[:-1])
    keys = _hash(_hash(np.full_like(runs, seed % 2**64)) ^ runs)
    if shape:
        keys = np.repeat(keys[..., np.newaxis], shape[-1], axis=-1)
    return keys


def uniform(key: NDArray[np.uint64], n: NDArray[np.integer]) -> Floats:
    """Return uniform numbers in [0, 1), one for each key and number of pairs."""
    mixed = _hash(key ^ _hash(n.astype(np.uint64)))
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _hash(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit integers (the finaliser of SplitMix64, Steele et al. 2014)."""
    # Arithmetic modulo 2^64 is meant; numpy warns of it for single numbers.
    with np.errstate(over="ignore"):
        mixed = values + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result
