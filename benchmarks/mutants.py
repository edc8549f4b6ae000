"""Small faults put into the source one at a time, and whether a test notices each.

``make mutants`` draws 300 of them by a fixed seed, in about two hours. Folders or files below
``src/stopwise`` after ``python -m benchmarks.mutants`` narrow it. Faults that nobody can see are
listed in ``mutants.json``, each with its reason.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "stopwise"
UNSEEN = Path(__file__).with_name("mutants.json")
# By folder of the source: the folders of tests that may notice, after the one of the same name.
FURTHER = {
    "core": ("contracts", "guarantees", "questions", "planning", "rows"),
    "questions": ("guarantees", "rollout", "cli", "report", "study"),
    "rows": ("questions", "data", "guarantees", "cli", "rollout"),
    "study": ("web", "cli"),
    "data": ("cli", "rows", "questions", "report"),
}
LONGEST = 900  # seconds; a fault that makes the tests hang is noticed
SWAPPED = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)),
    *((ast.In, ast.NotIn), (ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div)),
    (ast.BitAnd, ast.BitOr),
]
OTHER: dict[Any, Any] = dict(SWAPPED) | {two: one for one, two in SWAPPED}
NAMES = {"min": "max", "any": "all", "minimum": "maximum", "argmin": "argmax"}
NAMES |= {two: one for one, two in NAMES.items()}


class Mutant(NamedTuple):
    path: Path
    line: int
    start: int  # in bytes
    end: int
    old: str
    new: str

    @property
    def name(self) -> str:
        """Its name, which a change elsewhere in the file leaves alone."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path.relative_to(PACKAGE)}: {old} -> {new}"

    def into(self, file: Path) -> None:
        honest = self.path.read_bytes()
        file.write_bytes(honest[: self.start] + self.new.encode() + honest[self.end :])


def swapped(node: ast.AST) -> str | None:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=rest) if type(op) in OTHER:
            return ast.unparse(ast.Compare(left, [OTHER[type(op)]()], rest))
        case ast.BoolOp(op=op, values=values):
            return ast.unparse(ast.BoolOp(OTHER[type(op)](), values))
        case ast.BinOp(left=ast.Constant(value=str()) | ast.JoinedStr()):
            return None
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OTHER:
            return ast.unparse(ast.BinOp(left, OTHER[type(op)](), right))
        case ast.UnaryOp(operand=operand):
            return ast.unparse(operand)
    return None


def of_value(value: object) -> str:
    if isinstance(value, bool):
        return repr(not value)
    return repr(value + 1 if isinstance(value, int) else 1.25 * float(str(value)) or 1.0)


def changed(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return of_value(value)
        case ast.Name(id=name) if name in NAMES:
            return NAMES[name]
        case ast.Attribute(value=value, attr=name) if name in NAMES:
            return ast.unparse(ast.Attribute(value, NAMES[name]))
        case (
            ast.Expr(value=ast.Call())
            | ast.AugAssign()
            | ast.Raise()
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
        ):
            return "pass"
    found = swapped(node)
    return None if found is None else f"({found})"


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all of a tree that runs: no annotations, no decorators, no texts."""
    for name, field in ast.iter_fields(tree):
        if name not in {"annotation", "returns", "decorator_list", "bases"}:
            for node in field if isinstance(field, list) else [field]:
                if isinstance(node, ast.AST) and not isinstance(node, ast.JoinedStr):
                    yield node
                    yield from nodes(node)


def mutants_of(path: Path) -> list[Mutant]:
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def mutant(place: Any, new: str) -> Mutant:
        start = starts[place.lineno - 1] + place.col_offset
        end = starts[place.end_lineno - 1] + place.end_col_offset
        return Mutant(path, place.lineno, start, end, text[start:end].decode(), new)

    found = []
    for node in nodes(ast.parse(text)):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            found.append(mutant(node.test, f"(not ({ast.unparse(node.test)}))"))
        if (new := changed(node)) is not None:
            found.append(mutant(node, new))
    return [one for one in found if "TYPE_CHECKING" not in one.old]


def drawn(places: list[str], count: int, seed: int) -> list[Mutant]:
    """Draw faults: more of a place in which more can be put."""
    every = []
    for place in places:
        path = PACKAGE / place
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        every.append([mutant for file in files for mutant in mutants_of(file)])
    share, rng = count / sum(map(len, every)), random.Random(seed)
    return [one for own in every for one in rng.sample(own, min(len(own), round(share * len(own))))]


def tests_of(mutant: Mutant) -> list[str]:
    inside = mutant.path.relative_to(PACKAGE)
    module = ".".join(("stopwise", *inside.with_suffix("").parts))
    folders = (inside.parts[0], *FURTHER[inside.parts[0]])

    def unlikely(file: Path) -> tuple[bool, bool, int]:
        text, folder = file.read_text(), file.relative_to(ROOT / "tests").parts[0]
        same = folder == folders[0] and inside.stem in file.stem
        return not same, module not in text, (*folders, folder).index(folder)

    files = [file for folder in folders for file in (ROOT / "tests" / folder).rglob("test_*.py")]
    files += (ROOT / "tests").glob("test_*.py")
    return [str(file.relative_to(ROOT)) for file in sorted(files, key=unlikely)]


def noticed(mutant: Mutant, source: Path) -> str:
    """Return the test that fails with a fault in this copy of the source; "" if none does."""
    file = source / mutant.path.relative_to(PACKAGE.parent)
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()
    mutant.into(file)
    command = [sys.executable, "-m", "pytest", "-qx", "-n0", "-p", "no:cacheprovider"]
    command += ["-m", "not slow", "-k", "not postgresql", *tests_of(mutant)]
    one = dict.fromkeys(("PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **one, "PYTHONPATH": str(source)}
    try:
        run = subprocess.run(
            command, check=False, cwd=ROOT, env=environment, timeout=LONGEST,
            capture_output=True, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"hung for {LONGEST} s"
    finally:
        shutil.copy(mutant.path, file)
    failed = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "" if run.returncode == 0 else (failed or ["no test ran"])[0].split(" - ")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description="Whether tests notice faults of the source.")
    parser.add_argument("places", nargs="*", default=list(FURTHER), help="below src/stopwise")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    unseen: dict[str, str] = json.loads(UNSEEN.read_text())
    chosen = drawn(asked.places, asked.count, asked.seed)
    counted: Counter[tuple[str, str]] = Counter()
    copies: SimpleQueue[Path] = SimpleQueue()

    def tried(mutant: Mutant) -> str:
        if mutant.name in unseen:
            return f"unseen: {unseen[mutant.name]}"
        copy = copies.get()
        try:
            by = noticed(mutant, copy)
        finally:
            copies.put(copy)
        return f"noticed by {by}" if by else "SURVIVED"

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        for job in range(asked.jobs):
            copies.put(shutil.copytree(PACKAGE.parent, Path(folder) / str(job)))
        for mutant, outcome in zip(chosen, pool.map(tried, chosen), strict=True):
            counted[mutant.path.relative_to(PACKAGE).parts[0], outcome.split()[0].strip(":")] += 1
            print(f"{outcome}: {mutant.name} (line {mutant.line})", flush=True)
    for place in sorted({place for place, _ in counted}):
        kinds = [f"{counted[place, kind]} {kind}" for kind in ("noticed", "unseen", "SURVIVED")]
        print(f"{place}: {', '.join(kinds)}")
    return int(any(kind == "SURVIVED" for _, kind in counted))


if __name__ == "__main__":
    raise SystemExit(main())
