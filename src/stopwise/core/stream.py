"""One live comparison: scores come in pair by pair, the verdict is there after each."""

import math
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from stopwise.core.confidence import ConfidenceState, Interval
from stopwise.core.keywords import described, flat
from stopwise.core.pair_test import EQUIVALENT, PairTest, Seen
from stopwise.core.pair_verdict import Decision, Verdict
from stopwise.core.registry import edition_of
from stopwise.core.rules import Rules, pair_rules
from stopwise.core.scores import as_float, require_whole
from stopwise.core.settings import PairSettings
from stopwise.core.snapshot import Resumable
from stopwise.errors import InvalidInput, require
from stopwise.messages import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_DECISIONS = {1: Decision.POLICY1, 0: Decision.POLICY0, EQUIVALENT: Decision.EQUIVALENT}


class StreamState(NamedTuple):
    """All that changes; replaced as a whole with each pair, so that an error changes nothing."""

    n: int
    totals: tuple[float, float]
    seen: Seen
    confidence: ConfidenceState
    decision: Decision = Decision.UNDECIDED
    n_decided: int | None = None
    unaudited: int = 0  # pairs that a judge alone has scored


@described
class SequentialTest(Resumable):
    """A sequential test of two policies, fed one pair of scores at a time.

    You may look after every pair and stop whenever you like. The chance of
    ever declaring a policy better when it is not is at most alpha, if pairs are independent and
    identically distributed and the bounds were known in advance. (Methods that bet need less: each
    pair's means, given the past, satisfy the null hypothesis. "step" needs success rates that stay
    constant.)

    Parameters
    ----------
    method
        Name of the method, see ``stopwise.methods()``.
    alpha
        Largest probability, in (0, 1), of ever declaring a policy better when it is not.
    n_max
        The declared maximum number of pairs, at least 1, or None for no limit.
    proxy_mean, proxy_scores
        With one of these each pair comes with a cheap score of its scene for each policy, from a
        simulator for example, within the same bounds. ``proxy_mean`` is the mean of g1 - g0 over
        the scenes; or ``proxy_scores``, an array (M, 2) of simulated scenes drawn apart from the
        real ones, takes its place: each of the ``n_max`` pairs gets some of them.
    **settings
        The parameters listed after n_max, and the method's own, e.g. ``bins=21`` or
        ``bin_values=[0, .5, 1]``.

    Examples
    --------
    >>> import stopwise as sw
    >>> test = sw.SequentialTest("nscore", alpha=0.05, n_max=50, bins=7)
    >>> verdict = test.update(0.2, 0.8)
    >>> verdict.decision, verdict.n
    (<Decision.UNDECIDED: 'undecided'>, 1)
    >>> verdict = test.run([0.2, 0.3, 0.1, 0.3] * 5, [0.9, 0.8, 1.0, 0.8] * 5)
    >>> verdict.decision, verdict.n
    (<Decision.POLICY1: 'policy1'>, 9)
    >>> test = sw.SequentialTest("step", n_max=50, reference=0.5)
    >>> verdict = test.run([1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    >>> verdict.decision, verdict.n
    (<Decision.POLICY1: 'policy1'>, 12)
    """

    _kind = "SequentialTest"

    @flat(PairSettings)
    def __init__(
        self,
        method: str = "nscore-plus",
        alpha: float = 0.05,
        n_max: int | None = None,
        *,
        proxy_scores: ArrayLike | None = None,
        **settings: Unpack[PairSettings],
    ) -> None:
        declared = {"method": method, "alpha": alpha, "n_max": n_max, "proxy_scores": proxy_scores}
        self._begin(pair_rules(**declared, **settings))

    @classmethod
    def under(cls, rules: Rules) -> Self:
        """Return the test of one pair under rules that were checked."""
        test = cls.__new__(cls)
        test._begin(rules)
        return test

    def _begin(self, rules: Rules) -> None:
        self.rules = rules
        self._comparison = PairTest(rules)
        self._limit = rules.n_max
        seen = self._comparison.start(())
        bounds = self._comparison.confidence.start((), seen.tests)
        self._state = StreamState(0, (0.0, 0.0), seen, bounds)
        self._given: list[Any] = []  # all that came in: pairs, and other numbers of them at most
        self._unit_pairs: list[tuple[float, float]] = []

    @property
    def verdict(self) -> Verdict:
        """The verdict on what has been seen so far."""
        comparison, state = self._comparison, self._state
        p_not_worse = state.seen.p_not_worse
        scored, constants = state.n - state.unaudited, tuple(self.rules.reading.constants.values())
        mean0, mean1 = (each / scored if scored else np.nan for each in state.totals)
        equivalent = state.decision is Decision.EQUIVALENT
        return Verdict(
            decision=state.decision,
            n=state.n,
            n_decided=state.n_decided,
            mean0=constants[0] if constants else mean0,
            mean1=mean1,
            log_e=float(comparison.log_e(state.seen)),
            p_value=float(comparison.p_value(state.seen, equivalent)),
            interval=self._interval(),
            interval_level=1.0 - comparison.interval_level * len(comparison.directions),
            rules=self.rules,
            n_max=self._limit,
            watched=self._unit_pairs if comparison.rests_on_independence else None,
            ahead=(comparison, state.seen) if self._goes_on else None,
            p_equivalent=None if p_not_worse is None else float(p_not_worse.max()),
        )

    def update(
        self, r0: float | None, r1: float | None = None, *, proxy: tuple[float, float] | None = None
    ) -> Verdict:
        """Add one pair of scores and return the verdict.

        You may add pairs after a decision: the decision stays, and the interval keeps narrowing.

        Parameters
        ----------
        r0, r1
            Scores of policy 0 and policy 1, within the bounds; with a reference, the score of the
            policy alone. With audits, None and None for a pair that was not audited.
        proxy
            With a proxy, its scores (g0, g1) of both policies in the same scene, within the same
            bounds.
        """
        self._take(r0, r1, proxy)
        return self.verdict

    def run(
        self,
        scores0: ArrayLike,
        scores1: ArrayLike | None = None,
        *,
        proxy: tuple[ArrayLike, ArrayLike] | None = None,
        beyond: bool = False,
    ) -> Verdict:
        """Add pairs until there is a decision, the scores run out, or n_max is reached.

        Scores after that are not looked at. A test that has decided takes no further run: another
        task or another pair of policies needs a test of its own.

        Parameters
        ----------
        scores0, scores1
            As many scores of policy 0 as of policy 1; all are checked before the first is used.
            With a reference, the scores of the policy alone.
        proxy
            With a proxy, its scores of policy 0 and of policy 1, in rows like the scores.
        beyond
            Whether to go on after the decision, which stays: means and interval are then of all
            pairs.
        """
        comparison = self._comparison
        array0, array1 = self.rules.reading.both(scores0, scores1)
        if array0.ndim != 1 or array0.shape != array1.shape:
            raise InvalidInput(
                "both policies need equally many scores in one row each, but got shapes "
                f"{array0.shape} and {array1.shape}"
            )
        decided = self._state.n_decided
        require(
            decided is None,
            f"this test has decided after {counted(decided or 0, 'pair')} and takes no further "
            "run: make a new test for new data",
        )
        self._require_room()
        comparison.check_both(array0, array1)
        guesses = self.rules.reading.beside(proxy, array0.shape)
        alone = scores1 is None
        for r0, r1, *proxies in zip(
            (array1 if alone else array0).tolist(),
            repeat(None) if alone else array1.tolist(),
            *([] if guesses is None else guesses),
            strict=False,
        ):
            state = self._state
            if state.n == self._limit or (state.n_decided is not None and not beyond):
                break
            if self._ended_by_futility():
                break
            self._take(_known(r0), _known(r1), proxies or None)
        return self.verdict

    def extend(self, n_max: int | None = None) -> None:
        """Let pairs come in beyond the declared n_max: up to another number, or without end.

        The error stays below alpha, also if the results made you extend: every bet was, and is,
        made before its pair. From now on bets are planned for the new number, with the evidence
        that is left. A method that plans for n_max has spent much of it there, so declare the
        larger number beforehand where you can: it costs little.

        Parameters
        ----------
        n_max
            The greatest number of pairs from now on, or None for no limit.
        """
        test = self._comparison.test
        text = f"{test.name} answers only up to its declared n_max = {test.n_max}; "
        require(not test.needs_n_max, f"{text}it cannot be extended")
        require(self._limit is not None, "this study has no n_max: there is nothing to extend")
        least = max(self._state.n, self._limit or 0)
        limit = None if n_max is None else require_whole(n_max, "n_max", least)
        self._comparison = PairTest(replace(self.rules, n_max=limit))  # the rules stay
        self._limit = limit
        self._given.append({"n_max": limit})

    def plot(self, names: tuple[str, str] | None = None) -> "Figure":
        """Draw the p-value against pairs, with alpha and the verdict.

        Parameters
        ----------
        names
            What policy 0 and policy 1 are called; with a reference, the number and the policy.
        """
        names = names or self.rules.reading.pair_names
        # The core draws nothing itself, and needs no library for it.
        drawing = import_module("stopwise.report.curves")
        again = SequentialTest.under(self.rules)
        p_values = [again._state.seen.p_value.tolist() for _ in again._taken(self._given)]
        figure: Figure = drawing.plot_stream(p_values, self.verdict, names)
        return figure

    def _repr_html_(self) -> str:
        return self.verdict._repr_html_()

    def __repr__(self) -> str:
        rules = self.rules
        declared = "" if self._limit == rules.n_max else f" (extended from {rules.n_max})"
        return (
            f"SequentialTest({rules.method!r}, alpha={rules.alpha:g}, "
            f"n_max={self._limit}{declared}, alternative={rules.alternative!r}, "
            f"n={self._state.n}, decision={self._state.decision.value!r})"
        )

    def _take(self, r0: Any, r1: Any, proxy: Any) -> None:
        comparison, reading, state = self._comparison, self.rules.reading, self._state
        pair, guesses = comparison.unit_pair(r0, r1), reading.beside(proxy, ())
        self._require_room()
        (score0, score1), unit = reading.tallied(pair[:2], pair[2:])
        layers = np.array(unit)
        if guesses is not None:
            layers = np.array([unit, comparison.scale.unit(np.array(guesses))])
        array0, array1 = layers.T
        directed = reading.directed(array0, array1)
        seen = comparison.observe(state.seen, *directed)
        decision, n_decided = state.decision, state.n_decided
        if n_decided is None:
            ends, winner = comparison.end(seen)
            if ends:
                decision, n_decided = _DECISIONS[int(winner)], state.n + 1
        else:  # what was said of sameness stays
            before = state.seen
            seen = seen._replace(not_worse=before.not_worse, p_not_worse=before.p_not_worse)
        rejected = np.array([_DECISIONS[policy] is decision for policy in comparison.directions])
        shown = comparison.pair_seen(state.seen, seen, (array0, array1), directed, rejected)
        unaudited = math.isnan(score0)
        total0, total1 = state.totals
        self._state = StreamState(
            state.n + 1,
            state.totals if unaudited else (total0 + score0, total1 + score1),
            seen,
            comparison.confidence.step(state.confidence, shown, seen.tests),
            decision,
            n_decided,
            state.unaudited + unaudited,
        )
        scores = [None if each is None else as_float(each) for each in (r0, r1)]
        self._given.append(scores if guesses is None else [*scores, [*map(float, guesses)]])
        self._unit_pairs.append(pair[2:])

    def _taken(self, given: list[Any]) -> Iterator[None]:
        """Take in what was given to another test; yields after each pair."""
        for each in given:
            if isinstance(each, dict):
                self.extend(each["n_max"])
            else:
                r0, r1, *proxy = each
                self._take(r0, r1, *proxy or [None])
                yield

    def _require_room(self) -> None:
        if self._state.n == self._limit:
            raise InvalidInput(
                f"n_max = {self._limit} pairs are already in; `extend` the study to go on, with "
                "the evidence that is left"
            )
        if self._ended_by_futility():
            seen = counted(self._state.n, "pair")
            raise InvalidInput(f"the study ended at a binding futility stop after {seen}")

    def _interval(self) -> Interval:
        comparison = self._comparison
        ends = comparison.confidence.bounds(self._state.confidence)
        interval = comparison.difference_interval(float(ends[0]), float(ends[1]))
        return Interval(*self.rules.reading.back(interval))

    @property
    def _goes_on(self) -> bool:
        """Whether there is no decision, and an n_max ahead."""
        state, n_max = self._state, self._limit
        return state.n_decided is None and n_max is not None and state.n < n_max

    def _ended_by_futility(self) -> bool:
        if not self._comparison.test.stops_at_futility or self._state.n == 0:
            return False
        return self._goes_on and bool(self._comparison.hopeless(self._state.seen))

    def _content(self) -> dict[str, Any]:
        edition = edition_of(self.rules.method)
        return {"settings": self.rules.settings(), "edition": edition, "given": self._given}

    @classmethod
    def _resumed(cls, content: dict[str, Any]) -> Self:
        settings = content["settings"]
        cls._require_edition(settings["method"], content)
        test = cls.under(Rules.of(**settings))
        for _ in test._taken(content["given"]):
            pass
        return test


def _known(score: float | None) -> float | None:
    return None if score is None or math.isnan(score) else score
