"""What is declared of a proxy, a cheap score of the same scene: the mean of its difference.

``docs/design/proxy.md`` has the claim, what it assumes, and the proof.
"""

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.scores import Scale, is_number, numeric_array
from stopwise.errors import require
from stopwise.messages import listed, named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# Bounds of the mean of g1 - g0; of several pairs, those of each.
ProxyMeans = tuple[float, float] | tuple[tuple[float, float], ...]
# Of how many draws before it a forecast of the next is made.
MEMORIES = (2**40, 50, 10)
# Of the bets that bound a mean: a value of 0 leaves a quarter of the wealth.
LARGEST_BET = 0.75
# Of alpha, what bounds of the mean may cost if it is not known.
SHARE = 0.05
# One in so many simulated scenes is for the first pair, whose batch is the guess for all others.
GUESSED = 20


def pairs_of(policies: int, baseline: int | None) -> list[tuple[int, int]]:
    """Return the pairs (policy 0, policy 1) that are compared; a baseline is always policy 0."""
    if baseline is None:
        return list(itertools.combinations(range(policies), 2))
    return [(baseline, other) for other in range(policies) if other != baseline]


def bounds_of_pairs(rules: "Rules") -> tuple[tuple[float, float], ...]:
    """Return the declared bounds of each pair."""
    found: Any = rules.proxy_mean
    return found if found and isinstance(found[0], tuple) else (found,)


def declared_proxy(rules: "Rules", *, takes: bool) -> dict[str, Any]:
    """Return bounds of the mean of g1 - g0, their share of alpha and batches, or raise.

    ``takes`` says whether the method is proven with a proxy.
    """
    mean: Any = rules.proxy_mean
    share = rules.proxy_share
    if rules.audit is not None:
        _check_audit(rules)
        mean = dict.fromkeys(rules.policies, 0.0)  # of what the judge says in excess of its share
    if mean is None:
        text = "proxy_share goes with proxy_mean or proxy_scores, but there is neither"
        require(share is None, text, parameter="proxy_share")
        text = "proxy_batches goes with proxy_mean, bounds of the mean of g1 - g0"
        require(rules.proxy_batches is None, text, parameter="proxy_batches")
        return {}
    text = f"{rules.method} takes no proxy: only the bets of nscore-plus are proven with one"
    require(takes, text, parameter="proxy_mean")
    text = "audits need design 'paired': a pair is audited as a whole, drawn before it is run"
    require(rules.design == "paired" or rules.audit is None, text, parameter="design")
    for name in ("reference", "equivalence", "groups"):
        text = f"a proxy does not go with {name}: its bets are for a difference of two policies"
        require(not getattr(rules, name), text, parameter=name)
    text = f"a proxy goes with the goal 'order', but the goal is {rules.goal!r}"
    require(rules.goal == "order", text, parameter="goal")
    text = "a proxy goes with means: bounds of scores and of the proxy are what its bets rest on"
    require(rules.by == "means", text, parameter="by")
    bounds = [_bounds(own, rules.scale) for own in _by_pair(mean, rules)]
    batches = _checked_batches(rules, len(bounds))
    if share is None:
        bounded = batches is None and any(low < high for low, high in bounds)
        share = SHARE if bounded else 0.0
    require(
        is_number(share) and 0 <= share < 1,
        f"proxy_share must be at least 0 and below 1, but got {share!r}",
        parameter="proxy_share",
    )
    means = bounds[0] if len(bounds) == 1 else tuple(bounds)
    return {"proxy_mean": means, "proxy_share": float(share), "proxy_batches": batches}


