"""How a pair stands, read off a replay."""

from typing import Any

import numpy as np

from stopwise.core.result import Decision
from stopwise.ranking.family import Family
from stopwise.ranking.pairs import Replay

__all__ = ["standing"]


def standing(
    policies: tuple[str, ...], family: Family, outcome: Replay, pair: int
) -> dict[str, Any]:
    """Return the fields of one pair's ``Standing`` in the replay of one study."""
    policy0, policy1 = family.pairs[pair].tolist()
    claims, log_e = outcome.claims[0, pair], outcome.log_e[0, pair]
    shown = claims if claims.any() else np.ones(2, dtype=bool)
    return {
        "policy0": policies[policy0],
        "policy1": policies[policy1],
        "decision": _decision(bool(claims[0]), bool(claims[1])),
        "implied": bool(outcome.implied[0, pair]),
        "n": int(outcome.n[0, pair]),
        "p_value": float(outcome.p_value[0, pair][shown].min()),
        "log_e": None if np.isnan(log_e).any() else float(log_e[shown].max()),
    }


def _decision(policy1_better: bool, policy0_better: bool) -> Decision:
    if policy1_better:
        return Decision.POLICY1
    return Decision.POLICY0 if policy0_better else Decision.UNDECIDED
