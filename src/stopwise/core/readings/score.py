"""The plain reading: scores of trials that meet in rows; other readings change parts of it."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.confidence import ConfidenceSequence
from stopwise.core.method import Method
from stopwise.core.readings.scale import Scale
from stopwise.core.scores import numeric_array
from stopwise.core.words import order_claim
from stopwise.errors import require
from stopwise.messages import Setting

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

Arrays = tuple[NDArray[Any], NDArray[Any]]
Two = tuple[float, float]
Names = tuple[str, ...]
# A score, with that of a proxy if there is one; None for a trial that has no score to offer.
Shown = float | tuple[float | None, float] | None
BOUNDS_UNDECLARED = "no bounds were declared: scores are assumed to lie in [0, 1]"
ROWS_INCOMPLETE = (
    "each pair uses only rows in which both policies have a trial; this is valid only if which "
    "trials are missing does not depend on the scores"
)
BESIDE = "scores of a proxy go with proxy_mean, its known mean: give both, or neither"


class Met(NamedTuple):
    """The trials behind an answer, as far as what is to be known of it depends on them."""

    layers: Floats  # by policies, those of several kinds along a first axis
    pairs: Sequence[Sequence[int]]  # the places of the policies that were compared
    incomplete: bool  # whether a trial is missing that was needed
    unbounded: bool  # whether no bounds were declared


class Scores:
    """How what was observed becomes the numbers that are compared, and what they are called.

    Scores of several kinds, such as those of a proxy beside the trials, lie along a first axis.
    """

    # What is compared, and how one policy beats another.
    means, mean = "means", "mean"
    beats, not_worse = "is better than", "is not worse than {}"
    either = "either policy is better"
    equal = "they are equal"
    measured = "difference"  # by a test of one pair
    # What is counted, and the word for a trial that is still to be run.
    unit, new = "pair", ""
    # Policies that are constants, with what they always score: they have no trials.
    constants: Mapping[str, float] = MappingProxyType({})
    pair_names = ("policy 0", "policy 1")
    transitive = True  # whether the better of two is better than all that are worse than the other
    ranged = True  # whether evidence grows with the part of the declared range that scores fill
    steady = True  # whether a claim of sameness assumes a difference that stays the same
    scope: str = ""  # what claims are about, as words behind them; empty for all scenes there are
    certain: str = ""  # in place of a promise, where claims follow from the scores alone
    inverts = True  # whether intervals can follow from the test itself, where the method inverts
    finite = False  # whether claims are about a fixed number of scenes
    gaps = True  # whether a row may go without a score that it asked for
    kinds = 1  # of scores in a row
    share = 1.0  # by what the difference that the test sees is smaller than the one claimed

    def __init__(self, rules: "Rules") -> None:
        self.rules = rules

    @staticmethod
    def declared(rules: "Rules") -> bool:  # noqa: ARG004
        """Whether the rules ask for this reading."""
        return True

    def placed(self) -> dict[str, Any]:
        """Settings that follow from the declaration, before anything else is checked."""
        return {}

    def checked(self) -> dict[str, Any]:
        """Settings of the reading as plain values, or an error if they cannot be so."""
        return {}

    def check_design(self) -> None:
        """Raise unless the method is proven for the design."""
        rules, proven = self.rules, registry.find(self.rules.method).designs
        for design in (rules.design, self.tested_design):
            require(
                design in proven,
                f"{rules.method} is proven only for the {' and '.join(proven)} design, not for ",
                Setting("design", design),
                "; nscore-plus, nscore and wsr hold for both",
            )

    # Which trials there are. A policy with a declared number of them gives each row several.

    @property
    def groups(self) -> Mapping[str, int]:
        return self.rules.groups or {}

    @property
    def run(self) -> tuple[str, ...]:
        """The policies that have trials."""
        return tuple(name for name in self.rules.policies if name not in self.constants)

    @property
    def tried(self) -> tuple[str, ...]:
        """The policies that are tried in this study."""
        return tuple(name for name in self.run if name not in self.rules.stored)

    def most(self, policy: str) -> int | None:
        """The most trials of a policy that count, where that was declared."""
        return self.groups.get(policy, self.rules.n_max)

    def several(self, policy: str) -> bool:
        """Whether a row takes several trials of a policy."""
        return policy in self.groups

    def starts(self, policy: str, rows: int) -> Ints:
        """The first trial of each of so many rows of a policy, and of the row behind them."""
        return np.arange(rows + 1) * (self.most(policy) or 1) // (self.rules.n_max or 1)

    def trials(self, policy: str, row: int) -> range:
        """The trials of a policy that a row takes, by their numbers."""
        number, n_max = self.most(policy) or 1, self.rules.n_max or 1
        return range(row * number // n_max, (row + 1) * number // n_max)

    # What a trial has, and what a row makes of its trials.

    def offered(self, score: float | None, other: float | None) -> Shown:
        """A result as rows take it; ``beside`` is the score of a proxy or a judge."""
        require(score is None or other is None, BESIDE, parameter="proxy_mean")
        return score

    def cell(self, policy: str, given: Any) -> tuple[Any, ...]:  # noqa: ARG002
        """The scores of one trial, of each kind that there is; None where one is missing."""
        return (given,)

    def check_row(self, row: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        """Raise if the trials of a row, each as ``cell`` gives it, do not belong together."""

    def counted(self, trials: Floats) -> Floats:
        """Those trials that count, of trials by policies along the last axes."""
        return trials[..., : self.rules.n_max, :]

    def layers(self, scores: Floats, others: Sequence[Floats], policies: Names) -> Floats:  # noqa: ARG002
        """Scores (trials, policies) of all kinds."""
        return np.stack([scores, *others]) if self.kinds > 1 else scores

    def rows(self, trials: Floats) -> Floats:
        """Rows by policies along the last axes, made of their trials in [0, 1]."""
        return trials

    def averaged(self, policy: str, cells: Floats) -> Floats:  # noqa: ARG002
        """What a row has of a policy, given its trials in [0, 1] along the last axis."""
        return cells[..., 0]

    def ran(self, layers: Floats) -> Floats:
        """Numbers (trials, policies) that are NaN for trials that were not run."""
        scores: Floats = layers[0] if self.kinds > 1 else layers
        return scores

    def values(self, layers: Floats) -> Floats:
        """Numbers (trials, policies) that the means of policies are of."""
        return layers if layers.ndim == 2 else layers[0]

    # From scores to what the test sees.

    @cached_property
    def scale(self) -> Scale:
        """The declared range of the score."""
        return Scale(*self.rules.bounds, self.rules.lower_is_better)

    @cached_property
    def tested_scale(self) -> Scale:
        """The range of what the test sees."""
        return self.scale

    @cached_property
    def tested_design(self) -> str:
        """The design that the test is made for."""
        return self.rules.design

    def for_method(self) -> dict[str, Any]:
        """What the method must know besides the rules."""
        return {}

    def test(self, plain: Method[Any]) -> Method[Any]:
        """The test of one direction, made of the plain one."""
        return plain

    def sequence(self, **settings: Any) -> ConfidenceSequence:
        """A confidence sequence of what is claimed about."""
        return ConfidenceSequence(**settings)

    def pair(self, r0: Any, r1: Any) -> tuple[Any, Any] | None:
        """One pair of scores, each of its policy; None for a pair without scores."""
        require(r0 is not None, "a pair without scores is one not audited: declare audit")
        if r1 is None:
            self.both(r0, r1)  # raises
        return r0, r1

    def both(self, scores0: object, scores1: object | None) -> Arrays:
        """Scores of both policies as arrays."""
        alone = "two policies are compared, but got scores of one; declare a reference, the "
        require(scores1 is not None, f"{alone}number to compare with, or give those of both")
        name0, name1 = self.pair_names
        return numeric_array(scores0, name0), numeric_array(scores1, name1)

    def beside(self, proxy: object, shape: tuple[int, ...]) -> Arrays | None:  # noqa: ARG002
        """What comes with scores of this shape, of both policies."""
        require(proxy is None, BESIDE, parameter="proxy_mean")
        return None

    def scored(self, scores0: Floats, scores1: Floats) -> tuple[Floats, Floats]:
        """Those pairs whose scores can be checked."""
        return scores0, scores1

    def met(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Two scores in [0, 1] as the test sees them."""
        return r0, r1

    def present(self, r0: Floats, r1: Floats) -> Bools:
        """Which pairs count: those with scores of both policies, of all kinds."""
        known = ~np.isnan(r0 + r1)
        return np.asarray(known.all(axis=0) if self.kinds > 1 and known.ndim > 1 else known)

    def gained(self, r0: Floats, r1: Floats, pair: int) -> float:  # noqa: ARG002
        """The mean advantage in [0, 1] of policy 1 over the pairs that count, NaN without any."""
        leads = self.leads(r0, r1)
        return float(leads.mean()) if leads.size else math.nan

    def tallied(self, scores: Two, unit: Two) -> tuple[Two, Two]:
        """A pair of scores as means are made of them, and scaled to [0, 1]."""
        return scores, unit

    def broader(self) -> "Rules | None":
        """Rules of a claim about more than this one, whose answer stands beside it."""
        return None

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Both scores with a last axis of directions, swapped where policy 0 is tested."""
        directions = self.rules.directions
        if directions == (1,):
            return r0[..., None], r1[..., None]
        if directions == (0,):
            return r1[..., None], r0[..., None]
        both = np.empty((2, *r0.shape, 2))  # quicker than stacks of single numbers
        both[0, ..., 0] = both[1, ..., 1] = r0
        both[0, ..., 1] = both[1, ..., 0] = r1
        low, high = both
        return low, high

    def leads(self, r0: Floats, r1: Floats) -> Floats:
        """The advantages in [0, 1] of policy 1 in those rows of a pair that have scores."""
        known = self.present(r0, r1)
        r0, r1 = self.alone(*self.met(r0[..., known], r1[..., known]))
        return r1 - r0

    def alone(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """The scores that are claimed about, without what stands beside them."""
        return (r0[0], r1[0]) if self.kinds > 1 else (r0, r1)

    # Back into the user's unit.

    def advantage(self, difference: float) -> float:
        """How much better policy 1 is whose mean is so much greater."""
        return -difference if self.rules.lower_is_better else difference

    def back(self, interval: tuple[float, float]) -> tuple[float, float]:
        """What is shown of the interval of a difference."""
        return interval

    def edge(self, margin: float) -> float:
        """The value that a decision lies beyond, in the unit of the interval shown."""
        return margin

    # Words.

    def cautions(self, met: Met) -> list[str]:
        """What may void the guarantee, or is to be known of it."""
        return [ROWS_INCOMPLETE] * met.incomplete + [BOUNDS_UNDECLARED] * met.unbounded

    def _lower(self, text: str, otherwise: str) -> str:
        return text if self.rules.lower_is_better else otherwise

    @property
    def gap(self) -> str:
        """What the interval of a pair is one of, of which more is better for policy 1."""
        return self._lower("advantage", "difference")

    def interval_of(self, policy: str) -> str:
        """What the interval of a test of one pair is one of."""
        return self._lower(f"{policy}'s advantage", "the difference")

    @property
    def mean_axis(self) -> str:
        return f"mean score{self._lower(' (lower is better)', '')}"

    @property
    def gap_axis(self) -> str:
        return self._lower("advantage (by how much its mean is lower)", "difference of means")

    @property
    def lower_text(self) -> str:
        return self._lower(", lower is better", "")

    @property
    def better_text(self) -> str:
        """What a reader must know of these means."""
        return self.lower_text

    @property
    def design_text(self) -> str:
        """The design, where there is one to speak of."""
        return f", {self.rules.design} design"

    def claim(self, winner: int, names: tuple[str, str] | None = None) -> str:
        """What is said of the winner of a test of one pair."""
        names = names or self.pair_names
        return order_claim(
            *(names[winner], names[1 - winner], self.rules.margin),
            beats=self.beats,
            not_worse=self.not_worse,
        )

    def means_text(self, mean0: str, mean1: str) -> str:
        """The means of both policies."""
        return f"{self.means} {mean0} (policy 0) and {mean1} (policy 1){self.better_text}"

    def meaning(self, design: str, claimed: str) -> list[str]:  # noqa: ARG002
        """What a declared order says, where it is not simply a higher mean."""
        said = [claimed] * bool(claimed)
        if not self.rules.lower_is_better:
            return said
        if self.rules.margin < 0:
            return [*said, "where a lower mean is better"]
        return ["a lower mean", *said]

    def compared(self, policies: str) -> str:
        """What was compared of these policies, for a section on methods."""
        low, high = self.rules.bounds
        return f"the mean scores (range [{low:g}, {high:g}]{self.lower_text}) of {policies}"

    def done(self) -> str:
        """What was done to the trials, in sentences for a section on methods."""
        return ""

    def ends(self, levels: Floats | None) -> tuple[float, float]:
        """The least and the greatest score that a test with these levels takes."""
        if levels is None:
            return self.rules.bounds
        low, high = sorted(self.scale.score(levels[[0, -1]]).tolist())
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """What a saved answer has of the reading; what is usual is left out."""
        return {"lower_is_better": True} if self.rules.lower_is_better else {}
