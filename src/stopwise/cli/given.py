"""How the table of options becomes parameters of a command, and what was typed one object."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import SimpleNamespace
from typing import Annotated, Any, get_origin

import typer

from stopwise.cli.command import FEW
from stopwise.cli.values import parse_bounds, refuse_percentages
from stopwise.errors import require


@dataclass(frozen=True)
class Row:
    """An option, or an argument, of the commands ``of``; ``...`` as its default if required.

    Its value is one of the keywords of a ``part`` of the library, or becomes some by ``read``. It
    is ``typed`` as its name says, or as an "argument".
    """

    of: str
    name: str
    kind: Any
    help: str
    default: Any = None
    part: str = ""
    read: Callable[[Any], dict[str, Any]] | None = None
    typed: str = ""
    metavar: str | None = None
    show_default: bool | str = True
    min: float | None = None
    max: float | None = None

    def parameter(self, panel: str | None) -> inspect.Parameter:
        """The option as typer reads it."""
        flag = f"--{self.name.replace('_', '-')}" if self.kind is bool else ""
        names = (self.typed or flag).split()
        is_argument = names == ["argument"]
        made: Any = typer.Argument if is_argument else typer.Option
        option = made(
            *([] if is_argument else names),
            help=self.help,
            rich_help_panel=panel,
            metavar=self.metavar,
            show_default=self.show_default,
            min=self.min,
            max=self.max,
        )
        kind: Any = self.kind | None if self.default is None else self.kind
        annotated: Any = Annotated
        default = inspect.Parameter.empty if self.default is ... else self.default
        keyword = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(
            self.name, keyword, default=default, annotation=annotated[kind, option]
        )


def flag(of: str, name: str, text: str, part: str = "", *, typed: str = "") -> Row:
    """A row of an option that is given or not."""
    return Row(of, name, bool, text, False, part, typed=typed)


class Given(SimpleNamespace):
    """The values of a command's options, by name."""

    rows: list[Row]
    context: typer.Context

    def keywords(self, part: str) -> dict[str, Any]:
        """The keywords of one part of the library."""
        settings = self._read([one for one in self.rows if one.part == part])
        if "goal" in settings:  # which the other implies
            settings["goal"] = settings["goal"] or ("best" if settings["indifference"] else "order")
        if "order" in settings:
            by_time = "time" if settings["columns"].get("time") else "file"
            settings["order"] = by_time if settings["seed"] is None else "shuffled"
        return settings

    def typed(self, *parts: str) -> dict[str, Any]:
        """The keywords of these parts that were typed, and not left as usual."""
        rows = [one for one in self.rows if one.part in parts and self._is_typed(one.name)]
        return self._read(rows)

    def names(self, part: str) -> set[str]:
        """The options of a part."""
        return {one.name for one in self.rows if one.part == part}

    def refuse(self, names: set[str], reason: str) -> None:
        """Raise if an option that has no effect was typed, instead of ignoring it."""
        for parameter in self.context.command.params:
            unused = parameter.name in names and self._is_typed(str(parameter.name))
            require(not unused, f"{parameter.opts[0]} has no effect {reason}")

    def _read(self, rows: list[Row]) -> dict[str, Any]:
        settings: dict[str, Any] = {}
        for one in rows:
            value = getattr(self, one.name)
            settings |= {one.name: value} if one.read is None else one.read(value)
        return settings

    def _is_typed(self, name: str) -> bool:
        source = self.context.get_parameter_source(name)
        return source is not None and source.name != "DEFAULT"


def takes_options(
    table: dict[str, list[Row]], name: str
) -> Callable[[Callable[[Given], None]], Callable[..., None]]:
    """Give a command the options of the table that are ``of`` its name."""
    rows = {one: panel for panel, some in table.items() for one in some if name in one.of.split()}
    keyword = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("context", keyword, annotation=typer.Context)
    options = [one.parameter(rows[one] if len(rows) > FEW else None) for one in rows]
    # typer turns an empty list into None.
    lists = [one.name for one in rows if get_origin(one.kind) is list]

    def made(command: Callable[[Given], None]) -> Callable[..., None]:
        @wraps(command)
        def with_options(context: typer.Context, **typed: Any) -> None:
            typed |= {name: typed[name] or [] for name in lists}
            refuse_percentages(typed, parse_bounds(typed.get("bounds")))
            command(Given(rows=list(rows), context=context, **typed))

        # typer reads both: the names and defaults from the one, the types from the other.
        signature = inspect.Signature([context, *options])
        vars(with_options)["__signature__"] = signature
        with_options.__annotations__ = {
            each.name: each.annotation for each in signature.parameters.values()
        }
        return with_options

    return made
