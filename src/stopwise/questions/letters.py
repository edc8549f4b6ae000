"""Compact letter display, and the order of the policies in words.

Two policies share a letter exactly when their pair is undecided. Letters come from inserting
each decided pair into the columns and absorbing what is contained in others, followed by a sweep.

References
----------
H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons",
Journal of Computational and Graphical Statistics 13 (2004).
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from string import ascii_letters

import numpy as np

from stopwise.core.arrays import Bools, Floats


def ranked(better: Bools, means: Floats) -> list[int]:
    """Return the policies from best to worst: as was decided, and by their means beyond that."""
    left = np.argsort(-means, kind="stable").tolist()
    ranking: list[int] = []
    while left:
        best = next((i for i in left if not better[left, i].any()), left[0])
        ranking.append(best)
        left.remove(best)
    return ranking


def letters(decided: Bools, ranking: Sequence[int]) -> tuple[str, ...]:
    columns = [set(ranking)]
    for i, j in combinations(ranking, 2):
        if decided[i, j]:
            columns = _absorbed(
                part
                for column in columns
                for part in ((column - {i}, column - {j}) if {i, j} <= column else (column,))
            )
    columns = _swept(columns)
    place = {policy: position for position, policy in enumerate(ranking)}
    columns.sort(key=lambda column: sorted(place[policy] for policy in column))
    rounds = ("", *map(str, range(1, len(columns) // len(ascii_letters) + 1)))
    names = [letter + number for number in rounds for letter in ascii_letters]
    return tuple(
        "".join(name for name, column in zip(names, columns, strict=False) if policy in column)
        for policy in range(len(ranking))
    )


def order_text(
    names: Sequence[str],
    better: Bools,
    tested: Bools,
    ranking: Sequence[int],
    *,
    not_worse: bool = False,
    same: Bools | None = None,
    within: str = "",
    transitive: bool = True,
) -> str:
    """Return the partial order in words: "A > B; B undecided against C; D = E (within 0.1)"."""
    same = np.zeros_like(better) if same is None else same
    place = np.argsort(ranking)
    later = place[:, None] < place
    strict = better & ~better.T
    follows = (strict[:, :, None] & strict).any(axis=1) & transitive
    kinds = (
        ("not worse than" if not_worse else ">", better & ~follows, ""),
        ("=", same & later, within),
        ("undecided against", tested & ~better & ~better.T & ~same & later, ""),
    )
    parts = []
    for sign, pairs, note in kinds:
        for i in ranking:
            others = ", ".join(names[j] for j in ranking if pairs[i, j])
            if others:
                parts.append(f"{names[i]} {sign} {others}{note}")
    return "; ".join(parts)


def _absorbed(columns: Iterable[set[int]]) -> list[set[int]]:
    kept: list[set[int]] = []
    for column in sorted(columns, key=len, reverse=True):
        if not any(column <= other for other in kept):
            kept.append(column)
    return kept


def _swept(columns: list[set[int]]) -> list[set[int]]:
    """Drop each letter whose pairs, and policies, all have another in common."""
    kept = list(columns)
    for column in sorted(columns, key=len):
        others = [other for other in kept if other is not column]
        pairs = combinations(sorted(column), 2)
        covered = all(any({i, j} <= other for other in others) for i, j in pairs)
        if covered and all(any(i in other for other in others) for i in column):
            kept = others
    return kept
