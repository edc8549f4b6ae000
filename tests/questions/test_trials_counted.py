"""Which trials an analysis has used, saved or left without a partner."""

from functools import partial

import stopwise as sw
from stopwise.questions.analyze import analyze

rank = partial(sw.analyze, method="nscore")


def test_trials_without_a_partner_are_neither_used_nor_saved() -> None:
    found = analyze({"a": [0.2, 0.4] * 10, "b": [0.3] * 53, "c": [0.1, 0.5, 0.3], "d": [0.3]})

    counts = {
        policy.name: (policy.n, policy.trials_used, policy.trials_saved, policy.trials_unpaired)
        for policy in found.policies
    }
    assert counts == {
        "a": (20, 20, 0, 0), "b": (53, 20, 0, 33), "c": (3, 3, 0, 0), "d": (1, 1, 0, 0),
    }  # fmt: skip
    assert "decided with 44 of 77 trials, 33 without a partner;" in found.sentence


def test_only_what_entered_an_open_comparison_is_used() -> None:
    """Row 4 and on: the partner with which b is still undecided has no trial there."""
    many = {"a": [0.0] * 40, "b": [1.0] * 40, "c": [1.0] * 3}
    policies = {policy.name: policy for policy in analyze(many).policies}

    decided = next(pair.n for pair in analyze(many).pairs if pair.policy1 == "b")
    assert 3 < decided < 40
    assert (policies["b"].trials_used, policies["b"].trials_unpaired) == (decided, 40 - decided)


def test_what_is_saved_is_counted_from_a_declared_n_max() -> None:
    scores = {"a": [0.0] * 20, "b": [1.0] * 20}

    plain, declared, short = (
        analyze(scores),
        analyze(scores, n_max=100),
        analyze({name: own[:2] for name, own in scores.items()}, n_max=100),
    )

    for policy in plain.policies:
        assert policy.trials_used + policy.trials_saved == 20
        assert policy.trials_saved > 0
    for policy in declared.policies:
        assert policy.trials_used + policy.trials_saved == 100
    assert f"with {declared.trials_used} of at most 200 trials;" in declared.sentence
    # Undecided, nothing is known to be saved.
    assert [policy.trials_saved for policy in short.policies] == [0, 0]