def _checked_batches(rules: "Rules", pairs: int) -> tuple[tuple[float, ...], ...] | None:
    """Return the means of batches of each pair of policies as numbers, or raise."""
    if rules.proxy_batches is None:
        return None
    found = np.atleast_1d(numeric_array(rules.proxy_batches, "proxy_batches"))
    require(
        rules.audit is None and found.ndim == 2 and len(found) == pairs and found.size > 0,
        f"proxy_batches must have a row of means for each of {pairs} pairs of policies, and goes "
        "without audit",
        parameter="proxy_batches",
    )
    outside = bool((np.abs(found) > rules.scale.span).any())
    text = f"proxy_batches must lie within -{rules.scale.span:g} and {rules.scale.span:g}"
    require(not outside, text, parameter="proxy_batches")
    return tuple(tuple(own) for own in found.astype(float).tolist())


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
    if len(pairs) == 1 and not (isinstance(mean, tuple) and len(mean) == 1):
        return [mean]
    require(
        isinstance(mean, Sequence) and len(mean) == len(pairs),
        f"of {len(rules.policies)} policies proxy_mean is the mean of the proxy for each by name, "
        f"but got {mean!r}",
        parameter="proxy_mean",
    )
    return list(mean)


def _require_means(mean: Mapping[str, Any], rules: "Rules") -> None:
    lacking = [name for name in rules.policies if name not in mean]
    strange = [name for name in mean if name not in rules.policies]
    text = " needs the proxy's mean for each policy, but has none for "
    require(not lacking, named("proxy_mean"), text + ", ".join(lacking), code="no-proxy-mean")
    text = f" names {', '.join(map(str, strange))}, but the policies are {listed(rules.policies)}"
    require(not strange, named("proxy_mean"), text, code="no-proxy-mean")
    low, high = rules.scale.ends
    for name, value in mean.items():
        text = f" must lie within the bounds [{low:g}, {high:g}], but that of {name} is {value}"
        within = is_number(value) and low <= value <= high
        require(within, named("proxy_mean"), text, code="bad-proxy-mean")


def compared_pairs(rules: "Rules") -> list[tuple[int, int]]:
    """Return the pairs (policy 0, policy 1) that the rules compare, as places of policies."""
    baseline = None if rules.baseline is None else rules.policies.index(rules.baseline)
    return pairs_of(len(rules.policies), baseline)


def _bounds(mean: Any, scale: Scale) -> tuple[float, float]:
    pair = isinstance(mean, Sequence) and not isinstance(mean, str) and len(mean) == 2
    low, high = mean if pair else (mean, mean)
    require(
        all(is_number(end) and abs(end) <= scale.span for end in (low, high)) and low <= high,
        "proxy_mean must be the mean of g1 - g0, or bounds (low, high) of it, from "
        f"-{scale.span:g} to {scale.span:g}, but got {mean!r}",
        parameter="proxy_mean",
    )
    return float(low), float(high)


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


def scene_bounds(unit: Floats, rules: "Rules", level: float) -> tuple[tuple[float, float], ...]:
    """Return bounds of each pair's mean of g1 - g0 from scenes that ``unit_scenes`` returned.

    ``level`` is the chance that a lower bound is too high, and that an upper one is too low.
    """
    found = []
    for first, second in compared_pairs(rules):
        share = 0.5 * (1.0 + unit[:, second] - unit[:, first])  # in [0, 1]
        low, high = least_mean(share, level), 1.0 - least_mean(1.0 - share, level)
        span = rules.scale.span
        found.append(((2.0 * low - 1.0) * span, (2.0 * high - 1.0) * span))
    return tuple(found)


def least_mean(values: Floats, level: float) -> float:
    """Return a lower bound of the mean of independent values in [0, 1], wrong with this chance.

    The wealth of bets that the mean is above m is on average at most 1 if it is not, and falls with
    m: below the bound it has reached 1 / level (Waudby-Smith and Ramdas, 2024, with bets for this
    number of values). Each bet is made from the values before.
    """
    from scipy.optimize import brentq

    count, need = values.size, -math.log(level)
    seen = np.arange(1, count + 1) + 1.0
    means = (0.5 + np.cumsum(values)) / seen
    variances = (0.25 + np.cumsum((values - means) ** 2)) / seen
    before = np.concatenate([[0.25], variances[:-1]])
    bets = np.minimum(np.sqrt(2.0 * need / (count * before)), LARGEST_BET)

    def excess(mean: float) -> float:
        return float(np.log1p(bets * (values - mean)).sum()) - need

    if excess(0.0) <= 0:
        return 0.0
    return max(float(brentq(excess, 0.0, 1.0, xtol=1e-10)) - 1e-9, 0.0)
