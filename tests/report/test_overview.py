"""The answer on many tasks is one sentence that counts them."""

import numpy as np
import polars as pl

import stopwise as sw
from stopwise.report.overview import overall


def answers() -> list[sw.Analysis]:
    """Return the answers on four tasks: "top" wins on all, "mid" beats "low" on one, and so on."""
    rng = np.random.default_rng(1)
    rates = [(0.95, 0.2, 0.2), (0.95, 0.6, 0.05), (0.95, 0.05, 0.6), (0.95, 0.3, 0.3)]
    rows = [
        {"task": f"t{task}", "policy": policy, "score": float(rng.random() < rate)}
        for task, own in enumerate(rates)
        for _ in range(60)
        for policy, rate in zip(("top", "mid", "low"), own, strict=True)
    ]
    return list(
        sw.analyze(sw.read_trials(pl.DataFrame(rows), bounds=(0, 1)), tasks="each").values()
    )


def test_many_answers_are_counted() -> None:
    found = answers()

    assert overall(found) == (
        "On 4 tasks, all tested together at alpha = 0.05, 9 of 12 pairs were decided. Not shown to "
        "be worse than any other: top on 4, mid on 1."
    )
    assert overall(found[:2]) is None  # each is read by itself
    tied = sw.compare([0, 1] * 9, [1, 0] * 9)
    assert tied.headline == "first and second were not told apart."


def test_many_that_were_not_told_apart_are_counted() -> None:
    alike = {name: [1.0, 0.0] * 6 for name in "abcd"}
    assert sw.analyze(alike).headline == (
        "None of the 4 policies was shown to be better than another."
    )
    alike = {name: [1.0, 0.0] * 6 for name in "abcdefg"}
    found = sw.analyze(alike, baseline="a").headline
    assert found == "None of the 6 policies was told apart from a."
    alike = {name: [1.0] * 40 for name in "abcd"} | {"low": [0.0] * 40}
    assert sw.analyze(alike).headline == (
        "a is better than low; b is better than low; c is better than low; d is better than low; "
        "the other 6 of 10 pairs were not told apart."
    )


def test_a_long_table_of_pairs_is_folded() -> None:
    rng = np.random.default_rng(2)
    many = {f"p{i}": (rng.random(12) < i / 8) * 1.0 for i in range(9)}
    page = sw.analyze(many, bounds=(0, 1)).to_html()

    assert "of 36 pairs were decided; the figures show all of them." in page
    assert "<summary>All 36 pairs</summary>" in page
    assert page.count("<details>") == page.count("</details>") == 2  # and what to cite
    few = sw.analyze(dict(list(many.items())[:3]), bounds=(0, 1)).to_html()
    assert few.count("<details>") == 1
