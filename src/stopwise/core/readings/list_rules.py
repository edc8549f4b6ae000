"""The reading of a fixed list of scenes: each is tried once, in an order drawn at random."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stopwise.core.confidence import ConfidenceSequence
from stopwise.core.method import Method
from stopwise.core.readings.fixed_list import ListSequence, OnList
from stopwise.core.readings.score import Scores
from stopwise.core.scores import require_whole
from stopwise.errors import require
from stopwise.messages import Setting, counted, named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules


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
        size = require_whole(rules.list_size, "list_size", 1)
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
