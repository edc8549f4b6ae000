"""Rows of averages: which trials a row takes of a policy that has more of them than n_max."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Floats, Ints
from stopwise.core.readings.score import Met, Scores
from stopwise.core.scores import numeric_array, require_whole
from stopwise.errors import require
from stopwise.messages import named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules


def stored_scores(stored: Any) -> dict[str, list[Any]]:
    rule = "stored must name each policy with its scores, as in {'old': [0, 1, 1]}"
    by_name = stored is None or isinstance(stored, Mapping)
    require(by_name, f"{rule}, but got {type(stored).__name__}", parameter="stored")
    scores_by_name: dict[str, list[Any]] = {}
    for name, given in (stored or {}).items():
        scores = numeric_array(given, f"stored trials of {name!r}")
        require(
            (scores.ndim == 1 or scores.shape[1:] == (2,)) and not np.isnan(scores).any(),
            f"stored trials of {name!r} must be one row of numbers, each a score (with a proxy, "
            "rows of a score and that of the proxy)",
            parameter="stored",
        )
        scores_by_name[name] = scores.astype(float).tolist()
    return scores_by_name


def averages(trials: Floats, starts: Ints) -> Floats:
    """Averages of groups of trials in [0, 1] (along the last axis) that begin at these."""
    known = ~np.isnan(trials)
    sums = np.add.reduceat(np.where(known, trials, 0.0), starts, axis=-1)
    counts = np.add.reduceat(known.astype(np.int64), starts, axis=-1)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    # Of scores at a bound the average may be off by a rounding error.
    inside: Floats = np.clip(means, 0.0, 1.0)
    return inside


class Averages(Scores):
    """Rows of averages, of policies whose numbers of trials were declared beforehand."""

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return bool(rules.groups or rules.stored)

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        self.new = "new " if rules.stored else ""

    def counted(self, trials: Floats) -> Floats:
        numbers = [self.most(name) for name in self.rules.policies]
        most = max((number for number in numbers if number is not None), default=None)
        kept = trials[..., :most, :].copy()
        for index, number in enumerate(numbers):
            kept[..., number:, index] = np.nan
        return kept

    def rows(self, trials: Floats) -> Floats:
        n_max = self.rules.n_max
        if n_max is None:
            return trials
        rows = np.full((*trials.shape[:-2], n_max, trials.shape[-1]), np.nan)
        for index, name in enumerate(self.rules.policies):
            starts = self.starts(name, n_max)
            padded = np.full((*trials.shape[:-2], int(starts[-1])), np.nan)
            given = trials[..., : int(starts[-1]), index]
            padded[..., : given.shape[-1]] = given
            rows[..., index] = averages(padded, starts[:-1])
        known = ~np.isnan(rows.reshape(-1, *rows.shape[-2:])).all(axis=0)
        meeting = np.flatnonzero(known.sum(axis=1) > 1)
        return rows[..., : meeting.max(initial=-1) + 1, :]

    def averaged(self, policy: str, cells: Floats) -> Floats:
        return super().averaged(policy, averages(cells, np.array([0])))

    def cautions(self, met: Met) -> list[str]:
        cautions = super().cautions(met)
        if self.groups:
            numbers = ", ".join(f"{name} {number}" for name, number in self.groups.items())
            text = (
                f"rows hold averages of groups of trials ({numbers} in {self.rules.n_max} rows), "
                "which is valid only if these numbers, and n_max with them, were fixed before any "
                "score was seen"
            )
            cautions.append(text)
        if self.rules.stored:
            text = (
                f"the stored trials of {', '.join(self.rules.stored)} are assumed to come from the "
                "conditions of today: the same robot, scenes and scoring"
            )
            cautions.append(text)
        return cautions

    def done(self) -> str:
        rules, said = self.rules, super().done()
        if self.groups:
            numbers = ", ".join(f"{number} of {name}" for name, number in self.groups.items())
            said += (
                f"For policies with more trials ({numbers}), each row averages a group of trials, "
                "whose size was fixed by these numbers before any score was seen. "
            )
        if rules.stored:
            said += (
                f"The trials of {' and '.join(rules.stored)} were run before the study and are "
                "assumed to come from the same conditions as the others. "
            )
        return said

    def for_method(self) -> dict[str, Any]:
        return {**super().for_method(), "averages": bool(self.rules.groups)}

    def checked(self) -> dict[str, Any]:
        rules = self.rules
        for name in (*(rules.groups or {}), *rules.stored):
            known = f"policies are {', '.join(rules.policies)}, but got stored trials of {name!r}"
            require(name in rules.policies, known, parameter="stored")
        require(
            not {*rules.policies} <= {*rules.stored},
            "all policies have stored trials, so there is none to try: use ",
            named("unequal"),
            " of analyze",
        )
        checked = {**super().checked(), "stored": tuple(rules.stored)}
        return {**checked, "groups": self._numbers(rules.groups) if rules.groups else None}

    def _numbers(self, groups: Mapping[str, int]) -> dict[str, int]:
        rules = self.rules
        method = registry.find(rules.method)
        require(
            method.scores == "any" and rules.parameters.get("bin_values") is None,
            f"averages of groups need a method that takes any score, but {rules.method} does not: "
            "choose nscore-plus, nscore (without bin_values) or wsr",
            parameter="method",
        )
        require(
            rules.n_max is not None,
            "the sizes of groups follow from ",
            named("n_max"),
            ", the most trials of a policy that is tried: declare it",
        )
        assert rules.n_max is not None
        for name, number in groups.items():
            require_whole(number, f"the number of trials of {name!r}", 1)
            require(
                number >= rules.n_max,
                f"{name!r} has {number} trials, but n_max is {rules.n_max}: each row needs one, so "
                f"declare an n_max of at most {number}",
                parameter="n_max",
            )
        return {name: int(number) for name, number in groups.items()}
