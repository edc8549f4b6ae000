"""Several tasks as one family: alpha holds for the claims on all of them together."""

from collections.abc import Mapping
from dataclasses import replace

from stopwise.core.rules import Rules
from stopwise.questions.pair_tests import PairTests
from stopwise.rows.table import Table

Posed = tuple[Rules, Table]


def one_family(tasks: Mapping[str, Posed]) -> dict[str, Posed]:
    if len(tasks) == 1:
        return dict(tasks)
    first = next(iter(tasks.values()))[0]
    if first.goal != Rules.goal:
        return {
            task: (replace(rules, alpha=rules.alpha / len(tasks)), table)
            for task, (rules, table) in tasks.items()
        }
    sizes = {task: len(rules.pairs) for task, (rules, _) in tasks.items()}
    open_, shared = dict(sizes), dict(tasks)
    before: dict[str, int] = {}
    while open_ != before:
        before = open_
        shared = {
            task: (replace(rules, elsewhere=_elsewhere(task, sizes, open_)), table)
            for task, (rules, table) in tasks.items()
        }
        open_ = {task: PairTests(rules).undecided(table) for task, (rules, table) in shared.items()}
    return shared


def _elsewhere(task: str, sizes: Mapping[str, int], open_: Mapping[str, int]) -> tuple[int, int]:
    return sum(sizes.values()) - sizes[task], sum(open_.values()) - open_[task]
