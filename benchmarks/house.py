"""The shape of the source in numbers: listings of the settings, files, lines, repeated names.

``python -m benchmarks.house [ROOT]`` counts any tree, so that two versions can be held against
each other.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SETTINGS = frozenset(
    {"method", "alpha", "n_max", "bounds", "design", "adjust", "baseline", "ties", "parameters"}
)
# What rules say of their reading, which only the reading itself should ask.
READING = frozenset(
    {"reference", "groups", "stored", "by", "lower_is_better", "proxy_mean", "proxy_batches"}
    | {"audit", "list_size", "rounds", "over_tasks"}
)
# A definition or a call that spells out so many of them lists the settings.
MANY = 5


def count(root: Path) -> dict[str, int]:
    """Return the counts of one tree."""
    files = sorted((root / "src" / "stopwise").rglob("*.py"))
    names = class_names(root)
    modules = Counter(path.stem for path in files if path.stem not in ("__init__", "__main__"))
    return {
        "places that list the settings": sum(1 for _ in listings(root)),
        "files": len(files),
        "lines": sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files),
        "lines of code": sum(map(_lines_of_code, files)),
        "conditions on a reading outside core/readings": sum(1 for _ in conditions(root)),
        "class names used twice": sum(number > 1 for number in names.values()),
        "module names used twice": sum(number > 1 for number in modules.values()),
    }


def _lines_of_code(path: Path) -> int:
    """Return the lines that hold code: neither blank, nor only a comment or a docstring."""
    text = path.read_text(encoding="utf-8")
    documented = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    held = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(held - documented)


def class_names(root: Path) -> Counter[str]:
    """Number of definitions of each class name."""
    return Counter(
        node.name
        for path in (root / "src" / "stopwise").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )


def listings(root: Path) -> Iterator[tuple[Path, int]]:
    """Yield file and line of each place that spells out most of the settings."""
    for path in sorted((root / "src" / "stopwise").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if len(_named(node) & SETTINGS) >= MANY:
                yield path, getattr(node, "lineno", 0)


def conditions(root: Path) -> Iterator[tuple[Path, int]]:
    """Yield file and line of each condition on what rules say of their reading."""
    for path in sorted((root / "src" / "stopwise").rglob("*.py")):
        if "readings" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            tests = node.ifs if isinstance(node, ast.comprehension) else [_test(node)]
            for test in filter(None, tests):
                if any(_asks_reading(part) for part in ast.walk(test)):
                    yield path, test.lineno


def _test(node: ast.AST) -> ast.expr | None:
    return node.test if isinstance(node, ast.If | ast.IfExp | ast.While) else None


def _asks_reading(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr in READING
        and isinstance(node.value, ast.Name | ast.Attribute)
        and (node.value.id if isinstance(node.value, ast.Name) else node.value.attr)
        in ("rules", "plan")
    )


def _named(node: ast.AST) -> set[str]:
    """Return the names that a definition, a call or a literal spells out."""
    if isinstance(node, ast.FunctionDef):
        return {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
    if isinstance(node, ast.ClassDef):
        return {
            entry.target.id
            for entry in node.body
            if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name)
        }
    if isinstance(node, ast.Call):
        return {keyword.arg for keyword in node.keywords if keyword.arg}
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Dict):
        values = list(node.keys)
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        values = list(node.elts)
    return {str(value.value) for value in values if isinstance(value, ast.Constant)}


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    for what, number in count(place).items():
        print(f"{what}: {number:,}")
    if "--list" in sys.argv:
        for file, line in listings(place):
            print(f"  {file.relative_to(place)}:{line}")
