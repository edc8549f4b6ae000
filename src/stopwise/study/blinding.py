"""Random draws: labels, codes, orders and conditions, all from one secret.

The secret is drawn with the store and kept in it; the journal holds only its hash. So nobody
can foresee an order or a code, and after unblinding, which reveals the secret, anyone can check
that each one was drawn as promised.
"""

import hashlib
import hmac
import itertools
import math
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from stopwise.rows.task_mean import task_at
from stopwise.study.study_plan import Conditions, StudyPlan

# Letters and digits that are not confused when read aloud.
ALPHABET = "ACDEFHJKLMNPQRTUVWXY3479"
SHORTEST = 3


def new_secret() -> str:
    return secrets.token_hex(32)


@dataclass(frozen=True)
class Draws:
    """Random draws that depend only on the secret, the plan's seed and what they are for."""

    secret: str
    seed: int

    @property
    def commitment(self) -> str:
        return hashlib.sha256(self.secret.encode()).hexdigest()

    def labels(self, plan: StudyPlan) -> dict[str, str]:
        names = plan.policy_names
        if plan.blinding == "none":
            return {name: name for name in names}
        return {letters(place): name for place, name in enumerate(self.shuffled(names, "label"))}

    def shuffled(self, items: Iterable[str], *purpose: object) -> list[str]:
        return sorted(items, key=lambda item: self._draw(*purpose, item))

    def task(self, shares: Mapping[str, float], *purpose: object) -> str:
        return task_at(shares, self._uniform("task", *purpose))

    def code(self, taken: Collection[str], *purpose: object) -> str:
        """Return a short code that is not taken; longer ones when a quarter of them are."""
        length = SHORTEST
        while 4 * len(taken) >= len(ALPHABET) ** length:
            length += 1
        for attempt in itertools.count():
            number = int.from_bytes(self._draw("code", attempt, *purpose), "big")
            code = "".join(
                ALPHABET[number // len(ALPHABET) ** place % len(ALPHABET)]
                for place in range(length)
            )
            if code not in taken:
                break
        return code

    def salt(self, *purpose: object) -> str:
        """Salt that keeps a published hash from revealing the arm by search."""
        return self._draw("salt", *purpose).hex()[:32]

    def condition(
        self, conditions: Conditions | None, draw: int, *purpose: object, in_turn: bool
    ) -> str | None:
        """Next condition: listed ones in turn, others drawn afresh."""
        if conditions is None:
            return None
        if conditions.listed and not in_turn:
            return conditions.listed[int(self._uniform(*purpose, draw) * len(conditions.listed))]
        if conditions.listed:
            cycle, place = divmod(draw, len(conditions.listed))
            order = self.shuffled(map(str, range(len(conditions.listed))), *purpose, cycle)
            return conditions.listed[int(order[place])]
        drawn = {
            name: _rounded(low + (high - low) * self._uniform(*purpose, draw, name), high - low)
            for name, (low, high) in conditions.drawn.items()
        }
        return ", ".join(f"{name} = {value}" for name, value in drawn.items())

    def _uniform(self, *purpose: object) -> float:
        return int.from_bytes(self._draw(*purpose)[:8], "big") / 2.0**64

    def _draw(self, *purpose: object) -> bytes:
        text = "\x1f".join(map(str, (self.seed, *purpose)))
        return hmac.digest(self.secret.encode(), text.encode(), "sha256")


def letters(place: int) -> str:
    """A to Z, then AA, AB and so on."""
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def _rounded(value: float, span: float) -> str:
    """Return a number that a person can set: three digits of its range."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(span)))}f}"
