"""Whether a design can decide anything, by the clearest possible results."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from stopwise.core.rules import Rules

if TYPE_CHECKING:
    from stopwise.core.readings.score import Shown
    from stopwise.questions.question import Places, Question

# More rows are not played through.
MOST_ROWS = 500


def out_of_reach(question: "Question") -> tuple[str, ...]:
    """Note that no result could decide anything by n_max under these rules."""
    rules = question.rules
    if rules.n_max is None or rules.n_max > MOST_ROWS or rules.reading.kinds > 1:
        return ()
    if first_decision(type(question), rules) is not None:
        return ()
    small = f"n_max = {rules.n_max} is too small for alpha {rules.alpha:.3g}"
    text = f"{small}: nothing could be decided even by the clearest results"
    return (text,)


@lru_cache(maxsize=256)
def warn(notes: tuple[str, ...]) -> None:
    """Log notes as warnings, each but once: for what runs trials itself, before the first."""
    for note in notes:
        logging.getLogger("stopwise").warning(note)


def first_decision(kind: type["Question"], rules: Rules, *, most: int = MOST_ROWS) -> int | None:
    """The first row after which anything could be claimed; None if that is beyond ``most``."""
    return _first_decision(kind, json.dumps(rules.settings()), most)


@lru_cache(maxsize=256)
def _first_decision(kind: type["Question"], settings: str, most: int) -> int | None:
    rules = Rules.of(**json.loads(settings))
    rows = [_decides(kind(rules), scores, most) for scores in _clearest(kind(rules))]
    return min((row for row in rows if row is not None), default=None)


def _decides(question: "Question", scores: dict[str, float], most: int) -> int | None:
    """The row after which something is claimed if every trial of a policy has this score."""

    def row(places: "Places") -> "Mapping[str, Sequence[Shown]]":
        return {name: [scores[name]] * len(trials) for name, trials in places.items()}

    rows = question.take(row)
    return next(
        (
            number
            for number, _ in enumerate(islice(rows, most), start=1)
            if question.decided or question.eliminated
        ),
        None,
    )


def _clearest(question: "Question") -> Iterator[dict[str, float]]:
    """Yield the results that tell the most: opposed in either way, and where it counts, alike."""
    rules = question.rules
    low, high = rules.reading.ends(question.comparison.levels)
    names = rules.reading.run
    ahead = {rules.baseline} if rules.baseline else {names[0]}
    for one, other in ((high, low), (low, high)):
        yield {name: one if name in ahead else other for name in names}
    if rules.alike:
        yield dict.fromkeys(names, high)
