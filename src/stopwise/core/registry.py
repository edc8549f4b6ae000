"""All methods by name, with what each accepts."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, Generic, TypedDict, TypeVar, cast

from stopwise.core.arrays import Floats
from stopwise.core.method import Method
from stopwise.errors import InvalidInput
from stopwise.messages import Setting, named, shortened

Kind = TypeVar("Kind")


class ByName(Mapping[str, type[Kind]], Generic[Kind]):
    """Classes by name, imported on first use so that commands start at once.

    They are given as import paths: ``"stopwise.core.wsr:Wsr"``.
    """

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


_BY_NAME: ByName[Method[Any]] = ByName(
    {
        "nscore-plus": "stopwise.core.nscore_plus:NScorePlus",
        "nscore": "stopwise.core.nscore:NScore",
        "wsr": "stopwise.core.wsr:Wsr",
        "savi": "stopwise.core.savi:Savi",
        "step": "stopwise.core.step.method:Step",
    }
)


class MethodParameters(TypedDict, total=False):
    """The methods' own parameters as keywords; ``futility`` is where it fits."""

    futility_chance: Annotated[
        float, "Of methods that bet: the chance of a decision below which a study is futile."
    ]
    bins: Annotated[int, "Of nscore: number of equal bins that sort the scores."]
    bin_values: Annotated[
        Sequence[float] | Floats | None, "Of nscore: the scores that occur, instead of ``bins``."
    ]
    levels: Annotated[int, "Of savi: number of equally spaced scores that occur."]
    level_values: Annotated[
        Sequence[float] | Floats | None, "Of savi: the scores that occur, instead of ``levels``."
    ]


# What the rules say to each method; ``futility`` is a parameter that all have.
_COMMON = {field.name for field in dataclasses.fields(Method)} - {"futility"}
_SCORES = {"any": "any within the bounds", "binary": "success or failure", "levels": "K levels"}


@dataclass(frozen=True)
class MethodInfo:
    """What a method is and accepts.

    Attributes
    ----------
    name, summary
        Its name in every interface, and one line.
    scores
        Which scores it takes.
    designs
        Designs that its proof covers.
    needs_n_max, takes_margin
        Whether n_max must be declared, and whether a margin may be.
    parameters
        Its own keyword parameters with their defaults.
    constant_rates
        Whether its level needs means that stay the same for the whole study.
    edition
        Raised whenever the same scores would give other evidence.
    citation, advice
        What to cite, and when to choose it, one line each.
    bibtex
        What to cite, for BibTeX.
    """

    name: str
    summary: str
    scores: str
    designs: tuple[str, ...]
    needs_n_max: bool
    takes_margin: bool
    parameters: Mapping[str, Any]
    constant_rates: bool
    edition: int
    citation: str
    advice: str
    bibtex: str


def methods() -> dict[str, MethodInfo]:
    """Return all methods by name, with what each accepts.

    Examples
    --------
    >>> import stopwise as sw
    >>> list(sw.methods())
    ['nscore-plus', 'nscore', 'wsr', 'savi', 'step']
    >>> sw.methods()["savi"].designs
    ('independent',)
    """
    return {name: _describe(cls) for name, cls in _BY_NAME.items()}


def find(name: str) -> type[Method[Any]]:
    if not isinstance(name, str) or name not in _BY_NAME:
        text = f" must be one of {', '.join(_BY_NAME)}, but got {shortened(name)}"
        raise InvalidInput(named("method"), text)
    return _BY_NAME[name]


def create(name: str, *, parameters: Mapping[str, Any], **common: Any) -> Method[Any]:
    cls = find(name)
    allowed = _describe(cls).parameters
    for key in parameters:
        if key not in allowed:
            raise _foreign(name, key, allowed)
    return cls(**common, **parameters)


def _foreign(name: str, key: str, allowed: Mapping[str, Any]) -> InvalidInput:
    owners = [
        Setting("method", method) for method, info in methods().items() if key in info.parameters
    ]
    if not owners:
        known = ", ".join(allowed) or "none"
        return InvalidInput(f"{name} has no parameter {key!r}; its own parameters: {known}")
    others = [part for owner in owners[1:] for part in (" or ", owner)]
    parts = (named(key), " is for ", owners[0], *others, f", not for {name}")
    return InvalidInput(*parts)


def edition_of(method: str) -> int:
    return find(method).edition


def _describe(cls: type[Method[Any]]) -> MethodInfo:
    parameters = {
        field.name: field.default for field in dataclasses.fields(cls) if field.name not in _COMMON
    }
    said: dict[str, Any] = {
        "scores": _SCORES[cls.scores],
        "parameters": parameters,
        "citation": str(cls.citation),
        "bibtex": cls.citation.bibtex,
    }
    names = {field.name for field in dataclasses.fields(MethodInfo)} - said.keys()
    return MethodInfo(**{name: getattr(cls, name) for name in names}, **said)
