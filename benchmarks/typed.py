"""What is asked of a benchmark on the command line."""

import argparse
from typing import Any

# Of options that several benchmarks have.
HELP = {"json": "also write the figures here", "workers": "threads; all cores by default"}


def typed(document: str | None, **options: Any) -> argparse.Namespace:
    """Return what was typed for the options, each of which is given by its default.

    A type stands for an option that is None unless it is given, a list for one of several values
    (of a type: any number), False for a flag. A tuple adds the help.
    """
    parser = argparse.ArgumentParser(
        description=document, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, given in options.items():
        default, text = given if isinstance(given, tuple) else (given, HELP.get(name))
        look: dict[str, Any] = {"help": text}
        several = isinstance(default, list)
        first = default[0] if several else default
        known = not isinstance(first, type)
        if default is False:
            look["action"] = "store_true"
        else:
            look |= {"type": type(first) if known else first, "default": default if known else None}
        if several:
            look["nargs"] = "+" if known else "*"
        parser.add_argument(f"--{name.replace('_', '-')}", **look)
    return parser.parse_args()
