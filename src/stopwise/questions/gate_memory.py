"""What a gate remembers from night to night: the rules, and the pairs that were counted.

Every run reads all trials, old and new, and replays them. So no trial is counted twice, and the
guarantee of the test, which holds at all looks together, covers all nights. The memory is there so
that nobody changes the past or the rules on the way, not even by accident.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.core.editions import other_edition
from stopwise.core.rules import Rules
from stopwise.core.snapshot import dump, load
from stopwise.errors import InvalidState, require
from stopwise.files import replace_file
from stopwise.rows.table import Table

KIND, VERSION = "stopwise gate", 1


@dataclass(frozen=True)
class Memory:
    place: Path | None
    versions: str | None  # what the caller says identifies both policies
    before: Mapping[str, Any]  # what the file held when it was opened: empty on the first night

    @classmethod
    def opened(cls, place: str | Path | None, versions: str | None) -> "Memory":
        if place is None:
            alone = "versions of the policies are remembered in a state: give one"
            require(versions is None, alone, parameter="versions")
            return cls(None, None, {})
        place = Path(place)
        require(place.parent.is_dir(), f"{place}: there is no folder {place.parent}")
        if not place.exists():
            return cls(place, versions, {})
        try:
            text = place.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise InvalidState(f"{place}: this is not the state of a gate") from error
        try:
            return cls(place, versions, load(KIND, VERSION, text))
        except InvalidState as error:
            raise InvalidState(f"{place}: {error}") from error

    def check(self, rules: Rules, pairs: Table) -> None:
        if not self.before:
            return
        now, then = self._declared(rules, pairs), self.before["declared"]
        if now["method"] == then["method"]:
            begun = f"{self.place}: this gate was begun"
            refusal = other_edition(rules.method, then["edition"], begun)
            if refusal is not None:
                raise InvalidState(refusal)
        for name in {**then, **now}:
            require(
                then.get(name) == now.get(name),
                f"{self.place}: {name} was {_text(then.get(name))} before, but is now "
                f"{_text(now.get(name))}; keep it as it was, or begin another state",
            )
        counted = np.array(self.before["pairs"], dtype=float).reshape(-1, 2)
        given = pairs.scores[: len(counted)]
        require(
            len(given) == len(counted),
            f"{self.place}: {len(counted)} pairs were counted before, but now there are only "
            f"{len(given)}; give all trials each time, old and new",
        )
        changed = (given != counted).any(axis=1)
        require(
            not changed.any(),
            f"{self.place}: pair {int(changed.argmax()) + 1} of the {len(counted)} counted before "
            "has changed; give all trials each time, old ones first and as they were",
        )

    def keep(self, rules: Rules, pairs: Table) -> None:
        if self.place is not None:
            content = {"declared": self._declared(rules, pairs), "pairs": pairs.scores.tolist()}
            replace_file(self.place, (dump(KIND, VERSION, content) + "\n").encode())

    def _declared(self, rules: Rules, pairs: Table) -> dict[str, Any]:
        """Settings that must stay as they are, as JSON gives them back."""
        own = {**rules.identity(), "task": pairs.task, "versions": self.versions}
        found: dict[str, Any] = json.loads(json.dumps(own))
        return found


def _text(value: object) -> str:
    return "not given" if value is None else json.dumps(value, ensure_ascii=False)
