"""How much an answer depends on the order in which its rows happened to come."""

import numpy as np

from stopwise.core.arrays import Bools
from stopwise.core.rules import Rules
from stopwise.questions.pairs import replay
from stopwise.questions.ranking import Ranking
from stopwise.rows.table import Table, beside_proxy, unit_scores

# Scores in all orders together; more would take longer than the rest of a report.
MOST_SCORES = 2_000_000


def decided_otherwise(table: Table, rules: Rules, orders: int) -> int | None:
    """Return in how many random orders of the same rows other pairs are decided.

    None where that would take too long, or where the answer does not depend on the order.
    """
    ranking = Ranking(rules)
    scores = beside_proxy(table, unit_scores(table, ranking.comparison), ranking.comparison)
    if scores.size * orders > MOST_SCORES or not ranking.comparison.test.anytime:
        return None
    rng = np.random.default_rng(0)  # the same page each time; nothing is claimed of these orders
    places = [np.arange(len(table.scores))]
    places += [rng.permutation(len(table.scores)) for _ in range(orders)]
    shuffled = scores[..., np.stack(places), :]
    outcome = replay(ranking.comparison, ranking.budget, shuffled)
    ends: Bools = np.concatenate([outcome.claims, outcome.same[..., None]], axis=-1)
    others = (ends[1:] != ends[0]).any(axis=(1, 2))
    return int(others.sum())
