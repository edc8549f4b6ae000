"""Answers as a notebook shows them: their sentence and their tables, escaped."""

import re
from collections.abc import Callable

import pytest

import stopwise as sw
from stopwise.report.drawn import Drawn

SCORES = {"<b>old</b>": [0.0, 1.0, 0.0, 1.0], "new": [1.0, 1.0, 0.0, 1.0]}
ANSWERS: dict[str, Callable[[], Drawn]] = {
    "analysis": lambda: sw.analyze(SCORES),
    "plan": lambda: sw.plan(0.5, 0.9, n_max=[10, 20], precision=0.1, detectable=False),
    "forecast": lambda: sw.forecast(SCORES, n_max=9, precision=0.1),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_notebook_shows_the_sentence_and_every_row(kind: str) -> None:
    answer = ANSWERS[kind]()
    page = answer._repr_html_()
    tables = list(filter(None, answer.text_tables().values()))

    assert page.startswith("<p>")
    assert page.count("<tr>") == page.count("</tr>") == sum(len(rows) + 1 for rows in tables)
    assert re.findall("<th>(.*?)</th>", page) == [name for rows in tables for name in rows[0]]
    assert "<b>" not in page
    assert len(page) < 2500


def test_a_stop_rule_says_where_it_stands() -> None:
    rule = sw.StopRule(["old", "new"], n_max=9)
    rule.add("old", 0)
    rule.add("new", 1)

    assert repr(rule) == (
        "StopRule(policies=('old', 'new'), n_max=9, rows=1, needed=('old', 'new'), decided=False)"
    )
