"""What is declared of a proxy, a cheap score of the same scene: the mean of its difference.

``docs/design/proxy.md`` has the claim, what it assumes, and the proof.
"""

import hashlib
import itertools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats
from stopwise.core.scores import Scale, is_number, numeric_array
from stopwise.errors import require
from stopwise.messages import listed, named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# The mean of g1 - g0; of several pairs, that of each.
ProxyMeans = float | tuple[float, ...]
# Of how many draws before it a forecast of the next is made.
MEMORIES = (2**40, 50, 10)
# One in so many simulated scenes is for the first pair, whose batch is the guess for all others.
GUESSED = 20


def pairs_of(policies: int, baseline: int | None) -> list[tuple[int, int]]:
    """Return the pairs (policy 0, policy 1) that are compared; a baseline is always policy 0."""
    if baseline is None:
        return list(itertools.combinations(range(policies), 2))
    return [(baseline, other) for other in range(policies) if other != baseline]


def means_of_pairs(rules: "Rules") -> tuple[float, ...]:
    """The mean of g1 - g0 for each pair."""
    known = rules.proxy_mean
    return known if isinstance(known, tuple) else (known or 0.0,)


def declared_proxy(rules: "Rules") -> dict[str, Any]:
    """Return the mean of g1 - g0 and batches of scenes, checked."""
    mean: Any = rules.proxy_mean
    if rules.audit is not None:
        _check_audit(rules)
        mean = dict.fromkeys(rules.policies, 0.0)  # of what the judge says in excess of its share
    if mean is None:
        return {}
    text = f"{rules.method} takes no proxy: only the bets of nscore-plus are proven with one"
    require(registry.find(rules.method).takes_proxy, text, parameter="proxy_mean")
    text = "audits need design 'paired': a pair is audited as a whole, drawn before it is run"
    require(rules.design == "paired" or rules.audit is None, text, parameter="design")
    for name in ("reference", "equivalence", "groups"):
        text = f"a proxy does not go with {name}: its bets are for a difference of two policies"
        require(not getattr(rules, name), text, parameter=name)
    text = f"a proxy goes with the goal 'order', but the goal is {rules.goal!r}"
    require(rules.goal == "order", text, parameter="goal")
    text = "a proxy goes with means: its bets rest on the bounds of the scores"
    require(rules.by == "means", text, parameter="by")
    means = tuple(_checked_mean(own, rules.scale) for own in _by_pair(mean, rules))
    batches = rules.proxy_batches  # a list where the rules come from a file
    return {
        "proxy_mean": means[0] if len(means) == 1 else means,
        "proxy_batches": None if batches is None else tuple(map(tuple, batches)),
    }


def _check_audit(rules: "Rules") -> None:
    chance: Any = rules.audit
    require(
        is_number(chance) and 0 < chance < 1,
        f"audit must be the chance, between 0 and 1, that a pair is audited, but got {chance!r}",
        parameter="audit",
    )
    known: Any = rules.proxy_mean
    require(
        known is None or not np.any(known),
        "with audits the mean of the proxy is not needed: leave proxy_mean out",
        parameter="proxy_mean",
    )


def _by_pair(mean: Any, rules: "Rules") -> list[Any]:
    """Return what is declared of each pair; the mean of each policy by name tells of all."""
    pairs = compared_pairs(rules)
    if isinstance(mean, Mapping):
        if rules.audit is None:
            _require_means(mean, rules)
        means = [mean[name] for name in rules.policies]
        return [means[second] - means[first] for first, second in pairs]
    if len(pairs) == 1:
        return [mean]
    require(
        isinstance(mean, tuple | list) and len(mean) == len(pairs),
        f"of {len(rules.policies)} policies proxy_mean is the mean of the proxy for each by name, "
        f"but got {mean!r}",
        parameter="proxy_mean",
    )
    return list(mean)


