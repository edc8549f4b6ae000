"""Letters and the order in words, on random graphs."""

import itertools

import numpy as np

from stopwise.core.arrays import Bools
from stopwise.questions.letters import letters, order_text, ranked


def random_graph(seed: int) -> tuple[Bools, list[int]]:
    """Return a symmetric matrix of decided pairs of 2 to 9 policies, and a ranking."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 10))
    decided = np.triu(rng.random((k, k)) < rng.random(), 1)
    return decided | decided.T, rng.permutation(k).tolist()


def represents(columns: list[set[int]], decided: Bools) -> bool:
    """Whether sharing a column means undecided, and every policy has a column."""
    k = len(decided)
    return all(
        any({i, j} <= column for column in columns) != decided[i, j]
        for i, j in itertools.combinations(range(k), 2)
    ) and all(any(i in column for column in columns) for i in range(k))


def columns_of(shown: tuple[str, ...]) -> list[set[int]]:
    names = sorted(set("".join(shown)))
    return [{i for i, own in enumerate(shown) if name in own} for name in names]


def test_letters_are_right_and_none_is_redundant_on_1000_random_graphs() -> None:
    for seed in range(1000):
        decided, ranking = random_graph(seed)

        columns = columns_of(letters(decided, ranking))

        assert represents(columns, decided), seed
        for index in range(len(columns)):
            assert not represents(columns[:index] + columns[index + 1 :], decided), seed


def test_a_strict_order_has_one_letter_each() -> None:
    assert letters(~np.eye(30, dtype=bool), list(range(30)))[-3:] == ("B", "C", "D")
    assert letters(~np.eye(54, dtype=bool), list(range(54)))[-1] == "b1"


def test_the_words_imply_every_claim_of_a_transitive_order() -> None:
    """What is left out follows from what is written."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        better = np.triu(rng.random((6, 6)) < 0.4, 1)
        for _ in range(3):
            better = better | (better[:, :, None] & better[None, :, :]).any(axis=1)

        text = order_text("ABCDEF", better, ~np.eye(6, dtype=bool), list(range(6)))

        written = np.zeros((6, 6), dtype=bool)
        for part in text.split("; "):
            if " > " in part:
                first, rest = part.split(" > ")
                for other in rest.split(", "):
                    written["ABCDEF".index(first), "ABCDEF".index(other)] = True
        for _ in range(3):
            written = written | (written[:, :, None] & written[None, :, :]).any(axis=1)
        assert (written == better).all(), seed


def test_letters_follow_the_decided_order_whatever_the_means() -> None:
    """On random partial orders with means that often contradict them."""
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 9))
        better = np.triu(rng.random((k, k)) < rng.random(), 1)
        for _ in range(3):
            better = better | (better[:, :, None] & better[None, :, :]).any(axis=1)

        means = rng.random(k)
        ranking = ranked(better, means)
        shown = letters(better | better.T, ranking)

        assert sorted(ranking) == list(range(k))
        for i, j in zip(*np.nonzero(better), strict=True):
            assert ranking.index(i) < ranking.index(j), seed
            assert shown[i][0] < shown[j][0], seed
        if not better.any():
            assert means[ranking].tolist() == sorted(means, reverse=True)
