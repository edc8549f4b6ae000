"""What every answer of planning can do: be read as a sentence, as JSON and as a page."""

import json
from abc import abstractmethod
from typing import Any

from stopwise.report.drawn import Drawn

__all__ = ["SCHEMA", "Finding"]

SCHEMA = 1


class Finding(Drawn):
    """An answer with one honest sentence."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What was found, in words, and what it rests on."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""

    @abstractmethod
    def to_html(self) -> str:
        """Return a self-contained page."""

    def to_json(self) -> str:
        """Return everything as JSON; the schema is in docs/design/planning.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def __str__(self) -> str:
        return self.sentence
