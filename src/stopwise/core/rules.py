"""What is declared before the data, as one value: it travels from every entry to every result.

``core/settings.py`` says which of it each entry takes as keywords.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from stopwise.core import registry
from stopwise.core import rule_checks as checks
from stopwise.core.groups import checked_groups, trials_of
from stopwise.core.plain_values import plain_values
from stopwise.core.proxy import ProxyMeans, declared_proxy
from stopwise.core.readings.list_rules import declared_list
from stopwise.core.scores import OrderScale, Scale, is_number
from stopwise.errors import require, require_choice

T = TypeVar("T")

ALTERNATIVES = ("greater", "less", "two-sided")
TIES = ("paper", "strict")
ALLOCATIONS = ("leader", "even")
# What follows from stored trials, those of a file, or simulated scenes: no keywords of their own.
FROM_TRIALS = ("groups", "stored", "proxy_batches")
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
    *("proxy_mean", "proxy_batches", "audit", "list_size"),
)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Everything that is declared before the data, as plain Python values that are checked once.

    It is frozen and can be stored as JSON. Every result carries the rules it was obtained under.

    Attributes
    ----------
    policies
        Names of two or more policies; a test of one pair calls them "policy 0" and "policy 1".
    method, parameters
        Name of the method, see ``stopwise.methods()``, and the method's own parameters.
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
    alternative
        Of two policies: which may be declared better.
    margin
        By how much a policy must be better, in units of the score. A negative one asks whether it
        is not worse by that much or more: of one pair in one direction, else of each policy and
        the baseline.
    ties
        "strict": declaring an order between equal policies counts as an error. "paper": exact ties
        are assumed not to occur.
    adjust
        How alpha is shared among many claims: "bonferroni" or "holm".
    equivalence
        Policies whose means differ by less than this may be declared practically the same, or None.
    goal, baseline
        What is asked ("order": which policies are better than which; "best": which one is best),
        and the policy that all others are compared with, if not with each other.
    reference
        A number that policies are compared with instead of with each other, or None. It is a
        policy of its own whose trials all have this score and are never run: its name is the
        number, it is the last of the policies, and it is the baseline.
    indifference
        For the goal "best": a policy is good enough if it is within this of the best.
    allocation
        For the goal "best" in the independent design: "leader" tries the one that leads several
        times per row, "even" every candidate once.
    later
        For the goal "best": policies among the names that join later. Nothing is named before all
        of them have joined.
    proxy_mean
        Of a proxy, a cheap score of the same scene: the mean of g1 - g0 (of more than two
        policies, that of each pair); None without a proxy.
    proxy_batches
        For each compared pair of policies, the mean of g1 - g0 in a batch of simulated scenes for
        each pair of trials, on which bets rest if the mean is not known. Else None.
    audit
        With a judge's score of every trial as the proxy: the chance, drawn before, that people
        score both trials of a pair as well; claims are about their scores. None if all are scored.
    groups
        Numbers of trials, declared beforehand, of policies that have more than n_max: a row holds
        the average of a group of them (docs/design/groups.md).
    list_size
        Number of scenes of a fixed list, each tried once in an order drawn at random: claims are
        about this list, in this run. None where trials stand for scenes without end.
    stored
        Which of these were run before the study: only the others are tried.
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
    reference: float | None = None
    indifference: float = 0.0
    allocation: str = "leader"
    later: tuple[str, ...] = ()
    equivalence: float | None = None
    groups: Mapping[str, int] | None = None
    stored: tuple[str, ...] = ()
    lower_is_better: bool = False
    by: str = "means"
    proxy_mean: ProxyMeans | None = None
    proxy_batches: tuple[tuple[float, ...], ...] | None = field(default=None, repr=False)
    audit: float | None = None
    list_size: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, **settings: Any) -> "Rules":
        """Return the rules of flat keywords; those of no field are the method's own parameters."""
        own = {entry.name for entry in fields(cls)}
        return cls(
            **{name: value for name, value in settings.items() if name in own},
            parameters={name: value for name, value in settings.items() if name not in own},
        )

    def __post_init__(self) -> None:
        self._set(bounds=checks.checked_bounds(self))
        if self.reference is not None:
            self._place_reference(self.reference)
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
        checks.check_wins(self)
        self._set(indifference=checks.checked_indifference(self), later=checks.checked_later(self))
        asked = self.reference is None or self.alternative == "two-sided"
        if asked and self.baseline is not None and is_number(self.margin) and self.margin < 0:
            self._set(alternative="greater")  # a baseline is always policy 0
        self._set(margin=checks.checked_margin(self))
        checks.check_goal(self)
        self._set(equivalence=checks.checked_equivalence(self), stored=tuple(self.stored))
        self._set(groups=checked_groups(self))
        self._set(**declared_proxy(self))
        self._set(**declared_list(self))

    def _set(self, **checked: Any) -> None:
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _place_reference(self, reference: float) -> None:
        """Check the reference, and let it be the baseline and the last of the policies."""
        low, high = self.bounds
        require(
            self.by == "means" and not self.stored and not self.groups,
            "a reference is compared with means of trials: it works neither with wins nor with "
            "stored trials",
            parameter="reference",
        )
        require(
            is_number(reference) and low < reference < high,
            f"reference must lie strictly between {low:g} and {high:g}, the bounds of the score, "
            f"but got {reference!r}",
            parameter="reference",
        )
        takes = registry.find(self.method).takes_reference
        text = f"{self.method} compares two policies and takes no reference"
        require(takes, f"{text}; nscore-plus, nscore, wsr and step do", parameter="reference")
        require(
            self.goal == "order",
            f"a reference belongs to the goal 'order', but the goal is {self.goal!r}",
            parameter="reference",
        )
        self._set(reference=float(reference))
        name, names = self.reference_name, tuple(self.policies)
        require(
            self.baseline in (None, name),
            f"a reference is the baseline itself, but the baseline is {self.baseline!r}",
            parameter="baseline",
        )
        text = f"a policy cannot have the name of the reference, {name!r}"
        require(self.baseline == name or name not in names, text, parameter="policies")
        self._set(policies=names if name in names else (*names, name), baseline=name)

    @property
    def reference_name(self) -> str | None:
        """The name of the reference among the policies, or None if there is none."""
        return None if self.reference is None else f"{self.reference:.12g}"

    @property
    def scope(self) -> str:
        """What claims are about, as words behind them; empty for all scenes there may be."""
        if self.list_size is None:
            return ""
        return f" on these {self.list_size} scenes, in this run"

    @property
    def pair_names(self) -> tuple[str, str]:
        """What policy 0 and policy 1 of a test of one pair are called."""
        name = self.reference_name
        return ("policy 0", "policy 1") if name is None else (name, "the policy")

    @property
    def new_policies(self) -> tuple[str, ...]:
        """The policies that are tried: neither a reference nor those with stored trials."""
        return tuple(name for name in self.run_policies if name not in self.stored)

    @property
    def run_policies(self) -> tuple[str, ...]:
        """The policies that have trials: all but the reference."""
        return tuple(name for name in self.policies if name != self.reference_name)

    def takes(self, name: str) -> bool:
        """Whether the goal has this setting."""
        return name in checks.OF_GOALS.get(self.goal, ())

    def trials_of(self, policy: str, row: int) -> range:
        """Return the trials of a policy that a row takes, by their numbers."""
        return trials_of(None if self.groups is None else self.groups.get(policy), self.n_max, row)

    @cached_property
    def scale(self) -> Scale:
        """The declared range of the score."""
        kind = OrderScale if self.by == "wins" else Scale
        return kind(*self.bounds, self.lower_is_better)

    def advantage(self, difference: float) -> float:
        """Return how much better policy 1 is whose mean (or share of wins) is so much greater."""
        return -difference if self.lower_is_better and self.by == "means" else difference

    def beside_reference(self, advantage: tuple[float, float]) -> tuple[float, float]:
        """Return the interval of a policy's mean, given that of its advantage over the reference.

        A number has no noise: what is known of the difference is known of the mean.
        """
        ends = [(self.reference or 0.0) + self.advantage(end) for end in advantage]
        low, high = self.bounds
        return max(min(ends), low), min(max(ends), high)

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
        stored: Mapping[str, int] | None = None,
    ) -> "Rules":
        """Return the same rules for policies by other names."""
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
