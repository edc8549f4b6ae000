"""What is declared before the data, as one value: it travels from every entry to every result."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from stopwise.core import registry
from stopwise.core.plain_values import plain_values
from stopwise.core.readings.composed import (
    COMPARED_BY,
    apart_in,
    bounds_of,
    reading_of,
    require_together,
)
from stopwise.core.readings.control import ProxyMeans
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.scenes import beside_scenes
from stopwise.core.readings.score import Scores
from stopwise.core.scores import MOST_TRIALS, is_number, numeric_array, require_whole
from stopwise.errors import require, require_choice
from stopwise.messages import named

T = TypeVar("T")

CHOICES = {
    "alternative": ("greater", "less", "two-sided"),
    "ties": ("paper", "strict"),
    "allocation": ("leader", "even"),
    "design": ("independent", "paired"),
}
# Settings that one goal has, and the others have not.
OF_GOALS = {
    "order": ("adjust", "baseline", "ties"),
    "best": ("indifference", "allocation", "later"),
}
# What follows from stored trials, those of a file, or simulated scenes: no keywords of their own.
FROM_TRIALS = ("groups", "stored", "proxy_batches", "whole_list", "rounds", "elsewhere")
# What several policies are saved with, in this order.
SETTINGS = (
    *("policies", "method", "alpha", "n_max", "bounds"),
    *("design", "adjust", "baseline", "ties"),
)


def pairs_of(policies: int, baseline: int | None) -> list[tuple[int, int]]:
    """Return the pairs (policy 0, policy 1) that are compared; a baseline is always policy 0."""
    if baseline is None:
        return list(itertools.combinations(range(policies), 2))
    return [(baseline, other) for other in range(policies) if other != baseline]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Everything that is declared before the data, as plain Python values that are checked once.

    It is frozen and can be stored as JSON. Every result carries the rules it was obtained under.
    What a keyword means, ``core/settings.py`` says.
    """

    policies: tuple[str, ...] = ("policy 0", "policy 1")
    method: str = "nscore-plus"
    alpha: float = 0.05
    n_max: int | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    design: str = "independent"
    alternative: str = "two-sided"
    margin: float = 0.0
    ties: str = "strict"
    adjust: str = "holm"
    goal: str = "order"
    baseline: str | None = None
    # A policy of its own, whose trials all have this score and are never run: its name is the
    # number, it is the last of the policies, and it is the baseline.
    reference: float | None = None
    indifference: float = 0.0
    allocation: str = "leader"
    later: tuple[str, ...] = ()
    equivalence: float | None = None
    # Numbers of trials, declared beforehand, of policies with more than n_max: rows hold averages.
    groups: Mapping[str, int] | None = None
    stored: tuple[str, ...] = ()  # policies that were run before: only the others are tried
    lower_is_better: bool = False
    by: str = "means"
    proxy_mean: ProxyMeans | None = None  # of g1 - g0, or for each pair of policies
    # For each pair, the mean of g1 - g0 in a batch of simulated scenes for each row.
    proxy_batches: tuple[tuple[float, ...], ...] | None = field(default=None, repr=False)
    audit: float | None = None
    list_size: int | None = None
    whole_list: bool = False  # all scenes were tried before: the totals decide
    rounds: tuple[float, ...] = ()  # of rows with a trial of every task: the tasks' shares
    elsewhere: tuple[int, int] = (0, 0)  # of other tasks that share alpha: pairs, and undecided
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, *, proxy_scores: object = None, **settings: Any) -> "Rules":
        """The rules of flat keywords; those of no field are the method's own parameters.

        Of simulated scenes, if there are any, each row gets a batch.
        """
        names = {entry.name for entry in fields(cls)}
        rules = cls(
            **{name: value for name, value in settings.items() if name in names},
            parameters={name: value for name, value in settings.items() if name not in names},
        )
        return rules if proxy_scores is None else beside_scenes(rules, proxy_scores)

    def __post_init__(self) -> None:
        require_choice("by", self.by, COMPARED_BY)
        self._set(bounds=bounds_of(self))
        usual = self._usual()
        require_together(vars(self), usual)
        self._set(**reading_of(self).placed())
        self._check_policies()
        self._set(
            alpha=self._number("alpha", 0.0, 1.0),
            parameters={key: _plain(value, key) for key, value in self.parameters.items()},
        )
        method = registry.find(self.method)
        if self.n_max is not None:
            self._set(n_max=require_whole(self.n_max, "n_max", 1, MOST_TRIALS))
        require(
            self.n_max is not None or not method.needs_n_max,
            f"{self.method} needs ",
            named("n_max"),
            ", the most trials per policy, declared before the first one",
        )
        for name, choices in CHOICES.items():
            require_choice(name, getattr(self, name), choices)
        self.reading.check_design()
        span = self.scale.span
        width = ", the width of the bounds"
        margin = self._number("margin", -span, span, width)
        self._set(margin=margin, indifference=self._number("indifference", 0.0, span, width))
        if self.equivalence is not None:
            self._set(equivalence=self._number("equivalence", 0.0, span, width))
        for name in ("margin", "equivalence"):
            text = f" needs a method that bets with a margin; {self.method} takes no margin"
            require(method.takes_margin or not getattr(self, name), named(name), text)
        if self.baseline is not None and margin < 0 and self.alternative == "two-sided":
            self._set(alternative="greater")  # a baseline is always policy 0
        require(
            margin >= 0 or self.alternative != "two-sided",
            "a negative margin (not worse) needs a ",
            named("baseline"),
            " that others are not to be worse than (a test of one pair: alternative 'greater' or "
            f"'less'), but got margin {margin!r} without",
        )
        for goal, names in OF_GOALS.items():
            for name in names:
                require(
                    self.takes(name) or getattr(self, name) == usual[name],
                    named(name),
                    f" belongs to the goal {goal!r}, but the goal is {self.goal!r}: leave it out",
                )
        self._set(stored=tuple(self.stored), groups=self.groups or None)
        self._set(**self.reading.checked())

    def _number(self, name: str, low: float, high: float, what: str = "") -> float:
        value, usual = getattr(self, name), self._usual()[name]
        # A margin as wide as the range would make the claim empty or certain.
        nearly = 1 - 1e-6
        inside = is_number(value) and (low * nearly < value < high * nearly or value == usual)
        text = f" must lie strictly between {low:g} and {high:g}{what}, but got {value!r}"
        require(inside, named(name), text)
        return float(value)

    def _check_policies(self) -> None:
        names = tuple(self.policies)
        few = f"a ranking needs at least 2 policies, but got {len(names)}"
        require(len(names) >= 2, few, code="few-policies", parameter="policies")
        for name in names:
            text = f"the names of policies must be text, but got {name!r}"
            require(isinstance(name, str) and bool(name.strip()), text, parameter="policies")
        twice = f"policies must be distinct, but got {', '.join(names)}"
        require(len(set(names)) == len(names), twice, parameter="policies")
        if self.baseline is not None:
            require_choice("baseline", self.baseline, names)
        for name in self.later:
            text = f"later must name some of the policies, but {name!r} is not one of them: list it"
            require(name in names, f"{text} under policies as well", parameter="later")
        first = len(names) - len(set(self.later))
        text = f"at least 2 policies must be there from the start, but only {first} of "
        require(first >= 2 or not self.later, f"{text}{len(names)} are", parameter="later")
        self._set(policies=names, later=tuple(self.later))

    def _set(self, **checked: Any) -> None:
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def _usual(cls) -> dict[str, Any]:
        return {entry.name: entry.default for entry in fields(cls)}

    def goes_with(self, **settings: Any) -> bool:
        """Whether these settings could have been declared beside the others."""
        return apart_in({**vars(self), **settings}, self._usual()) is None

    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    @cached_property
    def reading(self) -> Scores:
        """How what is observed becomes the numbers that are compared."""
        return reading_of(self)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs (policy 0, policy 1) that are compared, as places of policies."""
        baseline = None if self.baseline is None else self.policies.index(self.baseline)
        return pairs_of(len(self.policies), baseline)

    @cached_property
    def directions(self) -> tuple[int, ...]:
        """The policies of a pair that may be declared better, one test each."""
        return {"greater": (1,), "less": (0,), "two-sided": (1, 0)}[self.alternative]

    def takes(self, name: str) -> bool:
        return name in OF_GOALS.get(self.goal, ())

    @property
    def only_order(self) -> bool:
        """Whether every claim is that one policy is better than another."""
        return self.margin >= 0 and not self.equivalence

    @property
    def alike(self) -> float:
        """Differences below this may be none that matters; 0 where none is declared so."""
        return self.equivalence or self.indifference

    @property
    def scale(self) -> Scale:
        return self.reading.scale

    def among(
        self,
        policies: tuple[str, ...],
        baseline: str | None,
        stored: Mapping[str, int] | None = None,
    ) -> "Rules":
        return replace(
            self, policies=policies, baseline=baseline, groups=stored, stored=tuple(stored or ())
        )

    def settings(self) -> dict[str, Any]:
        """Return plain values from which equal rules can be made; what is usual is left out."""
        unusual = {
            entry.name: getattr(self, entry.name)
            for entry in fields(self)
            if entry.name not in (*SETTINGS, "parameters")
            and getattr(self, entry.name) != entry.default
        }
        return {**plain_values(self, SETTINGS), **unusual, **self.parameters}

    def compared(self) -> dict[str, Any]:
        """Entries of a saved answer about the comparison, without defaults."""
        same = {} if self.equivalence is None else {"equivalence": self.equivalence}
        return {**same, **self.reading.to_dict()}

    def identity(self) -> dict[str, Any]:
        """Return the settings with the edition of the method: what goes on later must have both."""
        return {**self.settings(), "edition": registry.edition_of(self.method)}


def _plain(value: Any, name: str) -> Any:
    """Return a parameter as plain Python numbers, strings, booleans or tuples of them."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic) or is_number(value):
        return value.item() if isinstance(value, np.generic) else float(value)
    array = numeric_array(value if hasattr(value, "__len__") else [value], name)
    return tuple(array.ravel().tolist())


def pair_rules(**settings: Any) -> Rules:
    """Make the rules of a test of one pair from the keywords that were given."""
    margin = settings.get("margin", 0.0)
    if is_number(margin) and margin < 0:
        settings.setdefault("alternative", "greater")
    if settings.get("reference") is not None:
        settings["policies"] = ("the policy",)
    return Rules.of(**settings)


class Delegated(property, Generic[T]):
    """A property that returns the attribute at a dotted path, such as ``"rules.alpha"``."""

    def __init__(self, path: str, doc: str) -> None:
        super().__init__(attrgetter(path))
        self.__doc__ = doc

    if TYPE_CHECKING:
        # A property returns Any to mypy; only so does each attribute have the type that it says.
        def __get__(self, instance: Any, owner: type | None = None, /) -> T: ...  # type: ignore[override]


class FromRules(Delegated[T]):
    """A property that returns what the ``rules`` of a result say."""

    def __init__(self, name: str, doc: str) -> None:
        super().__init__(f"rules.{name}", doc)
