"""Hook of the site: one page of all commands and options, from the command line itself."""

from collections.abc import Iterator
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from stopwise.cli import app

__all__ = ["commands", "on_files", "page", "parameters"]


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page to the site."""
    files.append(File.generated(config, "reference/commands.md", content=page()))
    return files


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command that does something itself, with its full name."""
    yield from _leaves("stopwise", typer.main.get_command(app))


def _leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", {})
    if not below:
        yield name, command
    for word, child in below.items():
        yield from _leaves(f"{name} {word}", child)


def parameters(command: Any) -> list[Any]:
    """Arguments and options of a command that a user sees."""
    return [one for one in command.params if not getattr(one, "hidden", False)]


def page() -> str:
    parts = [
        "# Commands",
        "Every command also has `--help`. With `--json` it prints the same facts for programs. "
        "Bad input is one line on standard error and exit code 2.",
        *(_section(name, command) for name, command in commands()),
    ]
    return "\n\n".join(parts) + "\n"


def _section(name: str, command: Any) -> str:
    rows = [_row(one) for one in parameters(command)]
    words = [_shown(one) for one in parameters(command) if one.param_type_name == "argument"]
    usage = " ".join([name, "[OPTIONS]", *words])
    table = ["| | default | |", "|---|---|---|", *rows]
    return "\n\n".join([f"## {name}", command.help, f"```console\n{usage}\n```", "\n".join(table)])


def _shown(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        return f"{names} {parameter.metavar}" if parameter.metavar else names
    name = parameter.name.upper() + ("..." if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


def _row(parameter: Any) -> str:
    default = parameter.default
    if parameter.required:
        shown = "needed"
    elif default in (None, False, ()) or callable(default):
        shown = ""
    else:
        shown = f"`{default}`"
    return f"| `{_shown(parameter)}` | {shown} | {(parameter.help or '').replace('|', '&#124;')} |"
