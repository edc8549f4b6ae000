"""Simulated scenes, from which the mean of a proxy comes: a batch of them for each row."""

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.scores import numeric_array
from stopwise.errors import require
from stopwise.messages import BLANK, Setting

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# One in so many simulated scenes is for the first pair, whose batch is the guess for all others.
GUESSED = 20


def unit_scenes(scores: object, rules: "Rules") -> Floats:
    """Return the proxy's scores (M, policies) of simulated scenes, checked, mixed, of span 1."""
    array, policies = numeric_array(scores, "proxy_scores"), len(rules.policies)
    row = "(g0, g1)" if policies == 2 else f"of {policies} scores"
    require(
        array.ndim == 2 and array.shape[1:] == (policies,) and len(array) >= 2,
        f"proxy_scores must have a row {row} for each of 2 or more simulated scenes, but got "
        f"shape {array.shape}",
        parameter="proxy_scores",
    )
    rules.scale.check(array, "proxy_scores")
    unit: Floats = rules.scale.clip(array) / rules.scale.span
    return mixed(unit)


def mixed(scenes: Floats) -> Floats:
    """Return scenes in another order, as files may be sorted."""
    known = hashlib.sha256(scenes[np.lexsort(scenes.T)].tobytes()).digest()
    order = np.random.default_rng(np.frombuffer(known, dtype=np.uint32))
    return scenes[order.permutation(len(scenes))]


def scene_batches(unit: Floats, rules: "Rules") -> tuple[tuple[float, ...], ...]:
    """Return each pair's mean of g1 - g0 in a batch of scenes for every pair of trials."""
    first = max(len(unit) // GUESSED, 1)
    others = min((rules.n_max or 1) - 1, len(unit) - first)
    parts = [unit[:first], *np.array_split(unit[first:], max(others, 1))]
    means = np.array([part.mean(axis=0) for part in parts]).T
    differences = [means[second] - means[first] for first, second in rules.pairs]
    return tuple(
        tuple(batch) for batch in (rules.scale.span * np.clip(differences, -1, 1)).tolist()
    )


def beside_scenes(rules: "Rules", scenes: object) -> "Rules":
    """Return the rules with a batch of simulated scenes (M, policies) for each row."""
    require(
        rules.audit is None,
        "with audits the mean of the proxy is not needed: leave proxy_scores out",
        parameter="proxy_scores",
    )
    require(
        rules.proxy_mean is None,
        "proxy_mean is taken from proxy_scores: give one of the two",
        parameter="proxy_mean",
    )
    require(
        rules.n_max is not None,
        Setting("n_max", BLANK),
        " is needed with simulated scenes: each row gets some of them",
    )
    unit = unit_scenes(scenes, rules)
    means = rules.scale.span * unit.mean(axis=0)
    known = tuple(float(means[second] - means[first]) for first, second in rules.pairs)
    return replace(
        rules,
        proxy_mean=known if len(known) > 1 else known[0],
        proxy_batches=scene_batches(unit, rules),
    )
