"""The protocol of a method: immutable parameters and pure, vectorised functions."""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.confidence import Bet
from stopwise.errors import require, require_choice
from stopwise.messages import named

# A NamedTuple of arrays, or of such, each with the runner's shape as its leading axes.
State = TypeVar("State", bound=tuple[Any, ...])
Kind = TypeVar("Kind")
FUTILITIES = (None, "advisory", "binding")


class Citation(NamedTuple):
    authors: str
    title: str
    where: str = ""  # journal and volume
    year: int | None = None  # None while it is not published
    addition: str = ""  # what is used beyond it

    def __str__(self) -> str:
        where = f", {self.where}" if self.where else ""
        year = f" ({self.year})" if self.year else ""
        return f'{self.authors}, "{self.title}"{where}{year}{self.addition}'

    @property
    def bibtex(self) -> str:
        """The same as an entry for BibTeX."""
        authors = self.authors.replace(" et al.", " and others")
        first = re.split(r" and |, ", authors)[0].split()[-1].lower()
        fields = {
            "author": authors,
            "title": f"{{{self.title}}}",
            "journal": self.where.replace("&", "\\&"),
            "year": self.year,
            "note": self.addition.lstrip(", "),
        }
        lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text)
        kind = "article" if self.where else "misc"
        return f"@{kind}{{{first}{self.year or ''},\n{lines}}}"


class Evidence(NamedTuple):
    """What one direction of a test says now."""

    log_e: Floats  # logarithm of the e-value
    p_value: Floats  # of the present moment; the runner keeps the running minimum
    rejected: Bools  # whether H0: mean1 <= mean0 + margin is rejected now


