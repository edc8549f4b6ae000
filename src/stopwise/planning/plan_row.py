"""What to expect of one study that is being planned."""

from dataclasses import dataclass, field
from typing import Self

from stopwise.core.rules import Rules
from stopwise.planning.ends import Ends
from stopwise.planning.fixed_sample import FixedPlan
from stopwise.planning.scenarios import Scenario


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """What to expect of a study with this n_max, if the policies perform as assumed.

    Attributes
    ----------
    scenario, gap
        What is assumed, and the smallest gap between two means, in units of the score.
    n_max
        Maximum number of trials per policy.
    power, power_error
        Chance of the right verdict by n_max (with many policies: on every pair that differs), and
        its standard error, 0 if computed exactly.
    wrong, undecided
        Chance of a false verdict, and of still being undecided at n_max.
    same
        With ``equivalence``: chance that the study ends as "practically the same" (with many
        policies the expected share of such pairs), else None. It is right if the means are closer
        than declared.
    pair_power
        Expected share of the differing pairs that are decided correctly.
    mean_n, mean_n_error
        Expected trials per policy until the study ends, and its standard error.
    n_quantiles
        Trials per policy within which 10, 50 and 90 % of studies end.
    mean_trials
        Expected trials of all policies together.
    fixed_n, fixed_test
        Trials per policy, and the test, of the fixed-sample plan with equal power (at most .99),
        evaluated once at the end; None if there is none.
    policies, runs
        Number of policies, and of simulated studies (None if computed exactly).
    times
        When and how the studies end, for the figures.
    most_trials
        The most trials, over all policies, that the study can take.
    mean_trials_error, trial_quantiles, mean_left, what_if
        With the goal "best", else None: the standard error of ``mean_trials``; the trials of all
        policies together within which 10, 50 and 90 % of studies end; the mean number of candidates
        left where none is named (None if one always is); and whether this is "what if the two best
        are equal?", not what is assumed. There the verdict is right if the one named is the best,
        or within the indifference of it; ``gap`` is that between the two best; ``n_max``,
        ``mean_n`` and ``n_quantiles`` count rows; and ``pair_power`` is the expected share of the
        policies that are not the best which are ruled out.
    """

    scenario: str
    gap: float
    n_max: int
    power: float
    power_error: float
    wrong: float
    undecided: float
    pair_power: float
    mean_n: float
    mean_n_error: float
    n_quantiles: tuple[int, int, int]
    mean_trials: float
    fixed_n: int | None
    fixed_test: str | None
    policies: int
    runs: int | None
    times: Ends = field(repr=False, compare=False)
    most_trials: int
    same: float | None = None
    mean_trials_error: float | None = None
    trial_quantiles: tuple[int, int, int] | None = None
    mean_left: float | None = None
    what_if: bool | None = None

    @classmethod
    def of(
        cls,
        ends: Ends,
        scenario: Scenario,
        rules: Rules,
        *,
        fixed: FixedPlan | None = None,
        what_if: bool | None = None,
    ) -> Self:
        """Row of studies that end so."""
        best = what_if is not None
        return cls(
            scenario=scenario.text,
            gap=(scenario.lead if best else scenario.gap) * rules.scale.span,
            n_max=rules.n_max or 0,
            power=ends.power,
            power_error=ends.power_error,
            wrong=ends.chance(ends.wrong.sum()),
            undecided=ends.chance(ends.undecided.sum()),
            pair_power=ends.share / ends.total,
            mean_n=ends.mean_n,
            mean_n_error=ends.mean_n_error,
            n_quantiles=ends.quantiles(),
            mean_trials=ends.mean_trials,
            fixed_n=None if fixed is None else fixed.n,
            fixed_test=None if fixed is None else fixed.test,
            policies=len(rules.reading.tried),
            runs=ends.runs,
            times=ends,
            most_trials=ends.spent.shape[1] - 1,
            same=None if rules.equivalence is None else ends.same / ends.total,
            mean_trials_error=ends.mean_trials_error if best else None,
            trial_quantiles=ends.trial_quantiles() if best else None,
            mean_left=ends.mean_left if best else None,
            what_if=what_if,
        )

    @property
    def exact(self) -> bool:
        """Whether the row was computed, not simulated."""
        return self.runs is None

    @property
    def trials_saved(self) -> float | None:
        """Average trials, over all policies, saved against the fixed-sample plan."""
        return None if self.fixed_n is None else self.fixed_n * self.policies - self.mean_trials
