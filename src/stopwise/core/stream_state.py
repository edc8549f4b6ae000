"""All that changes in one live comparison: how it begins, and how it takes a pair in."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from stopwise.core.confidence_state import ConfidenceState
from stopwise.core.engine import EQUIVALENT, Engine, Seen
from stopwise.core.pair_verdict import Decision

_DECISIONS = {1: Decision.POLICY1, 0: Decision.POLICY0, EQUIVALENT: Decision.EQUIVALENT}


class StreamState(NamedTuple):
    """Replaced as a whole with each pair, so that an error changes nothing."""

    n: int
    totals: tuple[float, float]
    seen: Seen
    confidence: ConfidenceState
    decision: Decision
    n_decided: int | None
    extremes: tuple[float, float] | None  # the lowest and the highest score
    unaudited: int  # pairs that a judge alone has scored

    @property
    def scored(self) -> int:
        return self.n - self.unaudited

    @classmethod
    def begin(cls, engine: Engine) -> Self:
        comparison, seen = engine.comparison, engine.start(())
        confidence = comparison.confidence.start((), seen.tests)
        return cls(0, (0.0, 0.0), seen, confidence, Decision.UNDECIDED, None, None, 0)

    def advanced(
        self,
        engine: Engine,
        r0: float,
        r1: float,
        unit0: float,
        unit1: float,
        *,
        guesses: Sequence[float] | None = None,
    ) -> "StreamState":
        """Take in a pair as it was scored, scaled to [0, 1], and with a proxy its scaled scores."""
        comparison, before = engine.comparison, self.seen
        (r0, r1), (unit0, unit1) = comparison.reading.tallied((r0, r1), (unit0, unit1))
        array0, array1 = np.asarray(unit0), np.asarray(unit1)
        if guesses is not None:
            array0, array1 = np.array([[unit0, unit1], guesses]).T
        shown = comparison.reading.varying(r0, r1)
        unaudited, extremes = self.unaudited, self.extremes
        if math.isnan(r0):
            r0, r1, shown, unaudited = 0.0, 0.0, (), unaudited + 1
        if shown:
            known = (*shown, *(extremes or ()))
            extremes = min(known), max(known)
        scores = comparison.reading.directed(array0, array1)
        seen = engine.observe(before, *scores)
        decision, n_decided = self.decision, self.n_decided
        if n_decided is None:
            ends, winner = engine.end(seen)
            if ends:
                decision, n_decided = _DECISIONS[int(winner)], self.n + 1
        else:
            seen = seen._replace(same=before.same)
        pair = comparison.pair_seen(
            before.tests,
            seen.tests,
            (array0, array1),
            scores,
            log_e=seen.evidence.log_e,
            rejected=np.array([_DECISIONS[policy] is decision for policy in comparison.directions]),
        )
        return StreamState(
            self.n + 1,
            (self.totals[0] + r0, self.totals[1] + r1),
            seen,
            comparison.confidence.step(self.confidence, pair, seen.tests),
            decision,
            n_decided,
            extremes,
            unaudited,
        )
