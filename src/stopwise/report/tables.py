"""The tables of an analysis, as people read them."""

from typing import TYPE_CHECKING

from stopwise.core.scores import interval_text, score_text
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis
    from stopwise.questions.standing import PairResult

# Columns of text; all others are numbers.
WORDS = ("policy", "letters", "verdict", "pair", "task", "shown", "best", "column", "role", "why")
# With more policies, a row of signs is wider than a screen.
MOST_SIGNS = 40


def policy_rows(analysis: "Analysis") -> list[dict[str, object]]:
    mean, rows = analysis.aligned.mean, []
    count = f"{(mean.row_name if mean else '') or 'trial'}s"
    for policy in analysis.policies:
        row: dict[str, object] = {
            "policy": policy.name,
            count: policy.n,
            analysis.rules.reading.mean: score_text(policy.mean),
        }
        if not analysis.in_doubt:
            row["interval"] = interval_text(policy.interval)
        row |= analysis.mark(policy)
        row |= {"needed": policy.trials_used, "not needed": policy.trials_saved}
        if analysis.trials_unpaired:
            row["no partner"] = policy.trials_unpaired
        rows.append(row)
    return rows


def sign_rows(analysis: "Analysis") -> list[dict[str, object]]:
    """One row per policy with a sign for each pair, where pairs are too many for a row each."""
    places = {policy.name: place for place, policy in enumerate(analysis.policies)}
    if len(places) > MOST_SIGNS:
        return []
    signs = {name: ["."] * len(places) for name in places}
    for pair in analysis.pairs:
        for one, other in ((pair.policy0, pair.policy1), (pair.policy1, pair.policy0)):
            sign = {one: ">", other: "<", None: "?"}[pair.better]
            signs[one][places[other]] = "=" if pair.same else sign
    against = f"better (>), worse (<) or open (?) than 1 to {len(places)}"
    return [
        {"policy": name, "#": places[name] + 1, against: "".join(row)}
        for name, row in signs.items()
    ]


def pair_rows(analysis: "Analysis") -> list[dict[str, object]]:
    """One row per pair, the better policy first."""
    pairs = analysis.sorted_pairs
    estimates = any(pair.estimate is not None for pair in pairs)
    reading, mean = analysis.rules.reading, analysis.aligned.mean
    unit = (mean.row_name if mean else "") or reading.unit
    rows = []
    for given in pairs:
        # A pair with a number keeps its direction, except where it reads "0.9 > new".
        pair = given.turned() if given.better == given.policy0 else given
        row: dict[str, object] = {
            "pair": f"{pair.relation}{' (implied)' if pair.implied else ''}",
            "anytime p": p_text(pair, analysis.alpha),
            "after": counted(pair.n, unit),
            reading.gap: score_text(pair.difference),
        }
        if estimates:
            row["estimate"] = "" if pair.estimate is None else score_text(pair.estimate)
        if not analysis.in_doubt:
            row["interval"] = interval_text(pair.interval)
        rows.append(row)
    return rows


def p_text(pair: "PairResult", alpha: float) -> str:
    """P-value of a pair: that of a decided one stands still from then on, so only its limit."""
    return f"< {alpha:g}" if pair.decided else f"{pair.p_value:.2g}"


def explanations(analysis: "Analysis") -> dict[str, str]:
    """Explanations of the tables, by caption."""
    within, pairs = analysis.rules.equivalence, ""
    trials = f"the n_max = {analysis.n_max} trials of each policy" if analysis.n_max else ""
    policies = (
        f"Not needed: of {trials or 'its trials here'}, those after all comparisons of the policy "
        "were decided or stopped for futility."
    )
    if analysis.in_doubt:
        policies = (
            "Letters and intervals are left out, because the trials do not look like fresh draws "
            f"in random order. {policies}"
        )
    elif not analysis.baseline:
        policies = (
            "Policies that share a letter were not told apart, which does not mean that they are "
            f"equal. {policies}"
        )
    if within is not None:
        pairs = (
            "Practically the same: shown that the means differ by less than "
            f"{score_text(within)}, if the difference stays the same throughout. It "
            "does not show that they are equal. "
        )
    if any(pair.estimate is not None for pair in analysis.pairs):
        pairs += (
            "The difference is that of all trials, which a lucky streak that decided makes too "
            "large; the estimate does not flatter: it lies beyond the true difference in at most "
            "half of all studies. "
        )
    if not analysis.in_doubt:
        pairs += f"The interval is from all trials of the pair. {analysis.interval_note}"
    return {"Policies": policies, "Pairs": pairs.strip()}
