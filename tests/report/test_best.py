"""The answer to "which is the best?" as people meet it: sentence, tables, figure and page."""

import json
import random
import re
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.questions.best_analysis import BestAnalysis

RNG = np.random.default_rng(5)


def scores(k: int, best: float, n: int = 120) -> dict[str, np.ndarray]:
    rates = [*np.linspace(0.1, 0.5, k - 1), best]
    return {f"ckpt <{place}k>": RNG.random(n) < rate for place, rate in enumerate(rates)}


def asked(trials: Any, **settings: Any) -> BestAnalysis:
    found = sw.analyze(trials, goal="best", bounds=(0, 1), **settings)
    assert isinstance(found, BestAnalysis)
    return found


ANSWERS = {
    "three": asked(scores(3, 0.95), n_max=120),
    "twenty": asked(scores(20, 0.95), n_max=120),
    "undecided": asked(scores(20, 0.5, 30)),
    "indifferent": asked(scores(3, 0.9), n_max=120, indifference=0.2),
    "doubtful": asked({**scores(2, 0.6), "drifting": np.linspace(0, 1, 120)}, n_max=120),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_form_of_the_answer_says_the_same(name: str) -> None:
    analysis = ANSWERS[name]
    out = analysis.eliminated
    content = json.loads(analysis.to_json())
    page, (rows,) = analysis.to_html(), analysis.text_tables().values()

    assert content["eliminated"] == {own: vars(found) for own, found in out.items()}
    assert (content["best"], content["pairs"]) == (analysis.best, [])
    assert set(analysis.letters.values()) == {""}
    for row, shown in zip(analysis.table(), rows, strict=True):
        own = row["policy"]
        fate = "set aside" if own in analysis.set_aside else "candidate"
        if own == analysis.best:
            fate = "best, or within 0.2" if analysis.indifference else "best"
        if own in out:
            fate = f"dropped after row {out[own].row}"
        assert (row["standing"], shown["verdict"]) == (fate, fate)
    assert page.count("<img") == len(analysis.figures()) == 2
    assert "<h2>Pairs</h2>" not in page
    assert "Which policy is the best?" in page
    assert "<0k>" not in page
    assert "shows only that it is not the best" in page
    assert page.index('class="verdict"') < page.index("<table>")
    assert analysis._repr_html_().count("<tr>") == len(rows) + 1


def test_the_sentence_names_the_best_and_what_was_saved() -> None:
    found = ANSWERS["twenty"]
    assert found.sentence.startswith(
        f"ckpt <19k> is the best of 20 (alpha 0.05), after {found.trials_used:,} trials instead of "
        "2,400; the chance that the best policy (or any given one of several) was dropped is at "
        "most 0.05"
    )
    assert "of 600 trials;" in ANSWERS["undecided"].sentence
    assert (
        "or one named that is not within 0.2 of it, is at most" in ANSWERS["indifferent"].sentence
    )
    assert ANSWERS["doubtful"].doubts
    assert ANSWERS["doubtful"].doubts[0] in ANSWERS["doubtful"].sentence
    assert "do not look like that" in ANSWERS["doubtful"].methods_paragraph


def test_no_more_trials_are_promised_than_the_leader_may_take() -> None:
    rule, rng = sw.StopRule([f"c{i}" for i in range(12)], n_max=20, goal="best"), random.Random(1)
    while not rule.stop:
        for policy in rule.needed:
            rule.add(policy, float(rng.random() < 0.5))
    found = rule.analysis()

    assert found.trials_used > 12 * 20
    assert f"after {found.trials_used} trials in 20 of at most 20 rows;" in found.sentence


def test_candidates_that_need_no_more_trials_are_set_aside() -> None:
    tied = {**scores(3, 0.95), "tied": scores(1, 0.95)["ckpt <0k>"]}
    found = asked(tied, n_max=120, indifference=0.03)
    tried = [name for name in found.candidates if name not in found.set_aside]

    assert found.best is None
    assert found.set_aside
    assert f"but only {', '.join(tried)} still need trials (alpha" in found.sentence
    assert "need no more trials, as long as the same policy leads" in found.to_html()
    for own in found.policies:
        assert (own.trials_used < 120) == (own.name not in tried)
    near = ANSWERS["indifferent"]
    assert near.best not in near.set_aside
    assert {near.best, *near.set_aside} == set(near.candidates)


def test_the_figure_ends_each_bar_where_its_policy_was_dropped() -> None:
    analysis = ANSWERS["twenty"]
    (axes,) = analysis.plot_eliminations().axes
    bars = [np.asarray(line.get_xdata()) for line in axes.lines if line.get_linestyle() == "-"]
    ends = {own.name: bar[-1] for own, bar in zip(analysis.policies, bars, strict=True)}
    names = [re.sub(r"\n.*", "", text.get_text()) for text in axes.get_yticklabels()]

    assert names == [own.name for own in analysis.policies]
    for name, end in ends.items():
        assert end == (
            analysis.eliminated[name].row if name in analysis.eliminated else analysis.rows
        )
