"""The rules of a ranking, validated once: what a finished table and a live contest share."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from stopwise.core.comparison import Comparison
from stopwise.errors import require
from stopwise.ranking import budget
from stopwise.ranking.budget import Budget
from stopwise.ranking.family import Family
from stopwise.ranking.pairs import has_e_process

__all__ = ["Rules"]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Which policies are compared, how, and at which level; as documented on ``analyze``."""

    policies: tuple[str, ...]
    method: str = "nscore-plus"
    alpha: float = 0.05
    n_max: int | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    design: str = "independent"
    adjust: str = "holm"
    baseline: str | None = None
    ties: str = "strict"
    parameters: Mapping[str, Any]

    def __post_init__(self) -> None:
        names = self.policies
        require(len(names) >= 2, f"a ranking needs at least 2 policies, but got {len(names)}")
        require(
            len(set(names)) == len(names), f"policies must be distinct, but got {', '.join(names)}"
        )
        require(
            self.baseline is None or self.baseline in names,
            f"baseline must be one of {', '.join(names)}, but got {self.baseline!r}",
        )
        require(
            has_e_process(self.comparison) or not self.budget.shares_evidence,
            f"the {self.adjust} adjustment needs an e-process, which {self.method} has not; "
            "choose 'holm'",
        )

    @cached_property
    def family(self) -> Family:
        """The claims that are tested."""
        return Family.of(
            self.method,
            k=len(self.policies),
            baseline=None if self.baseline is None else self.policies.index(self.baseline),
            ties=self.ties,
        )

    @cached_property
    def comparison(self) -> Comparison:
        """The settings of each pair."""
        return self.family.comparison(
            self.method,
            alpha=self.alpha,
            n_max=self.n_max,
            bounds=self.bounds,
            design=self.design,
            parameters=self.parameters,
        )

    @cached_property
    def budget(self) -> Budget[Any]:
        """The family-wise procedure."""
        return budget.create(self.adjust, family=self.family, alpha=self.alpha)

    def settings(self) -> dict[str, Any]:
        """Return plain values from which equal rules can be made."""
        plain = replace(self, bounds=self.comparison.bounds, n_max=self.comparison.n_max)
        return {
            "policies": list(plain.policies),
            "method": plain.method,
            "alpha": plain.alpha,
            "n_max": plain.n_max,
            "bounds": list(plain.bounds),
            "design": plain.design,
            "adjust": plain.adjust,
            "baseline": plain.baseline,
            "ties": plain.ties,
            **self.comparison.parameters,
        }
