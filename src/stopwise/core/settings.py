"""Which of the rules each entry takes as keywords, and what each keyword means, once for all."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from stopwise.core.registry import MethodParameters

# Keywords that several dictionaries below have, each with what ``help`` says of it.
MethodName = Annotated[str, "Name of the method, see ``stopwise.methods()``."]
NMax = Annotated[int | None, "The declared maximum number of trials per policy, or None."]
Bounds = Annotated[tuple[float, float], "Range (low, high) of the score, known before the data."]
Design = Annotated[
    str, '"independent", or "paired" when the policies share each row\'s environment.'
]
Ties = Annotated[
    str, 'Exact ties: any order declared is an error ("strict"), or they never occur ("paper").'
]
Baseline = Annotated[str | None, "Compare all other policies with this one only."]
Margin = Annotated[
    float,
    "By how much better, in units of the score; negative: not worse by that much (one-sided).",
]
Reference = Annotated[
    float | None, "Compare each policy with this number instead of with another policy."
]
Futility = Annotated[
    str | None,
    'With n_max: say when a decision has become unlikely ("advisory"), end there ("binding"), '
    "or neither (None).",
]
Equivalence = Annotated[
    float | None,
    "Also claim that policies are practically the same: that means differ by less than this.",
]
ProxyMean = Annotated[
    float | Mapping[str, float] | None,
    "With a proxy: the mean of g1 - g0 over the scenes, or each policy's by name.",
]
Audit = Annotated[
    float | None, "With a judge as the proxy: the chance that people score a pair as well."
]
ListSize = Annotated[
    int | None,
    "Of a fixed list of scenes, each tried once in an order drawn at random: how many. Claims are "
    "then about this list.",
]
LowerIsBetter = Annotated[bool, "Whether smaller scores are better, such as times."]
By = Annotated[
    str,
    'What makes a policy better: its mean ("means"), or to win more often ("wins", no bounds).',
]


class PairSettings(MethodParameters, total=False):
    """Keywords of a test of two policies, besides method, alpha and n_max."""

    bounds: Bounds
    alternative: Annotated[
        str, '"greater" (is policy 1 better?), "less" (is policy 0 better?) or "two-sided".'
    ]
    design: Design
    margin: Margin
    ties: Ties
    equivalence: Equivalence
    reference: Reference
    proxy_mean: ProxyMean
    audit: Audit
    futility: Futility
    lower_is_better: LowerIsBetter
    by: By
    list_size: ListSize


class GateSettings(MethodParameters, total=False):
    """Keywords of a gate: two policies, and a margin that it takes itself."""

    method: MethodName
    alpha: Annotated[float, "Probability, in (0, 1), of each false claim."]
    n_max: NMax
    lower_is_better: LowerIsBetter
    list_size: ListSize


class CommonSettings(MethodParameters, total=False):
    """Keywords that every question about several policies takes."""

    method: MethodName
    alpha: Annotated[float, "Probability, in (0, 1), of any false claim."]
    adjust: Annotated[str, 'How alpha is shared among claims: "bonferroni" or "holm".']
    ties: Ties
    margin: Margin
    equivalence: Equivalence
    reference: Reference
    goal: Annotated[str, 'What is asked: "order", which are better than which, or "best".']
    indifference: Annotated[float, "With the goal best: how near to the best is good enough."]
    allocation: Annotated[str, 'With the goal best: "leader" is tried more often, or "even".']
    later: Annotated[Sequence[str], "With the goal best: policies that join later."]
    lower_is_better: LowerIsBetter
    list_size: ListSize


class ForecastSettings(CommonSettings, total=False):
    """The same with the baseline; ``futility`` is the threshold of the forecast there."""

    baseline: Baseline


class PlanSettings(CommonSettings, total=False):
    """The same with the kind of futility stops; a plan has a baseline of its own."""

    futility: Futility


class RaceSettings(PlanSettings, total=False):
    """The same with the baseline."""

    baseline: Baseline
    by: By


class RuleSettings(RaceSettings, total=False):
    """The same with a proxy or a judge."""

    proxy_mean: ProxyMean
    audit: Audit


class StopSettings(RuleSettings, total=False):
    """All keywords of a stopping rule."""

    n_max: NMax
    bounds: Bounds
    design: Design
