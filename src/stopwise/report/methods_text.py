"""The paragraph on methods that a publication needs, with its citation."""

from typing import TYPE_CHECKING

from stopwise.core import registry
from stopwise.messages import counted, first_few

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

ADJUSTMENTS = {
    "bonferroni": "the Bonferroni correction over {pairs}",
    "holm": "Holm's procedure over the directions of {pairs}{form}",
    "closed": "closed testing over {pairs}",
}
# How the best policy is found, and how the best few.
BETS = (
    "One wealth per policy bets that it is not the best, in each row against the policy that leads "
    "at the time",
    "Of each policy, one wealth against each other bets that the other is better; the mean of the "
    "smallest of them, without as many of the largest as others may be better, is held against it",
)
DESIGNS = {
    "independent": "The policies' trials are assumed to be independent of each other.",
    "paired": "Trials of different policies share their environment and are compared within it; "
    "nothing is assumed about their dependence there.",
}


def order_paragraph(analysis: "Analysis") -> str:
    """Return what was done where an order was asked for."""
    low, high = analysis.bounds
    horizon = _horizon(analysis, "trial", "per policy")
    number = analysis.rules.reference
    policies = counted(len(analysis.rules.run_policies), "policy")
    against = "" if analysis.baseline is None else f" against the baseline {analysis.baseline}"
    design = f"{DESIGNS[analysis.design]} "
    if number is not None:
        design = ""
        against = f" against the number {analysis.baseline}, fixed beforehand"
    method = registry.find(analysis.method)
    anytime = method.anytime
    kind = "sequential test" if anytime else "fixed-sample test"
    pairs = "all pairs" if analysis.baseline is None else "all pairs with it"
    form = ", in its anytime-valid form" if anytime else ""
    adjusted = ADJUSTMENTS[analysis.adjust].format(pairs=pairs, form=form)
    letters = "Policies that share a letter were not told apart. "
    compared = f"the mean scores (range [{low:g}, {high:g}]{_lower(analysis)})"
    if analysis.rules.by == "wins":
        compared = f"how often each policy wins against another (by scores{_lower(analysis)})"
    return (
        f"We compared {compared} of {policies}"
        f"{against}{_pooling(analysis)} with the {kind} {analysis.method}{horizon}, using "
        f"{adjusted}; {_promise(analysis, anytime)}. {_meaning(analysis)}"
        f"{design}{letters if analysis.baseline is None else ''}"
        f"{analysis.interval_note} {method.citation}."
    )


def best_paragraph(analysis: "Analysis") -> str:
    """Return the same where only the best was asked for: one claim per policy, none per pair."""
    low, high = analysis.bounds
    indifference, method = analysis.rules.indifference, registry.find(analysis.method)
    top = analysis.rules.top
    best = "a best policy" if top == 1 else f"any of the best {top} policies"
    near = f" or naming one that is not within {indifference:g} of it" if indifference else ""
    promised = analysis.promised(f"the probability of ever dropping {best}{near}")
    horizon = _horizon(analysis, "row", "of trials")
    looks = "" if analysis.bounds_inferred else ", however often the data are looked at"
    most = "lowest" if analysis.rules.lower_is_better else "greatest"
    same = "The claim assumes that one policy is the best on each task. "
    return (
        f"We asked which of {len(analysis.rules.policies)} policies has the {most} mean score "
        f"(range [{low:g}, {high:g}]){_pooling(analysis)} with the sequential test "
        f"{analysis.method}{horizon}. {BETS[top > 1]}, and the policy is dropped "
        f"when this wealth is large enough; {promised}{looks}. So the candidates are at all times "
        f"a confidence set of the best{f' {top}' if top > 1 else ' policy'}. That a policy was "
        f"dropped shows only that it is not {'one of them' if top > 1 else 'the best'}, not that "
        "the one that led then is better than it. "
        f"{same if analysis.pooled_tasks else ''}{_runs(analysis)}{_doubts(analysis)}"
        f"{DESIGNS[analysis.design]} "
        "Intervals of the means hold together, at all times, with probability "
        f"{1 - analysis.alpha:.6g}. {method.citation}."
    )


