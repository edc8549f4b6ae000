"""The paragraph on methods that a publication needs, with its citation."""

from typing import TYPE_CHECKING

from stopwise.core import registry
from stopwise.messages import counted, first_few

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

ADJUSTMENTS = {
    "bonferroni": "the Bonferroni correction over {}",
    "holm": "Holm's procedure over the directions of {}, in its anytime-valid form",
}
DESIGNS = {
    "independent": "Trials of different policies are assumed to be independent of each other. ",
    "paired": "Policies were tried in shared environments and are compared within each; nothing is "
    "assumed about the dependence of scores there. ",
}


def order_paragraph(analysis: "Analysis") -> str:
    """What was done where an order was asked for."""
    reading, baseline = analysis.rules.reading, analysis.baseline
    against = "" if baseline is None else f" against the baseline {baseline}"
    design, letters = DESIGNS[analysis.design], ""
    if reading.constants:
        design, against = "", f" against the number {baseline} (fixed in advance)"
    if baseline is None:
        letters = "Policies that share a letter were not told apart. "
    pairs = "all pairs" if baseline is None else "all comparisons with it"
    pairs += " on all tasks" if analysis.rules.elsewhere[0] else ""
    policies = reading.compared(f"{counted(len(reading.run), 'policy')}{against}")
    return (
        f"We compared {policies}{_by(analysis, 'trial', 'per policy')} and "
        f"{ADJUSTMENTS[analysis.adjust].format(pairs)}; {_promise(analysis)}. "
        f"{_meaning(analysis)}{_of_trials(analysis)}{design}{letters}{analysis.interval_note} "
        f"{registry.find(analysis.method).citation}."
    )


def best_paragraph(analysis: "Analysis") -> str:
    """The same where only the best was asked for: one claim per policy, none per pair."""
    low, high = analysis.bounds
    indifference = analysis.rules.indifference
    dropped = "the best policy (or any given one of several)"
    near = f" or naming one that is not within {indifference:g} of it" if indifference else ""
    promised = analysis.promised(f"the probability of ever dropping {dropped}{near}")
    looks = "" if analysis.bounds_inferred else _looks(analysis)
    return (
        f"We asked which of {len(analysis.rules.policies)} policies has the "
        f"best mean score (range [{low:g}, {high:g}]{analysis.rules.reading.lower_text})"
        f"{_by(analysis, 'row', 'of trials')}. For each policy, a wealth process bets in each row "
        "that the current leader is better, and the policy is dropped once this wealth reaches a "
        f"fixed threshold; {promised}{looks}. The candidates that remain are thus, at all times, a "
        "confidence set for the best policy. That a policy was dropped shows only that it is not "
        "the best policy, not that the leader at the time is better. "
        f"{_of_trials(analysis)}{DESIGNS[analysis.design]}"
        "The intervals for the means hold simultaneously, at all times, with probability "
        f"{1 - analysis.alpha:.6g}. {registry.find(analysis.method).citation}."
    )


def _by(analysis: "Analysis", unit: str, of_what: str) -> str:
    """Where, over which tasks, and by which test with which limit."""
    scope, mean = analysis.rules.reading.scope, analysis.aligned.mean
    tasks = "" if mean is None else f", taken as {mean.meaning},"
    most = "" if analysis.n_max is None else f" (at most {counted(analysis.n_max, unit)} {of_what})"
    where = f"{scope}," if scope else ""
    return f"{where}{tasks} using the sequential test {analysis.method}{most}"


def _promise(analysis: "Analysis") -> str:
    wrong = "declaring any false order" if analysis.rules.only_order else "making any false claim"
    promised = analysis.promised(f"the probability of ever {wrong}")
    if analysis.bounds_inferred or analysis.rules.reading.certain:
        return promised
    promised += _looks(analysis)
    if analysis.margin < 0:
        return promised
    if analysis.ties != "strict":
        return f"{promised} (assuming that no two policies are exactly equal)"
    equal = "policies within the margin of each other" if analysis.margin else "equal policies"
    return f"{promised} (an order declared between {equal} counts as false)"


def _looks(analysis: "Analysis") -> str:
    return analysis.aligned.looks_clause or ", however often the data are looked at"


def _meaning(analysis: "Analysis") -> str:
    """The meaning of the claims, for a reader who knows nothing else."""
    margin, within, meaning = analysis.margin, analysis.rules.equivalence, ""
    if within is not None:
        meaning = (
            "Policies were declared practically the same once two one-sided tests had shown that "
            f"their means differ by less than {within:g}, assuming that the difference is constant "
            "throughout. "
        )
    elif margin < 0:
        meaning = f"A policy counts as not worse unless it is worse by {-margin:g} or more. "
    elif margin > 0:
        meaning = f"A policy counts as better if it is better by more than {margin:g}. "
    if not analysis.rules.reading.transitive:
        meaning += f"A declared order means only: {analysis.claim_meaning}. "
    return meaning + analysis.rules.reading.done()


def _of_trials(analysis: "Analysis") -> str:
    """The training runs that the trials come from, and what is doubtful about the trials."""
    table, runs, doubts = analysis.aligned, "", ""
    if any(getattr(note, "code", "") == "unit-seed" for note in table.notes):
        runs = "Each trial is the mean score of one training run. "
    elif table.training_runs:
        runs = f"All claims are {table.checkpoint_claim}. "
    if analysis.doubts:
        doubts = (
            "All claims assume fresh draws in random order, but these trials do not look like "
            f"that: {first_few(analysis.doubts)}. "
        )
    return runs + doubts
