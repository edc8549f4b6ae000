"""A ranking under its rules: which pairs are compared, by which test, and how they share alpha."""

from dataclasses import dataclass
from functools import cached_property

from stopwise.core import registry
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Rules
from stopwise.errors import require
from stopwise.messages import Setting
from stopwise.questions import budget
from stopwise.questions.budget import Bonferroni
from stopwise.questions.family import Family
from stopwise.questions.pairs import replay
from stopwise.rows.table import Table, unit_rows


@dataclass(frozen=True)
class PairTests:
    rules: Rules

    def __post_init__(self) -> None:
        rules, family = self.rules, self.family
        require(
            rules.margin <= 0 or rules.ties == "strict" or family.sides == 1,
            "that exact ties do not occur says nothing of differences within a margin: with a "
            f"margin of {rules.margin:g} choose ",
            Setting("ties", "strict"),
        )

    def undecided(self, table: Table) -> int:
        reading = self.rules.reading
        counted = table.with_constants(reading.constants).with_each(reading.counted)
        scores = unit_rows(counted, self.comparison)[..., None, :, :]
        outcome = replay(self.comparison, self.budget, scores, with_p_values=False)
        return int((~outcome.decided).sum())

    @cached_property
    def family(self) -> Family:
        rules = self.rules
        baseline = None if rules.baseline is None else rules.policies.index(rules.baseline)
        sides = 2 if rules.alternative == "two-sided" else 1
        # A method that splits its level itself is always strict.
        strict = registry.find(rules.method).splits_itself or sides == 1
        return Family(
            k=len(rules.policies),
            baseline=baseline,
            ties="strict" if strict else rules.ties,
            sides=sides,
            elsewhere=rules.elsewhere,
            transitive=rules.reading.transitive,
        )

    @cached_property
    def comparison(self) -> PairTest:
        return PairTest(self.rules, self.family.total)

    @cached_property
    def budget(self) -> Bonferroni:
        return budget.create(self.rules.adjust, family=self.family, alpha=self.rules.alpha)
