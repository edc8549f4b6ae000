"""How files are read: one group of settings, checked once and passed on as one value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Self, TypedDict

from stopwise.errors import InvalidInput, require, require_choice
from stopwise.messages import BLANK, Setting, named, shortened

Bounds = tuple[float, float]
# A column, several whose values together make the name, or None for "no such column".
ColumnChoice = str | Sequence[str] | None
# The values of a column that count; all others are left out.
Where = Mapping[str, Any] | Sequence[str]

ROLES = (
    *("task", "policy", "trial", "score", "success", "block", "seed", "step", "time"),
    *("evaluator", "proxy", "ignore"),
)
SINGLE = ("score", "success", "step", "time", "proxy")
# If more than this share of the scores is missing and the rest is all alike, they are failures.
MANY_MISSING = 0.1
MISSING = ("error", "fail", "drop", "keep")
POINTS = ("last", "best", "auc")
ORDERS = ("file", "time", "shuffled")


class InputSettings(TypedDict, total=False):
    """What every entry point that reads files takes."""

    columns: Annotated[
        Mapping[str, ColumnChoice] | None,
        "The columns by role: task, policy, trial, score, success, block, seed (of the training), "
        "step (of the training), time, evaluator, proxy, ignore; several names are joined with "
        '"/", None ignores what would be guessed.',
    ]
    score: Annotated[
        str | None,
        'Short for ``columns={"score": ...}``: the measure to compare, or a sum of several: '
        '"intervention - control", "0.5 * grasp + 0.5 * place".',
    ]
    format: Annotated[str | None, "The name of the format, if it is not recognised."]
    where: Annotated[
        Where | None,
        'Rows to read: ``{"phase": "test"}``, or several values of a column in a list.',
    ]
    sheet: Annotated[str | None, "The sheet of a workbook."]
    missing: Annotated[
        str,
        'Trials without a score: "error", "fail" (the worst score) or "drop"; "keep" where a '
        "judge has scored them all.",
    ]
    success_word: Annotated[
        str | Sequence[str] | None,
        "Words of the score that mean success besides those understood; all others mean failure.",
    ]
    at: Annotated[
        str | int | float | None,
        'Which point of a learning curve is the score of a training run: "last", "best", "auc" '
        "(the mean over the steps) or a step.",
    ]


class ReadingSettings(InputSettings, total=False):
    """What ``read_trials`` takes besides."""

    policy: Annotated[str | None, "A name for all rows of files without a column of policies."]
    task: Annotated[str | None, "A name for all rows of files without a column of tasks."]
    policies: Annotated[
        Sequence[str] | None,
        "Of a table without a policy column: the columns that hold the scores of one policy each.",
    ]
    bounds: Annotated[
        Bounds | Mapping[str, Bounds] | str | None,
        "The range of the score, (low, high) or per task, known before the data; a score outside "
        'is an error. "data" takes the range of the data, which voids the guarantee.',
    ]
    order: Annotated[str, '"file", "time" (by the time column) or "shuffled" (needs a seed).']
    seed: Annotated[int | None, "A whole number for the shuffled order."]
    lower_is_better: Annotated[bool | None, "Which end of the bounds a missing score counts as."]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The settings, checked."""

    columns: Mapping[str, ColumnChoice] = field(default_factory=dict)
    format: str | None = None
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sheet: str | None = None
    missing: str = "error"
    success_word: tuple[str, ...] = ()
    at: str | float | None = None
    policy: str | None = None
    task: str | None = None
    policies: Sequence[str] | None = None
    bounds: Bounds | Mapping[str, Bounds] | str | None = None
    order: str = "file"
    seed: int | None = None
    lower_is_better: bool | None = None

    @classmethod
    def of(cls, settings: ReadingSettings) -> Self:
        """Return the settings, or raise for the first that cannot be."""
        given: dict[str, Any] = {**settings}
        columns, score = given.pop("columns", None) or {}, given.pop("score", None)
        text = f" is a dictionary of roles and names, but got {shortened(columns)}: to name one, "
        one = Setting("columns", {"score": BLANK})
        require(isinstance(columns, Mapping), named("columns"), text, one)
        columns = dict(columns)
        if score is not None:
            require(
                columns.setdefault("score", score) == score,
                Setting("score", score),
                " and ",
                Setting("columns", {"score": columns["score"]}),
                " contradict each other: give one of them",
            )
        words = given.pop("success_word", None) or ()
        words = (words,) if isinstance(words, str) else words
        reading = cls(
            **given | {"where": _values(given.pop("where", None)), "at": _point(given.get("at"))},
            columns=columns,
            success_word=tuple(str(word).strip().lower() for word in words),
        )
        reading._check()
        return reading

    def _check(self) -> None:
        for role, choice in self.columns.items():
            given = Setting("columns", {role: choice})
            known = f": the role must be one of {', '.join(ROLES)}, but got {role!r}"
            require(role in ROLES, given, known)
            require(
                role not in SINGLE or choice is None or isinstance(choice, str),
                given,
                f" names several columns, but the {role} is one",
            )
        require(
            self.columns.get("score", "") is not None,
            Setting("columns", {"score": None}),
            " leaves no score: name its column",
        )
        require_choice("order", self.order, ORDERS)
        require_choice("missing", self.missing, MISSING)
        require(
            not isinstance(self.bounds, str) or self.bounds == "data",
            named("bounds"),
            f" must be (low, high), task: (low, high) pairs or 'data', but got {self.bounds!r}",
        )
        require(
            self.missing != "keep" or "proxy" in self.columns,
            Setting("missing", "keep"),
            " is for trials that a judge has scored: name its column with ",
            Setting("columns", {"proxy": BLANK}),
        )
        if self.order == "shuffled":
            whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
            require(
                whole and self.seed is not None and self.seed >= 0,
                Setting("order", "shuffled"),
                " needs ",
                Setting("seed", words="a seed"),
                ", a whole number of at least 0"
                f"{'' if self.seed is None else f', but got {self.seed!r}'}",
            )

    def speaks_of(self, column: str) -> bool:
        """Whether a column is chosen for some role, or for the rows to read."""
        chosen = {name for role in self.columns for name in self.names(role) or ()}
        return column in chosen | self.where.keys()

    def names(self, role: str) -> tuple[str, ...] | None:
        """Return the columns chosen for a role, () for none at all; None if nothing was chosen."""
        if role not in self.columns:
            return None
        choice = self.columns[role]
        return () if choice is None else (choice,) if isinstance(choice, str) else tuple(choice)