def _lower(analysis: "Analysis") -> str:
    return ", lower is better" if analysis.rules.lower_is_better else ""


def _horizon(analysis: "Analysis", unit: str, of_what: str) -> str:
    return "" if analysis.n_max is None else f", at most {counted(analysis.n_max, unit)} {of_what}"


def _promise(analysis: "Analysis", anytime: bool) -> str:
    order = analysis.margin >= 0 and analysis.rules.equivalence is None
    wrong = "declaring any false order" if order else "making any false claim"
    promised = analysis.promised(f"the probability of {'ever ' if anytime else ''}{wrong}")
    if analysis.bounds_inferred:
        return promised
    looks = ", however often the data are looked at" if anytime else ""
    if analysis.margin < 0:
        return f"{promised}{looks}"
    ties = "an order declared between equal policies counts as false"
    if analysis.margin:
        ties = "an order declared between policies within the margin of each other counts as false"
    if analysis.ties != "strict":
        ties = "assuming that no two policies are exactly equal"
    return f"{promised}{looks} ({ties})"


def _pooling(analysis: "Analysis") -> str:
    if analysis.aligned.mean is not None:
        return f", in {analysis.aligned.mean.meaning},"
    if not analysis.pooled_tasks:
        return ""
    return f", pooled over {analysis.pooled_tasks} tasks (a row of trials of each in turn),"


def _meaning(analysis: "Analysis") -> str:
    """Return what a reader must know of the claims before anything else."""
    said, margin, within = "", analysis.margin, analysis.rules.equivalence
    wins = analysis.rules.by == "wins"
    if within is not None:
        differ = "the shares of pairs that they win" if wins else "their means"
        said = (
            "Policies were declared practically the same once two one-sided tests had shown that "
            f"{differ} differ by less than {within:g}, which assumes that the difference stays "
            "the same throughout. "
        )
    elif margin < 0:
        said = f"A policy counts as not worse if it is not worse by {-margin:g} or more. "
    elif margin > 0:
        said = f"A policy counts as better if it is better by more than {margin:g}. "
    if analysis.pooled_tasks or wins:
        said += f"A declared order means only: {analysis.claim_meaning}. "
    return f"{said}{_runs(analysis)}{_groups(analysis)}{_proxy(analysis)}{_doubts(analysis)}"


def _runs(analysis: "Analysis") -> str:
    """Return what is known of the training runs that the trials come from."""
    table = analysis.aligned
    if any(getattr(note, "code", "") == "unit-seed" for note in table.notes):
        return "One trial is the mean score of a training run. "
    return f"All claims are {table.checkpoint_claim}. " if table.training_runs else ""


def _groups(analysis: "Analysis") -> str:
    """Return which trials entered as averages, and what that assumes."""
    rules = analysis.rules
    if rules.groups is None:
        return ""
    numbers = ", ".join(f"{number} of {name}" for name, number in rules.groups.items())
    said = (
        f"Of policies with more trials ({numbers}), each row holds the average of a group, whose "
        "size was fixed by these numbers before any score was seen. "
    )
    if rules.stored:
        said += (
            f"The trials of {' and '.join(rules.stored)} were run before the study and are assumed "
            "to come from the same conditions. "
        )
    return said


def _proxy(analysis: "Analysis") -> str:
    """Return what a proxy was used for."""
    rules = analysis.rules
    if rules.proxy_mean is None:
        return ""
    if rules.audit is not None:
        return (
            "A judge scored every trial, and people those of rows drawn beforehand with chance "
            f"{rules.audit:g}; claims are about people's scores. "
        )
    known = "is known"
    if rules.proxy_batches is not None:
        known = "was learned from further simulated scenes, some for each row"
    elif rules.proxy_share:
        known = f"was bounded from simulated scenes at {rules.proxy_share:g} of this level"
    return (
        "A proxy's score of each trial was subtracted with a weight learned from earlier trials; "
        f"its mean over all scenes {known}. "
    )


def _doubts(analysis: "Analysis") -> str:
    if not analysis.doubts:
        return ""
    return (
        "All claims assume fresh draws in random order; these trials do not look like that: "
        f"{first_few(analysis.doubts)}. "
    )
