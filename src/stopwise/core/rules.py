"""What is declared before the data, as one value: it travels from every entry to every result."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from stopwise.core import registry
from stopwise.core import rule_checks as checks
from stopwise.core.plain_values import plain_values
from stopwise.core.readings.composed import COMPARED_BY, bounds_of, reading_of
from stopwise.core.readings.control import ProxyMeans
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import Scores
from stopwise.core.readings.together import apart_in, require_together
from stopwise.errors import require_choice

T = TypeVar("T")

ALTERNATIVES = ("greater", "less", "two-sided")
TIES = ("paper", "strict")
ALLOCATIONS = ("leader", "even")
# What follows from stored trials, those of a file, or simulated scenes: no keywords of their own.
FROM_TRIALS = ("groups", "stored", "proxy_batches", "whole_list", "rounds", "elsewhere")
# What several policies are saved with, in this order.
SETTINGS = (
    *("policies", "method", "alpha", "n_max", "bounds"),
    *("design", "adjust", "baseline", "ties"),
)
# What a pair of policies is saved with, in this order.
PAIR_FIELDS = (
    *("method", "alpha", "n_max", "bounds", "alternative"),
    *("design", "margin", "ties", "parameters"),
    *("reference", "equivalence", "lower_is_better", "by"),
    *("proxy_mean", "proxy_batches", "audit", "list_size", "whole_list"),
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
    def of(cls, **settings: Any) -> "Rules":
        """Return the rules of flat keywords; those of no field are the method's own parameters."""
        names = {entry.name for entry in fields(cls)}
        return cls(
            **{name: value for name, value in settings.items() if name in names},
            parameters={name: value for name, value in settings.items() if name not in names},
        )

    def __post_init__(self) -> None:
        require_choice("by", self.by, COMPARED_BY)
        self._set(bounds=bounds_of(self))
        usual = self._usual()
        require_together(vars(self), usual)
        self._set(**reading_of(self).placed())
        self._set(
            policies=checks.checked_policies(self),
            alpha=checks.checked_alpha(self),
            n_max=checks.checked_n_max(self),
            parameters=checks.checked_parameters(self),
        )
        require_choice("alternative", self.alternative, ALTERNATIVES)
        require_choice("ties", self.ties, TIES)
        require_choice("allocation", self.allocation, ALLOCATIONS)
        checks.check_design(self)
        self._set(indifference=checks.checked_indifference(self), later=checks.checked_later(self))
        if self.baseline is not None and checks.asks_not_worse(self):
            self._set(alternative="greater")  # a baseline is always policy 0
        self._set(margin=checks.checked_margin(self))
        checks.check_goal(self, usual)
        self._set(equivalence=checks.checked_equivalence(self))
        self._set(stored=tuple(self.stored), groups=self.groups or None)
        self._set(**self.reading.checked())

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
        return name in checks.OF_GOALS.get(self.goal, ())

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

    def pair_settings(self) -> dict[str, Any]:
        """Return plain values from which an equal test of two policies can be made."""
        return {name: getattr(self, name) for name in PAIR_FIELDS}


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
