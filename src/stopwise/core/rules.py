"""What is declared before the data, as one value: it travels from every entry to every result.

``core/settings.py`` says which of it each entry takes as keywords.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from stopwise.core import registry
from stopwise.core.delegated import Delegated
from stopwise.core.groups import checked_groups, trials_of
from stopwise.core.plain_values import plain_values
from stopwise.core.randomness import drawn_seed
from stopwise.core.scores import OrderScale, Scale, is_number, numeric_array, require_whole
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, named

T = TypeVar("T")

ALTERNATIVES = ("greater", "less", "two-sided")
DESIGNS = ("independent", "paired")
TIES = ("paper", "strict")
ALLOCATIONS = ("leader", "even")
COMPARED_BY = ("means", "wins")
# What follows from stored trials, or from those of a file: no keywords of their own.
FROM_TRIALS = ("groups", "stored", "fresh")
# What several policies are saved with, in this order.
SETTINGS = (
    *("policies", "method", "alpha", "n_max", "bounds"),
    *("design", "adjust", "baseline", "ties"),
)
# What a pair of policies is saved with, in this order.
PAIR_FIELDS = (
    *("method", "alpha", "n_max", "bounds", "alternative"),
    *("design", "margin", "ties", "parameters"),
)
# What came later, and is saved with a pair only where it says something.
LATER_PAIR_FIELDS = ("lower_is_better", "by")


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Everything that is declared before the data, as plain Python values that are checked once.

    It is frozen and can be stored as JSON. Every result carries the rules it was obtained under.

    Attributes
    ----------
    policies
        Names of two or more policies; a test of one pair calls them "policy 0" and "policy 1".
    method, parameters
        Name of the method, see ``stopwise.methods()``, and the method's own parameters. A
        randomised method that was given no ``seed`` has one here that was drawn from the operating
        system when these rules were made: with it, the same scores give the same result again.
    alpha
        Probability, in (0, 1), of any false claim.
    n_max
        The declared maximum number of trials per policy, or None.
    bounds
        Range [A, B] of the score, known before the data; of no account for wins.
    lower_is_better
        Whether smaller scores are better, such as times. Scores keep their own unit everywhere; a
        margin, and the interval of a difference, are by how much policy 1 is better.
    by
        What makes a policy better: a better mean ("means"), or that it wins more often than it
        loses against the other ("wins"), for which scores need no bounds.
    design
        "independent", or "paired" when the policies share each row's environment.
    alternative, margin
        Of two policies: which may be declared better, and by how much.
    ties
        "strict": declaring an order between equal policies counts as an error. "paper": exact ties
        are assumed not to occur.
    adjust
        How alpha is shared among many claims: "bonferroni", "holm" or "closed".
    goal, baseline
        What is asked ("order": which policies are better than which; "best": which one is best),
        and the policy that all others are compared with, if not with each other.
    indifference
        For the goal "best": a policy is good enough if it is within this of the best.
    allocation
        For the goal "best" in the independent design: "leader" tries the one that leads several
        times per row, "even" every candidate once.
    later
        For the goal "best": policies among the names that join later. Nothing is named before all
        of them have joined.
    reserve
        For the goal "best": the part of alpha that is put aside for policies which join
        unannounced.
    groups
        Numbers of trials, declared beforehand, of policies that have more than n_max: a row holds
        the average of a group of them (docs/design/groups.md).
    stored
        Which of these were run before the study: only the others are tried.
    fresh
        How many new trials each stored policy gets, to see whether conditions are the same.
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
    indifference: float = 0.0
    allocation: str = "leader"
    later: tuple[str, ...] = ()
    reserve: float = 0.0
    groups: Mapping[str, int] | None = None
    stored: tuple[str, ...] = ()
    fresh: int = 0
    lower_is_better: bool = False
    by: str = "means"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, **settings: Any) -> "Rules":
        """Return the rules of flat keywords; those of no field are the method's own parameters."""
        own = {entry.name for entry in fields(cls)}
        return cls(
            **{name: value for name, value in settings.items() if name in own},
            parameters={name: value for name, value in settings.items() if name not in own},
        )

    @classmethod
    def recorded(cls, **settings: Any) -> "Rules":
        """Return the rules of flat keywords that were saved; as ``of``, but no seed is drawn."""
        return cls.of(**registry.with_recorded_seed(settings))

    def __post_init__(self) -> None:
        converted = {
            "policies": self._checked_policies(),
            "alpha": self._checked_alpha(),
            "n_max": self._checked_n_max(),
            "bounds": self._checked_bounds(),
            "parameters": self._with_seed(),
        }
        for name, value in converted.items():
            object.__setattr__(self, name, value)
        require_choice("alternative", self.alternative, ALTERNATIVES)
        require_choice("ties", self.ties, TIES)
        require_choice("allocation", self.allocation, ALLOCATIONS)
        self._check_design()
        self._check_wins()
        object.__setattr__(self, "indifference", self._checked_indifference())
        object.__setattr__(self, "later", tuple(self.later))
        object.__setattr__(self, "reserve", self._checked_reserve())
        object.__setattr__(self, "margin", self._checked_margin())
        object.__setattr__(self, "stored", tuple(self.stored))
        object.__setattr__(self, "groups", checked_groups(self))

    def _with_seed(self) -> dict[str, Any]:
        """Return the parameters as plain values, with the seed of a randomised method."""
        given = {key: _plain(value, key) for key, value in self.parameters.items()}
        if given.get("seed") is None:
            given.pop("seed", None)
            if registry.find(self.method).uses_seed(given):
                given["seed"] = drawn_seed()
        return given

    def _checked_policies(self) -> tuple[str, ...]:
        names = tuple(self.policies)
        few = f"a ranking needs at least 2 policies, but got {len(names)}"
        require(len(names) >= 2, few, code="few-policies", parameter="policies")
        for name in names:
            text = f"the names of policies must be text, but got {name!r}"
            require(isinstance(name, str), text, parameter="policies")
        twice = f"policies must be distinct, but got {', '.join(names)}"
        require(len(set(names)) == len(names), twice, parameter="policies")
        if self.baseline is not None:
            require_choice("baseline", self.baseline, names)
        return names

    def _checked_alpha(self) -> float:
        require(
            is_number(self.alpha) and 0 < self.alpha < 1,
            named("alpha"),
            f" must lie strictly between 0 and 1, but got {self.alpha!r}",
            code="bad-alpha",
        )
        return float(self.alpha)

    def _checked_n_max(self) -> int | None:
        n_max = None if self.n_max is None else require_whole(self.n_max, "n_max", 1)
        require(
            n_max is not None or not registry.find(self.method).needs_n_max,
            f"{self.method} needs ",
            named("n_max"),
            ", the most trials per policy, declared before the first one",
            code="n-max-missing",
        )
        return n_max

    def _check_design(self) -> None:
        require_choice("design", self.design, DESIGNS)
        proven = registry.find(self.method).designs
        require(
            self.by != "wins" or "paired" in proven,
            f"{self.method} is proven only for the independent design, and what two policies win "
            "of a pair is not independent: choose nscore-plus, nscore or wsr",
            parameter="by",
        )
        require(
            self.design in proven,
            f"{self.method} is proven only for the {' and '.join(proven)} design, not for ",
            Setting("design", self.design),
            "; nscore-plus, nscore and wsr hold for both",
            code="design-not-proven",
        )

    def _checked_bounds(self) -> tuple[float, float]:
        require_choice("by", self.by, COMPARED_BY)
        require(
            isinstance(self.lower_is_better, bool),
            f"lower_is_better must be True or False, but got {self.lower_is_better!r}",
            parameter="lower_is_better",
        )
        return (0.0, 1.0) if self.by == "wins" else Scale.declared(self.bounds).ends

    def _check_wins(self) -> None:
        """Raise where what is asked needs means: winning is not transitive."""
        if self.by != "wins":
            return
        given = Setting("by", "wins")
        require(
            self.goal == "order",
            "a best policy need not exist with ",
            given,
            ": a may win more often against b, b against c and c against a; ask for the order",
            code="best-of-wins",
        )
        require(
            self.adjust != "closed",
            "the closed adjustment goes through all orders of the policies, which ",
            given,
            " need not have; choose 'holm'",
            code="closed-wins",
        )

    def _checked_margin(self) -> float:
        span = Scale(*self.bounds).span
        # A margin as wide as the range would make the claim empty or certain.
        require(
            is_number(self.margin) and abs(self.margin) < (1 - 1e-6) * span,
            f"margin must lie strictly between -{span:g} and {span:g}, the width of the bounds, "
            f"but got {self.margin!r}",
            parameter="margin",
        )
        takes = registry.find(self.method).takes_margin
        require(self.margin == 0 or takes, f"{self.method} takes no margin", parameter="margin")
        require(
            self.margin >= 0 or self.alternative != "two-sided",
            "a negative margin (non-inferiority) is one-sided: choose alternative 'greater' or "
            f"'less', but got margin {self.margin!r} with 'two-sided'",
            parameter="margin",
        )
        return float(self.margin)

    def _checked_indifference(self) -> float:
        span = Scale(*self.bounds).span
        require(
            is_number(self.indifference) and 0 <= self.indifference < (1 - 1e-6) * span,
            f"indifference must be at least 0 and below {span:g}, the width of the bounds, but got "
            f"{self.indifference!r}",
            parameter="indifference",
        )
        self._only_for_best("indifference")
        return float(self.indifference)

    def _checked_reserve(self) -> float:
        require(
            is_number(self.reserve) and 0 <= self.reserve < self.alpha,
            f"reserve must be at least 0 and below alpha = {self.alpha:g}, but got "
            f"{self.reserve!r}",
            parameter="reserve",
        )
        for name in self.later:
            text = f"later must name some of the policies, but {name!r} is not one of them: list it"
            require(name in self.policies, f"{text} under policies as well", parameter="later")
        first = len(self.policies) - len(set(self.later))
        require(
            first >= 2 or not self.later,
            f"at least 2 policies must be there from the start, but only {first} of "
            f"{len(self.policies)} are",
            parameter="later",
        )
        self._only_for_best("later")
        self._only_for_best("reserve")
        return float(self.reserve)

    def trials_of(self, policy: str, row: int) -> range:
        """Return the trials of a policy that a row takes, by their numbers."""
        return trials_of(None if self.groups is None else self.groups.get(policy), self.n_max, row)

    def _only_for_best(self, name: str) -> None:
        require(
            not getattr(self, name) or self.goal == "best",
            f"{name} belongs to the goal 'best', but the goal is {self.goal!r}",
            parameter=name,
        )

    @cached_property
    def scale(self) -> Scale:
        """The declared range of the score."""
        kind = OrderScale if self.by == "wins" else Scale
        return kind(*self.bounds, self.lower_is_better)

    def advantage(self, difference: float) -> float:
        """Return how much better policy 1 is whose mean (or share of wins) is so much greater."""
        return -difference if self.lower_is_better and self.by == "means" else difference

    @property
    def means_in_words(self) -> tuple[str, str]:
        """What is compared, and how the better policy has it."""
        if self.by == "wins":
            return "shares of pairs won", "has won more often"
        return "means", f"has the {'lower' if self.lower_is_better else 'higher'} mean"

    def among(
        self,
        policies: tuple[str, ...],
        baseline: str | None,
        later: tuple[str, ...] = (),
        stored: Mapping[str, int] | None = None,
    ) -> "Rules":
        """Return the same rules for policies by other names."""
        return replace(
            self,
            policies=policies,
            baseline=baseline,
            later=later,
            groups=stored,
            stored=tuple(stored or ()),
        )

    def with_luck(self, seed: int) -> "Rules":
        """Return the same rules with this seed, if their method draws random numbers at all."""
        if not registry.find(self.method).uses_seed(self.parameters):
            return self
        return replace(self, parameters={**self.parameters, "seed": seed})

    def settings(self) -> dict[str, Any]:
        """Return plain values from which equal rules can be made; what is usual is left out.

        Journals and saved studies hold them, so a field added later appears only where it is used.
        """
        unusual = {
            entry.name: getattr(self, entry.name)
            for entry in fields(self)
            if entry.name not in (*SETTINGS, "parameters")
            and getattr(self, entry.name) != entry.default
        }
        return {
            **plain_values(self, SETTINGS),
            **unusual,
            **self.parameters,
        }

    def identity(self) -> dict[str, Any]:
        """Return the settings with the edition of the method: what goes on later must have both."""
        return {**self.settings(), "edition": registry.edition_of(self.method)}

    def pair_settings(self) -> dict[str, Any]:
        """Return plain values from which an equal test of two policies can be made."""
        later = {name: getattr(self, name) for name in LATER_PAIR_FIELDS}
        said = {name: value for name, value in later.items() if value != getattr(Rules, name)}
        return {name: getattr(self, name) for name in PAIR_FIELDS} | said


class FromRules(Delegated[T]):
    """A property that returns what the ``rules`` of a result say."""

    def __init__(self, name: str, doc: str) -> None:
        super().__init__(f"rules.{name}", doc)


def _plain(value: Any, name: str) -> Any:
    """Return a parameter as plain Python numbers, strings, booleans or tuples of them."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic) or is_number(value):
        return value.item() if isinstance(value, np.generic) else float(value)
    array = numeric_array(value if hasattr(value, "__len__") else [value], name)
    return tuple(array.ravel().tolist())
