"""A control: a cheap score of the same trial, a proxy's or a judge's, whose mean is known."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats
from stopwise.core.method import Method
from stopwise.core.plain_values import plain_values
from stopwise.core.readings.proxied import MOST_WEIGHT, Proxied
from stopwise.core.readings.score import Arrays, Met, Names, Scores, Shown
from stopwise.core.scores import is_number, numeric_array
from stopwise.errors import InvalidInput, require
from stopwise.messages import Setting, counted, listed, named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# The mean of g1 - g0; of several pairs, that of each.
ProxyMeans = float | tuple[float, ...]
WHOLE_ROWS = "a row is audited or not: people score all of its trials, or none"
# A smaller variance of g1 - g0 is rounding.
TINY = 1e-9


class Control(Scores):
    """Scores with those of a proxy beside them, the mean of whose difference is known."""

    kinds = 2
    # Proven for differences only, so that the two scores of a pair may depend on each other.
    tested_design = "paired"

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return rules.proxy_mean is not None and rules.audit is None

    def checked(self) -> dict[str, Any]:
        rules = self.rules
        text = f"{rules.method} takes no proxy: only the bets of nscore-plus are proven with one"
        require(registry.find(rules.method).takes_proxy, text, parameter="proxy_mean")
        span, means = self.scale.span, self._by_pair()
        for mean in means:
            require(
                is_number(mean) and abs(mean) <= span,
                f"proxy_mean must be the mean of g1 - g0, from -{span:g} to {span:g}, but got "
                f"{mean!r}",
                parameter="proxy_mean",
            )
        batches = rules.proxy_batches  # a list where the rules come from a file
        return {
            **super().checked(),
            "proxy_mean": float(means[0]) if len(means) == 1 else tuple(map(float, means)),
            "proxy_batches": None if batches is None else tuple(map(tuple, batches)),
        }

    def _by_pair(self) -> list[Any]:
        """What is declared of each pair; the mean of each policy by name tells of all."""
        rules = self.rules
        mean: Any = rules.proxy_mean
        if isinstance(mean, Mapping):
            _require_means(mean, rules)
            means = [mean[name] for name in rules.policies]
            return [means[second] - means[first] for first, second in rules.pairs]
        if len(rules.pairs) == 1:
            return [mean]
        require(
            isinstance(mean, tuple | list) and len(mean) == len(rules.pairs),
            f"of {len(rules.policies)} policies proxy_mean is the mean of the proxy for each by "
            f"name, but got {mean!r}",
            parameter="proxy_mean",
        )
        return list(mean)

    @property
    def proxy_means(self) -> tuple[float, ...]:
        mean = self.rules.proxy_mean
        return mean if isinstance(mean, tuple) else (mean or 0.0,)

    def test(self, plain: Method[Any]) -> Method[Any]:
        unit = self.advantage(1.0) / self.scale.span
        signs = [unit if policy else -unit for policy in self.rules.directions]
        return (
            super()
            .test(plain)
            .as_a(
                Proxied,
                proxy_means=tuple(
                    tuple(sign * mean for sign in signs) for mean in self.proxy_means
                ),
                proxy_batches=tuple(
                    tuple(tuple(sign * each for each in batch) for sign in signs)
                    for batch in self.rules.proxy_batches or ()
                ),
                audit=self.rules.audit,
            )
        )

    def beside(self, proxy: object, shape: tuple[int, ...]) -> Arrays:
        if proxy is None:
            super().beside(self.rules.proxy_mean, shape)  # raises
        if not isinstance(proxy, Sequence | np.ndarray) or len(proxy) != 2:
            raise InvalidInput(f"a proxy has a score of each policy, (g0, g1), but got {proxy!r}")
        array0, array1 = (numeric_array(scores, "the proxy") for scores in proxy)
        for array in (array0, array1):
            text = f"a proxy needs scores of the same shape as the policies, {shape}, but got "
            require(array.shape == shape, f"{text}{array.shape}")
            self.scale.check(array, "the proxy")
        return array0, array1

    def offered(self, score: float | None, proxy: float | None) -> Shown:
        if score is None:
            return None
        if proxy is None:
            super().offered(score, math.nan)  # raises
        assert proxy is not None
        return score, float(proxy)

    def cell(self, policy: str, given: Any) -> tuple[Any, ...]:
        require(
            isinstance(given, Sequence),
            f"a mean of a proxy is declared, but {policy!r} comes without a score of it",
            parameter="proxy_mean",
        )
        return tuple(given)

    def layers(self, scores: Floats, others: Sequence[Floats], policies: Names) -> Floats:
        if not others:
            raise InvalidInput(
                "a mean of a proxy is declared, but the trials have no scores of one: name their "
                "column with ",
                Setting("proxy"),
            )
        (proxy,) = others
        self.scale.check(proxy[~np.isnan(proxy)], "the proxy")
        for row, policy in np.argwhere(~np.isnan(scores) & np.isnan(proxy))[:1].tolist():
            # Which scenes would be left out may depend on how they went.
            text = f"the proxy has no score of {policies[policy]} in row {row + 1}, and needs one"
            raise InvalidInput(f"{text} of every trial that has one", parameter="proxy")
        return super().layers(scores, others, policies)

    def gained(self, r0: Floats, r1: Floats, pair: int) -> float:
        known = self.present(r0, r1)
        if not known.any():
            return math.nan
        directions = self.rules.directions
        low, high = self.directed(r0[:, known], r1[:, known])
        difference, hint = (high - low)[..., 0] * (1 if directions[0] else -1)
        unit = self.advantage(1.0) / self.scale.span
        if self.rules.proxy_batches is None:
            hint = hint - unit * self.proxy_means[pair]
        else:  # there is nothing to say of pairs beyond the last batch
            batches = unit * np.array(self.rules.proxy_batches[pair][: len(hint)])
            hint = np.append(hint[: len(batches)] - batches, np.zeros(len(hint) - len(batches)))
        weight = float(np.cov(difference, hint, bias=True)[0, 1]) / max(float(hint.var()), TINY)
        left = difference.mean() - min(max(weight, 0.0), MOST_WEIGHT) * hint.mean()
        return float(left) / self.share

    def cautions(self, met: Met) -> list[str]:
        left_out = (
            "with a proxy, which trials are missing must not depend on the scene either: the "
            "proxy's mean covers all scenes, including those left out"
        )
        assumed = (
            "the scenes of the trials are assumed to be drawn like those behind the proxy's mean, "
            "and the proxy to have been fixed before the trials"
        )
        return [*super().cautions(met), *[left_out] * met.incomplete, assumed]

    def done(self) -> str:
        known = "is known"
        if self.rules.proxy_batches is not None:
            known = "was estimated from further simulated scenes, some for each row"
        return (
            f"{super().done()}A proxy's score for each trial, weighted by a factor learned from "
            "earlier trials, was subtracted from its score; the proxy's mean over all scenes "
            f"{known}. "
        )

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), **plain_values(self.rules, ("proxy_mean", "audit"))}


class Judge(Control):
    """Scores by people of some pairs, drawn at random, and a judge's scores of all."""

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        self.share = rules.audit or 1.0  # the chance of an audit: scores count as 0 without one

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return rules.audit is not None

    def _by_pair(self) -> list[Any]:
        rules = self.rules
        chance: Any = rules.audit
        require(
            is_number(chance) and 0 < chance < 1,
            "audit must be the chance, between 0 and 1, that a pair is audited, but got "
            f"{chance!r}",
            parameter="audit",
        )
        known: Any = rules.proxy_mean
        require(
            known is None or not np.any(known),
            "with audits the mean of the proxy is not needed: leave proxy_mean out",
            parameter="proxy_mean",
        )
        return [0.0] * len(rules.pairs)

    def offered(self, score: float | None, judged: float | None) -> Shown:
        if score is None and judged is not None:
            return None, float(judged)
        return super().offered(score, judged)

    def check_row(self, row: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        asked = {cell[0] is not None for cells in row.values() for cell in cells}
        require(len(asked) < 2, WHOLE_ROWS, parameter="audit")

    def layers(self, scores: Floats, others: Sequence[Floats], policies: Names) -> Floats:
        layers = super().layers(scores, others, policies)
        audited, judged = ~np.isnan(layers)
        some = (audited & judged).any(axis=1) & (~audited & judged).any(axis=1)
        text = f"{WHOLE_ROWS}, but some only of row {int(some.argmax()) + 1}"
        require(not some.any(), text, parameter="audit")
        return layers

    def ran(self, layers: Floats) -> Floats:
        judged: Floats = layers[1]
        return judged

    def scored(self, scores0: Floats, scores1: Floats) -> tuple[Floats, Floats]:
        audited = ~np.isnan(scores0)
        require(
            bool((audited == ~np.isnan(scores1)).all()),
            "a pair is audited or not: give the scores of both policies, or of neither",
            parameter="audit",
        )
        return scores0[audited], scores1[audited]

    def present(self, r0: Floats, r1: Floats) -> Bools:
        return np.asarray(~np.isnan(r0[1] + r1[1]))

    def pair(self, r0: Any, r1: Any) -> tuple[Any, Any] | None:
        if r0 is not None and r1 is not None:
            return r0, r1
        self.scored(*(np.array([math.nan if r is None else 0.0]) for r in (r0, r1)))  # may raise
        return None

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        return super().directed(self._audited(r0), self._audited(r1))

    def _audited(self, both: Floats) -> Floats:
        """Scores and a judge's as the test bets on them, in pairs audited or not."""
        kind = max(both.ndim - 2, 0)
        score, judged = both.take(0, axis=kind), both.take(1, axis=kind)
        audited = ~np.isnan(score)
        parts = [np.where(audited, score, 0.0), (audited - self.share) * judged]
        return np.stack(parts, axis=kind)

    def alone(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        score0, score1 = super().alone(r0, r1)
        return np.nan_to_num(score0), np.nan_to_num(score1)

    def cautions(self, met: Met) -> list[str]:
        audited = counted(int((~np.isnan(met.layers[0])).any(axis=1).sum()), "row")
        text = (
            f"claims are about the scores of people, who scored {audited}; each row is assumed to "
            f"be audited with chance {self.share:g}, drawn before it was run"
        )
        return [*Scores.cautions(self, met), text]

    def done(self) -> str:
        return (
            f"{Scores.done(self)}A judge scored every trial, and people scored those of rows "
            "selected at random in advance, each with probability "
            f"{self.share:g}; claims are about people's scores. "
        )


def _require_means(mean: Mapping[str, Any], rules: "Rules") -> None:
    low, high = rules.scale.ends
    text = f" needs the proxy's mean for each policy ({listed(rules.policies)}), within the bounds "
    within = all(is_number(value) and low <= value <= high for value in mean.values())
    named_all = within and {*mean} == {*rules.policies}
    require(named_all, named("proxy_mean"), f"{text}[{low:g}, {high:g}], but got {dict(mean)}")
