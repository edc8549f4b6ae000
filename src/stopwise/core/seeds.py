"""Seeds of all episodes from one number, each a function of its place and of nothing else."""

import secrets

import numpy as np

SEED_BITS = 32  # short enough to be copied by hand
# Branches of the tree of seeds; changing one changes every race.
_PAIRED, _INDEPENDENT, _POLICY, _TASK, _SCENES = 0, 1, 2, 3, 4


def drawn_seed() -> int:
    """Return a seed from the operating system: nobody can know it before it is drawn."""
    return secrets.randbits(SEED_BITS)


def episode_seed(seed: int, row: int, policy: int, *, paired: bool) -> int:
    """Return the environment's seed: one for all policies of a row if paired, else its own."""
    return _draw(seed, (_PAIRED, row) if paired else (_INDEPENDENT, row, policy))


def task_draw(seed: int, row: int, policy: int, *, paired: bool) -> float:
    """Return a number in [0, 1) that draws the task: one for all policies of a row if paired."""
    return _draw(seed, (_TASK, row) if paired else (_TASK, row, policy)) / 2.0**32


def scene_order(seed: int, size: int, policy: int, *, paired: bool) -> list[int]:
    """Return the places of a list in the order of trials: one for all policies if paired."""
    branch = (_SCENES,) if paired else (_SCENES, policy)
    entropy = np.random.SeedSequence(seed, spawn_key=branch)
    return [int(place) for place in np.random.default_rng(entropy).permutation(size)]


def policy_seed(seed: int) -> int:
    """Return a seed for the policy itself, so that it does not repeat the environment's draws."""
    return _draw(seed, (_POLICY,))


def _draw(entropy: int, branch: tuple[int, ...]) -> int:
    return int(np.random.SeedSequence(entropy, spawn_key=branch).generate_state(1)[0])
