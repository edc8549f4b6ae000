"""Values of plain options, read without typer's machinery: that takes a tenth of a second to load.

Whatever is not obviously right is left to typer, and so are all errors.
"""

import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, get_args, get_origin

FORMS: dict[type[Any], re.Pattern[str]] = {
    str: re.compile(r".*", re.DOTALL),
    Path: re.compile(r".+", re.DOTALL),
    int: re.compile(r"[0-9]{1,15}"),
    float: re.compile(r"-?[0-9]*\.?[0-9]+((e-?[0-9]{1,2})?| ?%)"),
}


class Percentage(float):
    """A number that was typed as per cent of the range from 0 to 1."""


def number(text: str) -> float:
    """The number of a text such as ``0.05`` or ``5%``."""
    if not text.rstrip().endswith("%"):
        return float(text)
    try:
        return Percentage(Decimal(text.rstrip()[:-1]) / 100)
    except InvalidOperation as error:
        raise ValueError(f"no percentage: {text!r}") from error


def read_plainly(parameter: Any, annotation: Any) -> None:
    """Let a parameter of a command take what needs no conversion, or a plain one, by itself."""
    usual = parameter.process_value
    kind, *information = get_args(annotation) or (annotation,)
    kinds = [each for each in get_args(kind) or (kind,) if each is not type(None)]
    repeated = [get_args(each)[0] for each in kinds if get_origin(each) is list]
    kinds = repeated or kinds
    limits = [getattr(information[0], end, None) for end in ("min", "max")] if information else []

    def process(ctx: Any, value: Any) -> Any:
        plain: Any
        texts = value if repeated and isinstance(value, (list, tuple)) else [value]
        if value is None and not parameter.required:
            plain = () if repeated else None
        elif value is not None and value is parameter.default:
            plain = value
        elif len(kinds) == 1 and all(_obvious(kinds[0], text, limits) for text in texts):
            read = [_read(kinds[0], text) for text in texts]
            plain = read if repeated else read[0]
        else:
            return usual(ctx, value)
        return plain if parameter.callback is None else parameter.callback(ctx, parameter, plain)

    parameter.process_value = process


def _obvious(kind: type[Any], text: Any, limits: list[float | None]) -> bool:
    form = FORMS.get(kind)
    if form is None or not isinstance(text, str) or not form.fullmatch(text):
        return False
    if kind not in (int, float) or not limits:
        return True
    low, high = limits
    value = _read(kind, text)
    return (low is None or value >= low) and (high is None or value <= high)


def _read(kind: type[Any], text: Any) -> Any:
    return number(text) if kind is float else kind(text)
