"""All that changes in one live comparison: how it begins, takes a pair in, and is saved."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from stopwise.core.confidence_state import ConfidenceState
from stopwise.core.dependence import PairDependence
from stopwise.core.drift import Drift
from stopwise.core.engine import EQUIVALENT, Engine, Seen
from stopwise.core.equivalence import SamenessState
from stopwise.core.pair_verdict import Decision
from stopwise.core.readings.scene_watch import WatchState
from stopwise.core.scores import require_whole
from stopwise.core.snapshot import encode_state, restore_array, restore_state
from stopwise.errors import require

_DECISIONS = {1: Decision.POLICY1, 0: Decision.POLICY0, EQUIVALENT: Decision.EQUIVALENT}


class StreamState(NamedTuple):
    """Replaced as a whole with each pair, so that an error changes nothing."""

    n: int
    total0: float
    total1: float
    seen: Seen
    confidence: ConfidenceState
    decision: Decision
    n_decided: int | None
    dependence: PairDependence | None  # watched for only where it matters
    extremes: tuple[float, float] | None  # the lowest and the highest score
    drift: Drift | None = None  # with equivalence only: up to the decision
    unaudited: int = 0  # pairs that a judge alone has scored
    watch: WatchState | None = None  # with a proxy only: whether its scenes differ

    @property
    def scored(self) -> int:
        """Pairs that have scores, not only those of a judge."""
        return self.n - self.unaudited

    @classmethod
    def begin(cls, engine: Engine) -> Self:
        comparison, seen = engine.comparison, engine.start(())
        return cls(
            0,
            0.0,
            0.0,
            seen,
            comparison.confidence.start((), seen.tests),
            Decision.UNDECIDED,
            None,
            PairDependence.begin() if comparison.rests_on_independence else None,
            None,
            None if comparison.sameness is None else Drift(),
            watch=None if comparison.scenes is None else comparison.scenes.start(),
        )

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
        """Return the state after one more pair, given as it was scored and scaled to [0, 1]."""
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
        watch = self.watch
        if comparison.scenes is not None and watch is not None:
            watch = comparison.scenes.step(watch, scores[0][1], scores[1][1])
        drift, decision, n_decided = self.drift, self.decision, self.n_decided
        if n_decided is None:
            drift = None if drift is None else drift.plus(unit1 - unit0)
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
            self.total0 + r0,
            self.total1 + r1,
            seen,
            comparison.confidence.step(self.confidence, pair, seen.tests),
            decision,
            n_decided,
            None if self.dependence is None else self.dependence.advanced(unit0, unit1),
            extremes,
            drift,
            unaudited,
            watch,
        )

    def content(self) -> dict[str, Any]:
        """Return all that cannot be computed from the rest, as plain values."""
        return {
            "n": self.n,
            "total0": self.total0,
            "total1": self.total1,
            "state": encode_state(self.seen.tests),
            "interval": encode_state(self.confidence),
            "p_value": self.seen.p_value.tolist(),
            "decision": self.decision.value,
            "n_decided": self.n_decided,
            "extremes": None if self.extremes is None else list(self.extremes),
            "unaudited": self.unaudited,
            "watch": None if self.watch is None else self.watch.content(),
            "dependence": None if self.dependence is None else self.dependence.content(),
            "sameness": self._sameness(),
        }

    def restored(self, engine: Engine, content: dict[str, Any], limit: int | None) -> "StreamState":
        comparison = engine.comparison
        tests = restore_state(content["state"], self.seen.tests)
        confidence = restore_state(content["interval"], self.confidence)
        dependence, watch = self.dependence, self.watch
        if dependence is not None:
            dependence = PairDependence.restored(content["dependence"])
        if watch is not None:
            watch = watch.restored(content["watch"])
        decision, n_decided = Decision(content["decision"]), content["n_decided"]
        n = require_whole(content["n"], "n", 0, limit)
        require(
            (n_decided is None) == (decision is Decision.UNDECIDED)
            and (
                self.seen.same is not None
                or comparison.test.ends
                or decision is not Decision.EQUIVALENT
            )
            and comparison.confidence.holds_together(confidence),
            "decision or interval is incomplete",
        )
        same, drift = self._restored_sameness(content["sameness"])
        p_value = restore_array(content["p_value"], self.seen.p_value)
        return StreamState(
            n,
            float(content["total0"]),
            float(content["total1"]),
            Seen(tests, comparison.test.evidence(tests), p_value, same),
            confidence,
            decision,
            None if n_decided is None else require_whole(n_decided, "n_decided", 1, n),
            dependence,
            _restored_extremes(content["extremes"]),
            drift,
            require_whole(content["unaudited"], "unaudited", 0, n),
            watch,
        )

    def _sameness(self) -> dict[str, Any] | None:
        same, drift = self.seen.same, self.drift
        if same is None or drift is None:
            return None
        tests, p_value = encode_state(same.tests), same.p_value.tolist()
        return {"state": tests, "p_value": p_value, "drift": list(drift)}

    def _restored_sameness(self, content: Any) -> tuple[SamenessState | None, Drift | None]:
        same = self.seen.same
        if same is None:
            return None, None
        tests = restore_state(content["state"], same.tests)
        p_value = restore_array(content["p_value"], same.p_value)
        pairs, *sums = content["drift"]
        return SamenessState(tests, p_value), Drift(pairs, *(float(each) for each in sums))


def _restored_extremes(content: list[float] | None) -> tuple[float, float] | None:
    if content is None:
        return None
    low, high = (float(score) for score in content)
    require(low <= high, "the lowest score is above the highest")
    return low, high
