"""How several policies share one level, at nulls that attain it: games with pair after pair.

In each game one policy gains a little against another until a false claim is made or it loses all
(see ``ruin.py``). While two play, the others have no trial. The chances of all games make up the
level, so that any share that is too large shows, and so does one that was forgotten.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from tests.guarantees.ruin import FREE, assert_attained, paired

ALPHA = 0.5
ROWS = 80
STEP = 0.04
TIE = paired(gain=STEP)
# Rows until a test that has looked at the other direction bets on this one.
TURN = 9

Rows = list[tuple[float, float]]
# By name: the pairs of three policies that are compared, and the baseline.
FAMILIES: dict[str, tuple[list[tuple[int, int]], str | None]] = {
    "all pairs": ([(0, 1), (0, 2), (1, 2)], None),
    "baseline": ([(0, 1), (0, 2)], "0"),
}
FIRST: Rows = [TIE.gain] * ROWS
# Policy 1 of the pair loses all, and the other one turns the tide without any risk.
LOST: Rows = [(STEP - FREE, STEP)] * 2 + [TIE.loss] + [(STEP, STEP - FREE)] * TURN
SECOND: Rows = [*LOST, *[TIE.swapped().gain] * ROWS]
# Policy 0 of the pair loses all, and then policy 1 is better indeed.
TRUE: Rows = [TIE.swapped().loss] + [(STEP - FREE, STEP)] * TURN + [(0.0, 1.0)] * 20


def played(games: Sequence[tuple[tuple[int, int], Rows]], k: int = 3) -> sw.Trials:
    """Return the trials of k policies that play these games one after another."""
    rows = []
    for pair, scores in games:
        part = np.full((len(scores), k), np.nan)
        part[:, pair] = scores
        rows.append(part)
    return trials_of(np.concatenate([*rows, np.full((1, k), 0.5)]))  # each has a trial


def trials_of(table: Floats) -> sw.Trials:
    """Return a table (rows, policies) as trials, without those that are NaN."""
    row, policy = np.nonzero(~np.isnan(table))
    columns = {"block": row.astype(str), "policy": policy.astype(str), "score": table[row, policy]}
    return sw.Trials.from_columns(columns, bounds=(0, 1))


def analysis(games: Sequence[tuple[tuple[int, int], Rows]], **settings: Any) -> sw.Analysis:
    usual: dict[str, Any] = {"method": "nscore", "bin_values": TIE.bins, "design": "paired"}
    found: sw.Analysis = sw.analyze(played(games), **{**usual, **settings})
    return found


@pytest.mark.parametrize("ties", ["strict", "paper"])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("adjust", ["bonferroni", "holm"])
def test_ties_share_alpha(adjust: str, name: str, ties: str) -> None:
    """All policies are tied, and play for both directions of each pair.

    By the paper's convention only one direction of each pair can be false: half of the games.
    """
    pairs, baseline = FAMILIES[name]
    # Of Bonferroni all pairs are played at once; of Holm the first, as a claim would help the rest.
    played_for = pairs if adjust == "bonferroni" else pairs[:1]

    def risk(alpha: float) -> float:
        settings: dict[str, Any] = {
            "adjust": adjust,
            "ties": ties,
            "alpha": alpha,
            "baseline": baseline,
        }
        risks = []
        for rows, before, winner in ((FIRST, 0, 1), (SECOND, len(LOST), 0)):
            found = analysis([(pair, rows) for pair in played_for], **settings)
            for pair, own in zip(found.pairs[: len(played_for)], played_for, strict=True):
                assert pair.better == str(own[winner])
                risks.append(TIE.chance ** (pair.n - before))
        return sum(risks) * len(pairs) / len(played_for) / (1 if ties == "strict" else 2)

    assert_attained(risk, ALPHA)


def test_holm_passes_on_what_a_decided_pair_no_longer_needs() -> None:
    """The first pair is decided rightly, unless its false direction wins first; then ties play."""
    pairs, baseline = FAMILIES["baseline"]

    def risk(alpha: float) -> float:
        settings: dict[str, Any] = {"adjust": "holm", "alpha": alpha, "baseline": baseline}
        false = analysis([(pairs[0], [TIE.swapped().gain] * ROWS)], **settings).pairs[0]
        assert false.better == "0"
        then = (pairs[0], TRUE)
        one = analysis([then, (pairs[1], FIRST)], **settings)
        two = analysis([then, (pairs[1], SECOND)], **settings)
        assert [pair.better for pair in one.pairs] == ["1", "2"]
        assert [pair.better for pair in two.pairs] == ["1", "0"]
        ties = [TIE.chance ** one.pairs[1].n, TIE.chance ** (two.pairs[1].n - len(LOST))]
        return sum(ties) + TIE.chance**false.n

    assert_attained(risk, ALPHA, 1.2)


@pytest.mark.parametrize("adjust", ["bonferroni", "holm"])
def test_not_worse_than_the_baseline_shares_alpha(adjust: str) -> None:
    """Both others are worse by exactly the margin: each has one claim, and it is false."""
    law = paired(-0.05, STEP)

    def risk(alpha: float, margin: float = -0.05) -> float:
        settings: dict[str, Any] = {
            "alpha": alpha,
            "adjust": adjust,
            "margin": margin,
            "baseline": "0",
        }
        games = [((0, other), [law.gain] * ROWS) for other in (1, 2)]
        one = analysis(games, bin_values=law.bins, **settings).pairs[0]
        lost = [((0, 1), [law.loss]), games[1]]
        two = analysis(lost, bin_values=law.bins, **settings).pairs[1]
        assert one.decided
        assert two.decided
        return float(law.chance**one.n + law.chance**two.n)

    assert_attained(risk, ALPHA)
    assert risk(ALPHA, -0.055) > ALPHA, "a margin off by a tenth would not show"


def test_better_by_more_than_a_margin_shares_alpha() -> None:
    """All differences of neighbours are exactly the margin: of each pair one claim is false."""
    law = paired(0.02, STEP)

    def risk(alpha: float, margin: float = 0.02) -> float:
        settings: dict[str, Any] = {
            "alpha": alpha,
            "margin": margin,
            "baseline": "0",
            "bin_values": law.bins,
        }
        one = analysis([((0, 1), [law.gain] * ROWS)], **settings).pairs[0]
        assert one.better == "1"
        return float(4 * law.chance**one.n)  # two pairs, each with a share for either direction

    assert_attained(risk, ALPHA)
    assert risk(ALPHA, 0.018) > ALPHA, "a margin off by a tenth would not show"


def test_without_evidence_no_p_value_is_below_1() -> None:
    """A method that begins with half of its wealth has shown nothing by that."""
    nothing = {"a": [0.5] * 4, "b": [0.4] * 4}
    settings: dict[str, Any] = {"method": "wsr", "design": "paired", "bounds": (0, 1)}

    not_worse = sw.analyze(nothing, margin=-0.1, baseline="a", alpha=0.6, **settings).pairs[0]
    same = sw.analyze(nothing, equivalence=0.1, alpha=0.6, **settings).pairs[0]

    assert not_worse.p_value == same.p_equivalent == 1
    assert not not_worse.decided
    assert not same.decided
