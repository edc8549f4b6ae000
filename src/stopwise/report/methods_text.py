"""The paragraph on methods that a publication needs, with its citation."""

from typing import TYPE_CHECKING

from stopwise.core import registry
from stopwise.messages import counted, first_few

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

ADJUSTMENTS = {
    "bonferroni": "the Bonferroni correction over {pairs}",
    "holm": "Holm's procedure over the directions of {pairs}, in its anytime-valid form",
}
DESIGNS = {
    "independent": "Trials of different policies are assumed to be independent of each other.",
    "paired": "Policies were tried in shared environments and are compared within each; nothing is "
    "assumed about the dependence of scores there.",
}


def order_paragraph(analysis: "Analysis") -> str:
    """What was done where an order was asked for."""
    horizon, reading = _horizon(analysis, "trial", "per policy"), analysis.rules.reading
    policies = counted(len(reading.run), "policy")
    against = "" if analysis.baseline is None else f" against the baseline {analysis.baseline}"
    design = f"{DESIGNS[analysis.design]} "
    if reading.constants:
        design = ""
        against = f" against the number {analysis.baseline} (fixed in advance)"
    method = registry.find(analysis.method)
    pairs = "all pairs" if analysis.baseline is None else "all comparisons with it"
    pairs += " on all tasks" if analysis.rules.elsewhere[0] else ""
    adjusted = ADJUSTMENTS[analysis.adjust].format(pairs=pairs)
    letters = "Policies that share a letter were not told apart. "
    compared = reading.compared(f"{policies}{against}")
    return (
        f"We compared {compared}{_scope(analysis)}{_over_tasks(analysis)} using the sequential "
        f"test {analysis.method}{horizon} and {adjusted}; {_promise(analysis)}. "
        f"{_meaning(analysis)}"
        f"{design}{letters if analysis.baseline is None else ''}"
        f"{analysis.interval_note} {method.citation}."
    )


def best_paragraph(analysis: "Analysis") -> str:
    """The same where only the best was asked for: one claim per policy, none per pair."""
    low, high = analysis.bounds
    indifference, method = analysis.rules.indifference, registry.find(analysis.method)
    policies = f"{len(analysis.rules.policies)} policies"
    most = analysis.rules.reading.best_end
    dropped = "the best policy (or any given one of several)"
    near = f" or naming one that is not within {indifference:g} of it" if indifference else ""
    promised = analysis.promised(f"the probability of ever dropping {dropped}{near}")
    horizon = _horizon(analysis, "row", "of trials")
    looks = "" if analysis.bounds_inferred else _looks(analysis)
    return (
        f"We asked which of {policies} has the {most} mean score (range [{low:g}, {high:g}])"
        f"{_scope(analysis)}{_over_tasks(analysis)} using the sequential test "
        f"{analysis.method}{horizon}. For each policy, a wealth process bets in each row that the "
        "current leader is better, and the policy is dropped once this wealth reaches a fixed "
        "threshold; "
        f"{promised}{looks}. "
        "The candidates that remain are thus, at all times, a confidence set for the best policy. "
        "That a policy was dropped shows only that it is not the best policy, not that the leader "
        "at the time is better. "
        f"{_runs(analysis)}{_doubts(analysis)}"
        f"{DESIGNS[analysis.design]} "
        "The intervals for the means hold simultaneously, at all times, with probability "
        f"{1 - analysis.alpha:.6g}. {method.citation}."
    )


def _horizon(analysis: "Analysis", unit: str, of_what: str) -> str:
    return "" if analysis.n_max is None else f" (at most {counted(analysis.n_max, unit)} {of_what})"


def _promise(analysis: "Analysis") -> str:
    order = analysis.rules.only_order
    wrong = "declaring any false order" if order else "making any false claim"
    promised = analysis.promised(f"the probability of ever {wrong}")
    if analysis.bounds_inferred or analysis.rules.reading.certain:
        return promised
    looks = _looks(analysis)
    if analysis.margin < 0:
        return f"{promised}{looks}"
    ties = "an order declared between equal policies counts as false"
    if analysis.margin:
        ties = "an order declared between policies within the margin of each other counts as false"
    if analysis.ties != "strict":
        ties = "assuming that no two policies are exactly equal"
    return f"{promised}{looks} ({ties})"


def _scope(analysis: "Analysis") -> str:
    scope = analysis.rules.reading.scope
    return f"{scope}," if scope else ""


def _looks(analysis: "Analysis") -> str:
    return analysis.aligned.looks_clause or ", however often the data are looked at"


def _over_tasks(analysis: "Analysis") -> str:
    mean = analysis.aligned.mean
    return "" if mean is None else f", taken as {mean.meaning},"


def _meaning(analysis: "Analysis") -> str:
    """The meaning of the claims, for a reader who knows nothing else."""
    said, margin, within = "", analysis.margin, analysis.rules.equivalence
    if within is not None:
        said = (
            "Policies were declared practically the same once two one-sided tests had shown that "
            f"their means differ by less than {within:g}, assuming that the difference is constant "
            "throughout. "
        )
    elif margin < 0:
        said = f"A policy counts as not worse unless it is worse by {-margin:g} or more. "
    elif margin > 0:
        said = f"A policy counts as better if it is better by more than {margin:g}. "
    if not analysis.rules.reading.transitive:
        said += f"A declared order means only: {analysis.claim_meaning}. "
    return f"{said}{_runs(analysis)}{analysis.rules.reading.done()}{_doubts(analysis)}"


def _runs(analysis: "Analysis") -> str:
    """Note on the training runs that the trials come from."""
    table = analysis.aligned
    if any(getattr(note, "code", "") == "unit-seed" for note in table.notes):
        return "Each trial is the mean score of one training run. "
    return f"All claims are {table.checkpoint_claim}. " if table.training_runs else ""


def _doubts(analysis: "Analysis") -> str:
    if not analysis.doubts:
        return ""
    return (
        "All claims assume fresh draws in random order, but these trials do not look like that: "
        f"{first_few(analysis.doubts)}. "
    )
