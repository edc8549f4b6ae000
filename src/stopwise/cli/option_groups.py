"""Options that several commands share, declared once and handed on as one object."""

import dataclasses
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, get_type_hints


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
        """Return the options by name."""
        assert dataclasses.is_dataclass(cls)
        hints = get_type_hints(cls, include_extras=True)
        return {
            field.name: inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=hints[field.name],
            )
            for field in dataclasses.fields(cls)
            if field.name not in cls.left_out
        }

    def keywords(self) -> dict[str, Any]:
        """Return the values by name, as keywords of the library."""
        return {name: getattr(self, name) for name in self.options()}


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the options of each group in place of the parameter for it."""
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

    parameters = [
        option.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in signature.parameters.items()
        for option in (groups[name].options().values() if name in groups else [parameter])
    ]
    # typer reads both: the names and defaults from the one, the types from the other.
    vars(with_groups)["__signature__"] = signature.replace(parameters=parameters)
    with_groups.__annotations__ = {option.name: option.annotation for option in parameters}
    return with_groups
