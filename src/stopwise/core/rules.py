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
from stopwise.core.plain_values import plain_values
from stopwise.core.proxy import declared_proxy
from stopwise.core.randomness import drawn_seed
from stopwise.core.scores import Scale, is_number, numeric_array, require_whole
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, named

T = TypeVar("T")

ALTERNATIVES = ("greater", "less", "two-sided")
DESIGNS = ("independent", "paired")
TIES = ("paper", "strict")
ALLOCATIONS = ("leader", "even")
# Settings that one goal has, and the others have not.
OF_GOALS = {
    "order": ("adjust", "baseline", "ties"),
    "best": ("top", "indifference", "allocation", "later", "reserve"),
}
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
        Range [A, B] of the score, known before the data.
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
        How alpha is shared among many claims: "bonferroni", "holm" or "closed".
    equivalence
        Policies whose means differ by less than this may be declared practically the same, or None.
    goal, baseline
        What is asked ("order": which policies are better than which; "best": which one is best),
        and the policy that all others are compared with, if not with each other.
    top
        For the goal "best": how many of the best are to be named together.
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
    reserve
        For the goal "best": the part of alpha that is put aside for policies which join
        unannounced.
    proxy_mean, proxy_share
        Of a proxy, a cheap score of the same scene: bounds of the mean of g1 - g0, equal if it is
        known, and the share of alpha that they cost; None without a proxy.
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
    top: int = 1
    reference: float | None = None
    indifference: float = 0.0
    allocation: str = "leader"
    later: tuple[str, ...] = ()
    reserve: float = 0.0
    equivalence: float | None = None
    proxy_mean: tuple[float, float] | None = None
    proxy_share: float | None = None
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
        object.__setattr__(self, "bounds", Scale.declared(self.bounds).ends)
        if self.reference is not None:
            self._place_reference(self.reference)
        converted = {
            "policies": self._checked_policies(),
            "alpha": self._checked_alpha(),
            "n_max": self._checked_n_max(),
            "parameters": self._with_seed(),
        }
        for name, value in converted.items():
            object.__setattr__(self, name, value)
        require_choice("alternative", self.alternative, ALTERNATIVES)
        require_choice("ties", self.ties, TIES)
        require_choice("allocation", self.allocation, ALLOCATIONS)
        self._check_design()
        object.__setattr__(self, "top", require_whole(self.top, "top", 1))
        require(
            self.top < len(self.policies),
            named("top"),
            f" must be below {len(self.policies)}, the number of policies, but got {self.top}",
            code="bad-top",
        )
        object.__setattr__(self, "indifference", self._checked_indifference())
        object.__setattr__(self, "later", tuple(self.later))
        object.__setattr__(self, "reserve", self._checked_reserve())
        if self.baseline is not None and is_number(self.margin) and self.margin < 0:
            object.__setattr__(self, "alternative", "greater")  # a baseline is always policy 0
        object.__setattr__(self, "margin", self._checked_margin())
        self._check_goal()
        object.__setattr__(self, "equivalence", self._checked_equivalence())
        mean, share = declared_proxy(self, takes=registry.find(self.method).takes_proxy)
        object.__setattr__(self, "proxy_mean", mean)
        object.__setattr__(self, "proxy_share", share)

    def _with_seed(self) -> dict[str, Any]:
        """Return the parameters as plain values, with the seed of a randomised method."""
        given = {key: _plain(value, key) for key, value in self.parameters.items()}
        if given.get("seed") is None:
            given.pop("seed", None)
            if registry.find(self.method).uses_seed(given):
                given["seed"] = drawn_seed()
        return given

    def _place_reference(self, reference: float) -> None:
        """Check the reference, and let it be the baseline and the last of the policies."""
        low, high = self.bounds
        require(
            is_number(reference) and low < reference < high,
            f"reference must lie strictly between {low:g} and {high:g}, the bounds of the score, "
            f"but got {reference!r}",
            parameter="reference",
        )
        takes = registry.find(self.method).takes_reference
        text = f"{self.method} compares two policies and takes no reference"
        require(
            takes, f"{text}; nscore-plus, nscore, wsr, step and welch do", parameter="reference"
        )
        require(
            self.goal == "order",
            f"a reference belongs to the goal 'order', but the goal is {self.goal!r}",
            parameter="reference",
        )
        object.__setattr__(self, "reference", float(reference))
        name, names = self.reference_name, tuple(self.policies)
        require(
            self.baseline in (None, name),
            f"a reference is the baseline itself, but the baseline is {self.baseline!r}",
            parameter="baseline",
        )
        text = f"a policy cannot have the name of the reference, {name!r}"
        require(self.baseline == name or name not in names, text, parameter="policies")
        object.__setattr__(self, "policies", names if name in names else (*names, name))
        object.__setattr__(self, "baseline", name)

    @property
    def reference_name(self) -> str | None:
        """The name of the reference among the policies, or None if there is none."""
        return None if self.reference is None else f"{self.reference:.12g}"

    @property
    def pair_names(self) -> tuple[str, str]:
        """What policy 0 and policy 1 of a test of one pair are called."""
        name = self.reference_name
        return ("policy 0", "policy 1") if name is None else (name, "the policy")

    @property
    def run_policies(self) -> tuple[str, ...]:
        """The policies that have trials: all but the reference."""
        return tuple(name for name in self.policies if name != self.reference_name)

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
            self.design in proven or self.reference is not None,
            f"{self.method} is proven only for the {' and '.join(proven)} design, not for ",
            Setting("design", self.design),
            "; nscore-plus, nscore and wsr hold for both",
            code="design-not-proven",
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
        if self.reference is not None:
            self._check_edges(self.reference, float(self.margin))
        takes = registry.find(self.method).takes_margin
        require(self.margin == 0 or takes, f"{self.method} takes no margin", parameter="margin")
        require(
            self.margin >= 0 or self.alternative != "two-sided",
            "a negative margin (not worse) needs a ",
            named("baseline"),
            " that others are not to be worse than (a test of one pair: alternative 'greater' or "
            f"'less'), but got margin {self.margin!r} without",
            code="margin-without-baseline",
        )
        return float(self.margin)

    def _checked_equivalence(self) -> float | None:
        if self.equivalence is None:
            return None
        span, method = Scale(*self.bounds).span, registry.find(self.method)
        require(
            is_number(self.equivalence) and 0 < self.equivalence < (1 - 1e-6) * span,
            named("equivalence"),
            f" must be above 0 and below {span:g}, the width of the bounds, but got "
            f"{self.equivalence!r}",
            code="bad-equivalence",
        )
        require(
            method.takes_margin and method.anytime,
            named("equivalence"),
            f" needs a method that bets with a margin; {self.method} "
            + ("answers only at n_max" if method.takes_margin else "takes no margin"),
            code="equivalence-not-offered",
        )
        for name, so, needed in (
            ("alternative", self.alternative == "two-sided", "two-sided"),
            ("margin", self.margin == 0, 0),
            ("goal", self.goal == "order", "order"),
        ):
            require(
                so,
                named("equivalence"),
                " needs ",
                Setting(name, needed),
                f", but got {getattr(self, name)!r}",
                code="equivalence-settings",
            )
        return float(self.equivalence)

    def _check_edges(self, reference: float, margin: float) -> None:
        """Raise unless scores can lie on both sides of what is tested."""
        low, high = self.bounds
        for edge, way in ((reference + margin, "greater"), (reference - margin, "less")):
            require(
                self.alternative not in (way, "two-sided") or low < edge < high,
                f"with margin {margin:g} a mean is held against {edge:g}, which does not lie "
                f"strictly between the bounds {low:g} and {high:g}",
                parameter="margin",
            )

    def _checked_indifference(self) -> float:
        span = Scale(*self.bounds).span
        require(
            is_number(self.indifference) and 0 <= self.indifference < (1 - 1e-6) * span,
            f"indifference must be at least 0 and below {span:g}, the width of the bounds, but got "
            f"{self.indifference!r}",
            parameter="indifference",
        )
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
        return float(self.reserve)

    def _check_goal(self) -> None:
        """Raise if a setting was chosen that has no effect with this goal."""
        usual = {entry.name: entry.default for entry in fields(self)}
        for goal, names in OF_GOALS.items():
            for name in names:
                require(
                    goal == self.goal or getattr(self, name) == usual[name],
                    named(name),
                    f" belongs to the goal {goal!r}, but the goal is {self.goal!r}: leave it out",
                    code="other-goal",
                )

    def takes(self, name: str) -> bool:
        """Whether the goal has this setting."""
        return name in OF_GOALS.get(self.goal, ())

    @cached_property
    def scale(self) -> Scale:
        """The declared range of the score."""
        return Scale(*self.bounds)

    def among(
        self, policies: tuple[str, ...], baseline: str | None, later: tuple[str, ...] = ()
    ) -> "Rules":
        """Return the same rules for policies by other names."""
        return replace(self, policies=policies, baseline=baseline, later=later)

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
        own = ("reference", "equivalence", "proxy_mean", "proxy_share")
        more = {name: getattr(self, name) for name in own if getattr(self, name) is not None}
        return {name: getattr(self, name) for name in PAIR_FIELDS} | more


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
