"""Classes by name, imported on first use, so that commands start at once."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar, cast

Kind = TypeVar("Kind")


class ByName(Mapping[str, type[Kind]], Generic[Kind]):
    """A mapping from names to classes, given as import paths: ``"stopwise.core.wsr:Wsr"``."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes

    def __getitem__(self, name: str) -> type[Kind]:
        module, _, attribute = self._homes[name].partition(":")
        return cast(type[Kind], getattr(import_module(module), attribute))

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