@dataclass(frozen=True, kw_only=True)
class Method(ABC, Generic[State]):
    """One direction of a test of H0: mean1 <= mean0 + margin for scores in [0, 1]."""

    alpha: float = 0.05  # of this direction: under H0 it is ever rejected with at most this
    n_max: int | None = None
    margin: float = 0.0  # in units of the normalised score, in (-1, 1)
    design: str = "independent"  # or "paired": scores may depend on each other within a pair
    # If policy 0 is a number: that number in [0, 1], for each direction. The runner does not swap
    # then: in the second direction it mirrors number and scores.
    number: tuple[float, ...] = ()
    # Whether scores may be averages, of more trials for one policy than for the other: then one
    # side is quieter. Any answer is valid.
    averages: bool = False
    # Whether a study in which a decision by n_max is unlikely is told so ("advisory"), ends there
    # ("binding"), or neither.
    futility: str | None = "advisory"

    name: ClassVar[str]
    summary: ClassVar[str]
    # Raised whenever the same scores would give other evidence: what was started with another
    # edition must not go on with this one.
    edition: ClassVar[int] = 1
    # What a publication that uses the method should cite.
    citation: ClassVar[Citation]
    # When to choose the method, in one line.
    advice: ClassVar[str] = ""
    scores: ClassVar[str] = "any"
    designs: ClassVar[tuple[str, ...]] = ("independent",)
    # Whether the level needs means that stay the same, not only keep their order.
    constant_rates: ClassVar[bool] = False
    needs_n_max: ClassVar[bool] = False
    takes_margin: ClassVar[bool] = True
    # Whether policy 0 may be a number.
    takes_number: ClassVar[bool] = True
    # Whether scores may come with those of a proxy.
    takes_proxy: ClassVar[bool] = False
    # Whether both directions together err with at most alpha, so that ties need no split.
    splits_itself: ClassVar[bool] = False
    # Whether the bets of the test are bets against every smaller margin too, so that intervals can
    # agree with its decisions.
    inverts: ClassVar[bool] = False
    # Whether evidence in the independent design rests on scores being independent within a pair.
    needs_independence: ClassVar[bool] = True
    # Whether pairs come to an end that leaves nothing to chance.
    ends: ClassVar[bool] = False
    # Parameters that users give in units of the score; the runner normalises them.
    score_parameters: ClassVar[tuple[str, ...]] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Methods are immutable and need no copy."""
        return self

    def as_a(self, kind: type[Kind], **settings: Any) -> Kind:
        """A test of another kind with the settings of this one that it takes."""
        taken = {entry.name for entry in fields(kind)}  # type: ignore[arg-type]  # a dataclass
        settings_here = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        given = {name: value for name, value in settings_here.items() if name in taken}
        return kind(**{**given, **settings})

    def score_values(self) -> Floats | None:
        """Return the only scores that the method accepts, or None if all of [0, 1] are."""
        return np.array([0.0, 1.0]) if self.scores == "binary" else None

    def __post_init__(self) -> None:
        require_choice("futility", self.futility, FUTILITIES)
        require(
            self.n_max is not None or not self.stops_at_futility,
            "binding futility stops need a declared ",
            named("n_max"),
            ": without one, a decision is never out of reach",
        )

    @property
    def stops_at_futility(self) -> bool:
        """Whether a study ends where ``futile`` says so."""
        return self.futility == "binding"

    def chance(self, state: State) -> Floats | None:  # noqa: ARG002
        """Return the chance of a decision by n_max if there is an effect, or None if unknown."""
        return None

    def futile(self, state: State) -> Bools:
        """True where a decision by n_max has become too unlikely to go on."""
        return np.zeros(self.evidence(state).p_value.shape, dtype=bool)

    def closed(self, state: State) -> Bools:
        """Whether the claim can never be shown any more, for certain."""
        return np.zeros(self.evidence(state).p_value.shape, dtype=bool)

    @property
    def least_chance(self) -> float:
        """The chance of a decision below which a study is futile."""
        return 0.0

    def not_worse(self, alpha: float, margin: float) -> "Method[State]":
        """Return the test of "not worse by the margin or more", for a claim of equivalence."""
        return replace(self, alpha=alpha, margin=-margin)

    def facts(self) -> tuple[str, ...]:
        """Return sentences about the test itself that belong into a report."""
        return ()

    @abstractmethod
    def start(self, shape: tuple[int, ...]) -> State:
        """Return the state before the first pair, for an array of independent runs."""

    @abstractmethod
    def step(self, state: State, r0: Floats, r1: Floats) -> State:
        """Return the state after one more pair of scores per run; ``state`` is not changed."""

    def learn(self, state: Any, r0: Floats, r1: Floats) -> Any:
        """Return the state after a pair on which nothing was bet; its evidence stays as it was."""
        after: Any = self.step(state, r0, r1)
        return after._replace(log_e=state.log_e)

    def held(self, state: State) -> int:  # noqa: ARG002
        """Return for how many pairs, at least 1, the next bet stays as it is."""
        return 1

    def leap(self, state: State, r0: Floats, r1: Floats) -> tuple[State, Floats]:
        """Return the state after several pairs (the first axis), and log e-values after each."""
        path = []
        for score0, score1 in zip(r0, r1, strict=True):
            state = self.step(state, score0, score1)
            path.append(self.evidence(state).log_e)
        return state, np.stack(path)

    @abstractmethod
    def evidence(self, state: State) -> Evidence:
        """Return the evidence of a state against the null hypothesis."""

    def margin_fall(self, before: State, after: State, r0: Floats, r1: Floats) -> Floats:
        """Rate at which the pair's log-factor falls with the margin, at the margin.

        It is asked only of methods that declare ``inverts``; a table of decisions has no such rate.
        """
        raise NotImplementedError(self.name)

    def bets_at(
        self,
        state: State,  # noqa: ARG002
        margins: Floats,  # noqa: ARG002
        need: Floats,  # noqa: ARG002
        size: Floats,  # noqa: ARG002
    ) -> Bet | None:
        """Return bets against other margins (last axis), or None to leave them to the interval."""
        return None


def evidence_from_log_e(log_e: Floats, alpha: float) -> Evidence:
    """Return the evidence of an e-process: reject at 1/alpha, by Ville's inequality."""
    p_value = np.exp(-np.maximum(log_e, 0.0))
    return Evidence(log_e, p_value, p_value <= alpha)