def plain(value: object) -> str:
    """A value as it is compared: 1, 1.0 and "1" are equal, as are True and "true"."""
    text = str(value).strip()
    try:
        return f"{float(text):.12g}"
    except ValueError:
        return text.lower() if text.lower() in ("true", "false") else text


def _values(where: Where | None) -> dict[str, tuple[str, ...]]:
    values_by_name: dict[str, list[Any]] = {}
    if isinstance(where, Mapping):
        for name, value in where.items():
            several = isinstance(value, list | tuple | set | frozenset)
            values_by_name[str(name)] = list(value) if several else [value]
    else:
        for item in [where] if isinstance(where, str) else where or ():
            name, equals, value = str(item).partition("=")
            require(
                bool(name and equals),
                named("where"),
                f" must be COLUMN=VALUE, but got {shortened(item)}",
            )
            values_by_name.setdefault(name.strip(), []).append(value)
    return {name: tuple(map(plain, values)) for name, values in values_by_name.items()}


def _point(at: object) -> str | float | None:
    if at is None or at in POINTS:
        return None if at is None else str(at)
    try:
        return float(str(at))
    except ValueError as error:
        text = f" must be {', '.join(POINTS)} or a step, but got {shortened(at)}"
        raise InvalidInput(named("at"), text) from error