def _require_means(mean: Mapping[str, Any], rules: "Rules") -> None:
    lacking = [name for name in rules.policies if name not in mean]
    strange = [name for name in mean if name not in rules.policies]
    text = " needs the proxy's mean for each policy, but has none for "
    require(not lacking, named("proxy_mean"), text + ", ".join(lacking))
    text = f" names {', '.join(map(str, strange))}, but the policies are {listed(rules.policies)}"
    require(not strange, named("proxy_mean"), text)
    low, high = rules.scale.ends
    for name, value in mean.items():
        text = f" must lie within the bounds [{low:g}, {high:g}], but that of {name} is {value}"
        within = is_number(value) and low <= value <= high
        require(within, named("proxy_mean"), text)


def compared_pairs(rules: "Rules") -> list[tuple[int, int]]:
    """Return the pairs (policy 0, policy 1) that the rules compare, as places of policies."""
    baseline = None if rules.baseline is None else rules.policies.index(rules.baseline)
    return pairs_of(len(rules.policies), baseline)


def _checked_mean(mean: Any, scale: Scale) -> float:
    require(
        is_number(mean) and abs(mean) <= scale.span,
        f"proxy_mean must be the mean of g1 - g0, from -{scale.span:g} to {scale.span:g}, but got "
        f"{mean!r}",
        parameter="proxy_mean",
    )
    return float(mean)


def unlike_chance(drawn: Bools, chance: float, level: float) -> bool:
    """Whether draws contradict that each is true with this chance, whatever came before.

    If they do not, that is said with probability at most the level: several forecasts bet on each
    draw, and their mean wealth is evidence, at any time.
    """
    forecasts = _forecasts(drawn)
    factors = np.where(drawn, forecasts / chance, (1 - forecasts) / (1 - chance))
    wealth = np.logaddexp.reduce(np.cumsum(np.log(factors), axis=1)) - math.log(len(factors))
    return bool((wealth >= -math.log(level)).any())


def _forecasts(drawn: Bools) -> Floats:
    """Return chances of each draw from those before it: by all, by the last few, by those alike.

    Alike are the draws whose predecessor was as that of the next.
    """
    hits = np.concatenate([[0.0], np.cumsum(drawn)])
    place = np.arange(drawn.size)
    seen, among = [], []
    for memory in MEMORIES:
        first = np.maximum(place - memory, 0)
        seen.append(hits[place] - hits[first])
        among.append(place - first)
    before = np.concatenate([[False], drawn[:-1]])[: drawn.size]
    alike = np.where(before, np.cumsum(before), np.cumsum(~before)) - 1
    both = np.where(before, np.cumsum(before & drawn), np.cumsum(~before & drawn)) - drawn
    return (np.array([*seen, both]) + 0.5) / (np.array([*among, alike]) + 1.0)


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
    """Return scenes in another order, as files may be sorted.

    It is drawn anew for other scenes, but given which there are it does not depend on their order:
    so scenes in the order in which they were drawn stay independent.
    """
    known = hashlib.sha256(scenes[np.lexsort(scenes.T)].tobytes()).digest()
    order = np.random.default_rng(np.frombuffer(known, dtype=np.uint32))
    return scenes[order.permutation(len(scenes))]


def scene_batches(unit: Floats, rules: "Rules") -> tuple[tuple[float, ...], ...]:
    """Return each pair's mean of g1 - g0 in a batch of scenes for every pair of trials.

    No scene is in two batches. The first is as large as it takes for a guess of the mean.
    """
    first = max(len(unit) // GUESSED, 1)
    others = min((rules.n_max or 1) - 1, len(unit) - first)
    parts = [unit[:first], *np.array_split(unit[first:], max(others, 1))]
    means = np.array([part.mean(axis=0) for part in parts]).T
    found = [means[second] - means[first] for first, second in compared_pairs(rules)]
    return tuple(tuple(own) for own in (rules.scale.span * np.clip(found, -1, 1)).tolist())
