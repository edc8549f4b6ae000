"""Whether a proxy's scores in the real scenes contradict its mean: a test like that of policies."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from stopwise.core.arrays import Bools, Floats, greatest
from stopwise.core.nscore_plus import NScorePlus, PlusState
from stopwise.core.readings.proxied import Proxied

# Margins stay inside (-1, 1); a larger one is only more cautious, and a mean of -1 cannot fail.
WIDEST = 0.999


class WatchState(NamedTuple):
    """The least p-value of each direction, and what its test has seen."""

    p_value: Floats
    states: tuple[PlusState, ...]


@dataclass(frozen=True)
class SceneTests:
    """The tests of one pair of policies, one for each direction."""

    tests: tuple[NScorePlus, ...]
    audit: float = 0.0  # its chance, by which what a judge says in excess of its share is below 0
    batches: tuple[tuple[float, ...], ...] = ()  # as each direction sees them

    @classmethod
    def of(cls, test: Proxied, pair: int, level: float) -> Self:
        means, batches = test.proxy_means[pair], test.proxy_batches[pair : pair + 1]
        margins = (0.0 if batches else max(-mean, -WIDEST) for mean in means)
        own: dict[str, Any] = {"alpha": level, "n_max": test.n_max, "design": "paired"}
        tests = tuple(NScorePlus(**own, margin=each) for each in margins)
        return cls(tests, test.audit or 0.0, *batches)

    def start(self, shape: tuple[int, ...] = ()) -> WatchState:
        states = tuple(test.start((*shape, 1)) for test in self.tests)
        return WatchState(np.ones((*shape, len(self.tests))), states)

    def step(self, watch: WatchState, guesses0: Floats, guesses1: Floats) -> WatchState:
        """Return the state after a pair of the proxy's scores, as each direction sees them."""
        states, p_values = [], []
        for place, (test, before) in enumerate(zip(self.tests, watch.states, strict=True)):
            low, high = (own[..., [place]] + self.audit for own in (guesses1, guesses0))
            scored, pairs = test.margin <= WIDEST, int(greatest(before.pairs))
            if self.batches:
                scored = pairs < len(self.batches[place])
                mean = self.batches[place][pairs] if scored else 0.0
                low, high = 0.5 * (low + np.maximum(-mean, 0)), 0.5 * (high + np.maximum(mean, 0))
            after = test.step(before, low, high) if scored else before
            states.append(after)
            p_values.append(test.evidence(after).p_value)
        now = np.concatenate(p_values, axis=-1)
        return WatchState(np.minimum(watch.p_value, now), tuple(states))

    def differ(self, watch: WatchState) -> Bools:
        """Whether these scenes look different from those that the mean is of."""
        return np.asarray((watch.p_value <= self.tests[0].alpha).any(axis=-1))
