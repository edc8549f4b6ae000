"""The paragraph on methods that a publication needs, with its citation."""

from typing import TYPE_CHECKING

from stopwise.core import registry
from stopwise.core.promise import promise
from stopwise.messages import counted, first_few

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

ADJUSTMENTS = {
    "bonferroni": "the Bonferroni correction over {pairs}",
    "holm": "Holm's procedure over the directions of {pairs}{form}",
    "closed": "closed testing over {pairs}",
}
DESIGNS = {
    "independent": "The policies' trials are assumed to be independent of each other.",
    "paired": "Trials of different policies share their environment and are compared within it; "
    "nothing is assumed about their dependence there.",
}


def methods_paragraph(analysis: "Analysis") -> str:
    """Return what was done, in words that can go into a paper as they are."""
    low, high = analysis.bounds
    horizon = (
        "" if analysis.n_max is None else f", at most {counted(analysis.n_max, 'trial')} per policy"
    )
    against = "" if analysis.baseline is None else f" against the baseline {analysis.baseline}"
    method = registry.find(analysis.method)
    anytime = method.anytime
    kind = "sequential test" if anytime else "fixed-sample test"
    pairs = "all pairs" if analysis.baseline is None else "all pairs with it"
    form = ", in its anytime-valid form" if anytime else ""
    adjusted = ADJUSTMENTS[analysis.adjust].format(pairs=pairs, form=form)
    letters = "Policies that share a letter were not told apart. "
    return (
        f"We compared the mean scores (range [{low:g}, {high:g}]) of {len(analysis.policies)} "
        f"policies{against}{_pooling(analysis)} with the {kind} {analysis.method}{horizon}, using "
        f"{adjusted}; {_promise(analysis, anytime)}. {_meaning(analysis)}"
        f"{DESIGNS[analysis.design]} {letters if analysis.baseline is None else ''}"
        f"{analysis.interval_note} {method.citation}."
    )


def _promise(analysis: "Analysis", anytime: bool) -> str:
    promised = promise(
        analysis.method,
        f"the probability of {'ever ' if anytime else ''}declaring any false order",
        analysis.alpha,
        n_max=analysis.n_max,
        bounds_inferred=analysis.bounds_inferred,
    )
    if analysis.bounds_inferred:
        return promised
    looks = ", however often the data are looked at" if anytime else ""
    ties = "an order declared between equal policies counts as false"
    if analysis.ties != "strict":
        ties = "assuming that no two policies are exactly equal"
    return f"{promised}{looks} ({ties})"


def _pooling(analysis: "Analysis") -> str:
    if not analysis.pooled_tasks:
        return ""
    return f", pooled over {analysis.pooled_tasks} tasks (a row of trials of each in turn),"


def _meaning(analysis: "Analysis") -> str:
    """Return what a reader must know of the claims before anything else."""
    said = ""
    if analysis.pooled_tasks:
        said += f"A declared order means only: {analysis.pooled_claim}. "
    if analysis.doubts:
        said += (
            "All claims assume fresh draws in random order; these trials do not look like that: "
            f"{first_few(analysis.doubts)}. "
        )
    return said
