"""The paragraph on methods that a publication needs, with its citation."""

from stopwise.core import registry
from stopwise.ranking.analysis import Analysis

__all__ = ["CITATIONS", "methods_paragraph"]

NSCORE = (
    'D. Snyder et al., "Beyond Binary Success: Sample-Efficient and Statistically Rigorous Robot '
    'Policy Comparison"'
)
CITATIONS = {
    "nscore-plus": f"{NSCORE}; increments and bets of stopwise's nscore-plus",
    "nscore": NSCORE,
    "wsr": 'I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by '
    'betting", JRSS B 86 (2024)',
    "savi": 'R. Turner and P. Grünwald, "Exact anytime-valid confidence intervals for contingency '
    'tables and beyond", Statistics & Probability Letters 198 (2023)',
    "step": 'D. Snyder et al., "Is your imitation learning policy better than mine? Policy '
    'comparison with near-optimal stopping" (2025)',
}
ADJUSTMENTS = {
    "bonferroni": "the Bonferroni correction over all pairs",
    "holm": "Holm's procedure in its anytime-valid form over all pairs",
    "closed": "closed testing over all pairs",
}
DESIGNS = {
    "independent": "The policies' trials are taken to be independent of each other.",
    "paired": "Trials of different policies share their environment, and are compared within it; "
    "nothing is assumed of their dependence there.",
}


def methods_paragraph(analysis: Analysis) -> str:
    """Return what was done, in words that can go into a paper as they are."""
    low, high = analysis.bounds
    ties = (
        "ties counted as errors"
        if analysis.ties == "strict"
        else "exact ties not counted as errors"
    )
    horizon = "" if analysis.n_max is None else f", at most {analysis.n_max} trials per policy"
    against = "" if analysis.baseline is None else f" against the baseline {analysis.baseline}"
    kind = "sequential test" if registry.find(analysis.method).anytime else "fixed-sample test"
    looks = "however often the data are looked at" if kind == "sequential test" else "in one look"
    promise = (
        f"so that the probability of ever declaring any false order is at most "
        f"{analysis.alpha:g} ({ties}), {looks}"
        if not analysis.bounds_inferred
        else "without any guarantee, since the range was taken from the data"
    )
    return (
        f"We compared the mean scores (range [{low:g}, {high:g}]) of {len(analysis.policies)} "
        f"policies{against} with the {kind} {analysis.method}{horizon}, using "
        f"{ADJUSTMENTS[analysis.adjust]}, {promise}. "
        f"{DESIGNS[analysis.design]} Policies that share a letter were not told apart. Intervals "
        f"are time-uniform. {CITATIONS.get(analysis.method, analysis.method)}."
    )
