"""How commands declare their options, and how they share groups of them as one object."""

import dataclasses
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, ClassVar, get_type_hints

import typer

# Where the default of a parameter keeps how typer is told of it.
TOLD = "told"


def option(text: str, default: Any = None, *, name: str | None = None, **look: Any) -> Any:
    """What a parameter is by default, and its help as an option; ``...`` if required."""
    names = () if name is None else (name,)
    return _declared(default, lambda _: typer.Option(*names, help=text, **look))


def flag(text: str, name: str | None = None) -> Any:
    """The same of an option that is given or not."""
    return _declared(
        False, lambda own: typer.Option(name or f"--{own.replace('_', '-')}", help=text)
    )


def argument(text: str, default: Any = None, **look: Any) -> Any:
    """The same of an argument."""
    return _declared(default, lambda _: typer.Argument(help=text, **look))


def _declared(default: Any, told: Callable[[str], Any]) -> Any:
    given = dataclasses.MISSING if default is ... else default
    return dataclasses.field(default=given, metadata={TOLD: told})


class OptionGroup:
    """A dataclass whose fields are options, as typer reads them from a signature.

    A command takes the whole group as one parameter. A subclass changes defaults and help, or
    leaves options out: ``class TwoPolicyOptions(ComparisonOptions, left_out=("baseline",))``.
    """

    left_out: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, *, left_out: tuple[str, ...] = ()) -> None:
        cls.left_out = left_out

    @classmethod
    def options(cls) -> dict[str, inspect.Parameter]:
        """The options by name."""
        assert dataclasses.is_dataclass(cls)
        hints = get_type_hints(cls, include_extras=True)
        return {
            field.name: _parameter(field.name, hints[field.name], field)
            for field in dataclasses.fields(cls)
            if field.name not in cls.left_out
        }

    def keywords(self) -> dict[str, Any]:
        """The values by name, as keywords of the library."""
        return {name: getattr(self, name) for name in self.options()}


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    """A parameter as typer reads it."""
    if isinstance(default, dataclasses.Field):
        if TOLD in default.metadata:
            annotated: Any = Annotated
            kind = annotated[kind, default.metadata[TOLD](name)]
        missing = default.default is dataclasses.MISSING
        default = inspect.Parameter.empty if missing else default.default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it, with all options of a group in place of the group."""
    signature = inspect.signature(command)
    groups = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if isinstance(parameter.annotation, type) and issubclass(parameter.annotation, OptionGroup)
    }

    @wraps(command)
    def with_groups(**given: Any) -> None:
        for name, group in groups.items():
            own = {option: given.pop(option) for option in group.options()}
            given[name] = group(**own)
        command(**given)

    parameters: list[inspect.Parameter] = []
    for name, own in signature.parameters.items():
        single = _parameter(name, own.annotation, own.default)
        parameters += groups[name].options().values() if name in groups else [single]
    # typer reads both: the names and defaults from the one, the types from the other.
    vars(with_groups)["__signature__"] = signature.replace(parameters=parameters)
    with_groups.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_groups
