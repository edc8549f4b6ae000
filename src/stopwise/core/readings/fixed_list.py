"""A fixed list of scenes, each tried once in an order drawn at random: who scores higher on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.confidence import CAUTION, Bet, ConfidenceSequence, ConfidenceState
from stopwise.core.futility import MayBeFutile
from stopwise.core.method import Citation, Method
from stopwise.core.readings.score import Scores
from stopwise.core.scores import MOST_TRIALS, require_whole
from stopwise.errors import require
from stopwise.messages import Setting, counted, named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# Sums of scores are rounded towards the null by this much per scene: a tie in tenths stays one.
ROUNDING = 1e-12
# The logarithm of the evidence where the scenes left cannot change the answer.
CERTAIN = 1e4
# Effects that bets hope for, in deviations of the whole list.
DRIFTS = np.array([2.0, 3.0, 5.0, 9.0])
# Scenes, and their squared differences, that are counted before the first.
PRIOR_SCENES, PRIOR_SQUARE = 8.0, 0.25
# Of few scenes that differ all may be of one sign; of more than so many not beyond this share.
FEW_DIFFER, LOPSIDED = 25.0, 0.8
# What decides does so by this share of the evidence, so that rounding cannot undo it.
ENOUGH = 1e-6
TINY = 1e-12


class ListState(NamedTuple):
    """Sums over the scenes seen, the wealth, and the last bet."""

    pairs: Floats
    total: Floats  # of differences, and of their second and fourth powers
    square: Floats
    fourth: Floats
    log_e: Floats
    amount: Floats


def null_mean(size: int, margin: Floats | float, pairs: Floats, total: Floats) -> Floats:
    """Mean of the next difference if that of the list is the margin; rounded up."""
    left: Floats = margin * size - total + ROUNDING * size
    return left / np.maximum(size - pairs, TINY)


@dataclass(frozen=True, kw_only=True)
class OnList(MayBeFutile[ListState]):
    """One direction of a test of H0: on the list, mean1 <= mean0 + margin."""

    list_size: int
    # Whether to bet on what the scenes left will show; else only what they cannot change is shown.
    bets: bool = True

    name: ClassVar[str] = "nscore-plus"
    summary: ClassVar[str] = "bets on scenes of a fixed list, drawn without replacement"
    citation: ClassVar[Citation] = Citation(
        "I. Waudby-Smith and A. Ramdas",
        "Confidence sequences for sampling without replacement",
        "NeurIPS 33",
        2020,
        addition=", with the bets of stopwise",
    )
    designs: ClassVar[tuple[str, ...]] = ("independent", "paired")
    needs_independence: ClassVar[bool] = False
    inverts: ClassVar[bool] = True
    ends: ClassVar[bool] = True

    def start(self, shape: tuple[int, ...]) -> ListState:
        return ListState._make(np.zeros(shape) for _ in ListState._fields)

    def step(self, state: ListState, r0: Floats, r1: Floats) -> ListState:
        """State after one more scene; the bet uses only the state before it."""
        difference = r1 - r0
        null = self.null(state)
        amount = self._amount(state, null, self.margin, -np.log(self.alpha) - state.log_e)
        factor = 1.0 + amount * (difference - null)
        after = state._replace(
            pairs=state.pairs + 1.0,
            total=state.total + difference,
            square=state.square + difference**2,
            fourth=state.fourth + difference**4,
            log_e=state.log_e + np.log(np.maximum(factor, TINY)),
            amount=amount,
        )
        known = (state.log_e >= CERTAIN) | self._refuted(after)
        return after._replace(log_e=np.where(known, CERTAIN, after.log_e))

    def null(self, state: ListState) -> Floats:
        return null_mean(self.list_size, self.margin, state.pairs, state.total)

    def futile(self, state: ListState) -> Bools:
        futile: Bools = self.closed(state) | super().futile(state)
        return futile

    def closed(self, state: ListState) -> Bools:
        """Whether the scenes left cannot make the claim true."""
        closed: Bools = self._to_come(state) >= self._most * (self.list_size - state.pairs)
        return closed

    def chance(self, state: ListState) -> Floats | None:
        return None if self.n_max == self.list_size else super().chance(state)

    def margin_fall(self, before: ListState, after: ListState, r0: Floats, r1: Floats) -> Floats:
        factor = 1.0 + after.amount * (r1 - r0 - self.null(before))
        stretch = self.list_size / (self.list_size - before.pairs)
        fall: Floats = after.amount * stretch / np.maximum(factor, TINY)
        return np.where(after.log_e >= CERTAIN, 0.0, fall)

    def bets_at(self, state: Any, margins: Floats, need: Floats, size: Floats) -> Bet:
        state = ListState._make(array[..., None] for array in state)
        null = null_mean(self.list_size, margins, state.pairs, state.total)
        amount = self._amount(state, null, margins, need, self._least[..., None])
        none = np.zeros_like(amount)
        return Bet(amount * size, none, none)

    @property
    def _least(self) -> Floats:
        """By how much a difference may lie below 0, in each direction."""
        return np.array(self.number) if self.number else np.ones(1)

    @property
    def _most(self) -> Floats:
        return 1.0 - self._least if self.number else self._least

    def _refuted(self, state: ListState) -> Bools:
        """Whether the null is impossible, whatever the scenes left show."""
        refuted: Bools = self._to_come(state) < -self._least * (self.list_size - state.pairs)
        return refuted

    def _to_come(self, state: ListState) -> Floats:
        """What the scenes left add up to at the edge of the null, rounded up."""
        return self.margin * self.list_size - state.total + ROUNDING * self.list_size

    def _standardised(self, state: ListState) -> tuple[Floats, Floats]:
        _, second = self._moments(state)
        return state.pairs, (state.total - state.pairs * self.margin) / np.sqrt(second)

    def _moments(self, state: ListState) -> tuple[Floats, Floats]:
        """Size of a typical difference that is not 0, and the mean square of all."""
        atom = np.where(state.square > 0, state.fourth / np.maximum(state.square, TINY), 1.0)
        second = state.square + PRIOR_SCENES * PRIOR_SQUARE * atom
        return np.sqrt(atom), second / (state.pairs + PRIOR_SCENES)

    def _amount(
        self,
        state: ListState,
        null: Floats,
        margin: Floats | float,
        need: Floats,
        least: Floats | None = None,
    ) -> Floats:
        """Bet of greatest growth on a hoped effect, for differences of -size, 0 and size."""
        least = self._least if least is None else least
        left = np.maximum(self.list_size - state.pairs, TINY)
        size, second = self._moments(state)
        spread = state.square + left * second - self.list_size * margin**2
        spread = np.maximum(spread, 0.1 * self.list_size * second)
        deviation = np.sqrt(spread)
        effect = _hoped(state.pairs / left, (margin - null) * self.list_size / deviation)
        effect = effect * deviation / left / size
        mean = null / size
        square = np.maximum(second / size**2, np.abs(mean) + TINY)
        differ = spread / size**2
        most = square * (1.0 - LOPSIDED * differ / (differ + FEW_DIFFER))
        effect = np.clip(effect, 0.0, np.maximum(most - mean, 0.0))
        up, down = 0.5 * (square + mean), 0.5 * (square - mean)
        win = (up + 0.5 * effect) * down
        loss = up * np.maximum(down - 0.5 * effect, 0.0)
        scale = (1.0 - mean) * loss + (1.0 + mean) * win
        amount = (win - loss) / np.maximum(scale, TINY) / size
        # Where policies seldom differ, scenes on which they are alike decide sooner than a win.
        gain = np.expm1(np.clip(need, 0.0, 50.0) + ENOUGH)
        by_win = (square + mean + effect) * gain > -null * amount
        enough = gain / np.maximum(size * by_win - null, TINY)
        amount = np.clip(amount, 0.0, enough) * self.bets
        return _affordable(amount, null, least)


def _affordable(amount: Floats, null: Floats, least: Floats | float) -> Floats:
    """The bet, or what the worst scene leaves some wealth to; none on what cannot be shown."""
    worst = np.maximum(least + null, TINY)
    return np.where(null >= 1.0, 0.0, np.minimum(amount, CAUTION / worst))


def _hoped(time: Floats, shown: Floats) -> Floats:
    """Mean of the effects that a mixture hopes for, given what was shown by this time."""
    weights = shown[..., None] * DRIFTS - 0.5 * time[..., None] * DRIFTS**2
    weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
    hoped: Floats = (weights * DRIFTS).sum(axis=-1) / weights.sum(axis=-1)
    return hoped


@dataclass(frozen=True, kw_only=True)
class ListSequence(ConfidenceSequence):
    """Bounds on the mean of r1 - r0 over a list of so many scenes; in the end a point."""

    list_size: int

    def bounds(self, state: ConfidenceState) -> tuple[Floats, Floats]:
        """Ends of the interval, no wider than the scenes left allow."""
        left = self.list_size - state.pairs
        below = self.number[0] if self.number else 1.0
        above = 1.0 - below if self.number else 1.0
        mean = np.round(state.total / self.list_size, 12) + 0.0  # no "-0"
        least, most = mean - below * left / self.list_size, mean + above * left / self.list_size
        low, high = super().bounds(state)
        return np.clip(low, least, most), np.clip(high, least, most)

    def _nulls(self, state: ConfidenceState) -> tuple[Floats, Floats]:
        """What the nodes say of the next group, and how fast that rises with them."""
        seen = (state.pairs - state.waiting)[..., None, None]
        total = state.total - (state.total1 - state.total0)
        signed = (total[..., None] * self._signs)[..., None]
        return null_mean(self.list_size, state.node, seen, signed), self.list_size / np.maximum(
            self.list_size - seen, TINY
        )

    def _amounts(self, bet: Bet, null: Floats) -> Floats:
        least = np.array(self.number)[:, None] if self.number else 1.0
        return _affordable(bet.amount, null, least)


def numbers_of(
    stored: Mapping[str, Sequence[float]], settings: Mapping[str, Any]
) -> dict[str, int]:
    """Return the numbers of stored trials, of which rows take groups; of a list, one each."""
    numbers = {name: len(scores) for name, scores in stored.items()}
    size = settings.get("list_size")
    if size is None:
        return numbers
    for name, number in numbers.items():
        text = f"{name!r} has {counted(number, 'stored trial')}, but the list has {size} scenes: "
        require(number == size, f"{text}one of each is needed", parameter="stored")
    return {}


class Listed(Scores):
    """Scores of scenes drawn without replacement, and their mean over the list."""

    # On a list the difference of all scenes is what it is.
    steady = False
    gaps = False
    finite = True

    def __init__(self, rules: "Rules") -> None:
        super().__init__(rules)
        self.scope = f" on these {rules.list_size} scenes, in this run"
        self.certain = "all scenes were tried, so the totals decide" if rules.whole_list else ""

    @staticmethod
    def declared(rules: "Rules") -> bool:
        return rules.list_size is not None

    @property
    def size(self) -> int:
        assert self.rules.list_size is not None
        return self.rules.list_size

    def checked(self) -> dict[str, Any]:
        rules = self.rules
        size = require_whole(rules.list_size, "list_size", 1, MOST_TRIALS)
        text = f"list_size={size} goes with nscore-plus: {rules.method} is not proven without "
        require(rules.method == "nscore-plus", f"{text}replacement", parameter="list_size")
        n_max = size if rules.n_max is None else rules.n_max
        require(
            n_max <= size,
            named("n_max"),
            f" = {n_max} is more than the {size} scenes of the list: each is tried once; leave it "
            "out, or declare ",
            Setting("list_size", n_max),
        )
        require(
            self.transitive or rules.design == "paired",
            "how often a policy wins on a list depends on which scenes meet: wins need the paired "
            "design, where policies meet on each scene",
            parameter="design",
        )
        # A policy that a row tries twice is through with its list before the others.
        even = {"allocation": "even"} if rules.goal == "best" else {}
        return {**super().checked(), **even, "list_size": size, "n_max": n_max}

    def broader(self) -> "Rules":
        return replace(self.rules, list_size=None, whole_list=False)

    def test(self, plain: Method[Any]) -> Method[Any]:
        bets = not self.rules.whole_list
        return super().test(plain).as_a(OnList, list_size=self.size, bets=bets)

    def sequence(self, **settings: Any) -> ConfidenceSequence:
        return ListSequence(**settings, list_size=self.size)
