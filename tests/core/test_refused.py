"""What a live test refuses: each in one line that says what is wrong, and nothing is counted."""

from typing import Any

import pytest

import stopwise as sw

PAIRED: dict[str, Any] = {"design": "paired"}
PROXIED: dict[str, Any] = {**PAIRED, "proxy_mean": 0.2}
SCENES: dict[str, Any] = {"n_max": 9, "proxy_scores": [[0, 1], [1, 0]]}
SAME: dict[str, Any] = {"equivalence": 0.1}
NSCORE: dict[str, Any] = {"method": "nscore"}

SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"method": "magic"}, "method must be one of nscore-plus, .*'magic'"),
    ({"method": "m" * 99}, r"but got .m{36}\.\.\.$"),
    ({"alpha": 0}, "alpha must lie strictly between 0 and 1, but got 0"),
    ({"alpha": float("nan")}, "alpha must lie strictly"),
    ({"n_max": 0}, "n_max must be a whole number from 1 to 10000000, but got 0"),
    ({"bounds": (1, 0)}, r"bounds must be two finite numbers .* but got \(1, 0\)"),
    ({"bounds": 5}, "bounds must be two finite numbers"),
    ({"bounds": (-1.7e308, 1.7e308)}, "bounds must be two finite numbers"),
    ({"alternative": "better"}, "alternative must be one of greater, less, two-sided"),
    ({"design": "blocked"}, "design must be one of independent, paired"),
    ({"ties": "split"}, "ties must be one of paper, strict"),
    ({"margin": 1.0}, "margin must lie strictly between -1 and 1"),
    ({"margin": -(1 - 1e-12)}, "margin must lie strictly between"),
    ({"margin": -0.1, "alternative": "two-sided"}, "alternative 'greater' or 'less'"),
    ({"method": "step", "n_max": 10, "margin": 0.1}, "step takes no margin"),
    ({"method": "step"}, "step needs n_max"),
    ({**NSCORE, "levels": 3}, "levels is for method='savi', not for nscore"),
    ({**NSCORE, "bins": 1}, "bins must be a whole number from 2 to 1001, but got 1"),
    ({**NSCORE, "bin_values": [0, 0, 1]}, "bin_values must be 2 to 128 distinct scores"),
    ({**NSCORE, "bin_values": [0, 2]}, r"within the bounds \[0, 1\], but bin_values got 2"),
    ({**NSCORE, "bin_values": [[0], [1, 2]]}, "bin_values must be a regular array"),
    (
        {"method": "savi", "level_values": [0.4, 0.6], "margin": -0.5},
        "a margin as wide as the range of the levels",
    ),
    ({"method": "savi", "level_values": [0.5, 0.5 + 1e-9]}, "level_values must be 2 to 1001"),
    ({"equivalence": 0}, "strictly between 0 and 1, the width of the bounds, but got 0"),
    ({"equivalence": "a"}, "takes a number, but got the text 'a'"),
    ({"equivalence": 10, "bounds": (0, 10)}, "between 0 and 10"),
    ({**SAME, "alternative": "greater"}, "does not go with alternative='greater'"),
    ({**SAME, "margin": 0.1}, "does not go with margin"),
    ({**SAME, "method": "step", "n_max": 30}, "bets with a margin; step takes no margin"),
    ({"reference": 0}, "must lie strictly between 0 and 1"),
    ({"reference": 0.9, "margin": 0.2}, r"compared with 1\.1, which does not lie"),
    ({"reference": 0.9, "method": "step", "n_max": 5000}, "n_max between 2 and 2000"),
    ({"reference": 0.9, "method": "savi"}, "savi compares two policies"),
    ({"futility": "maybe"}, "futility must be one of None, advisory, binding, but got 'maybe'"),
    ({"futility_chance": 1.0}, "futility_chance must lie strictly between 0 and 1"),
    ({"futility": "binding"}, "binding futility stops need a declared n_max"),
    ({"method": "step", "n_max": 9, "futility_chance": 0.1}, "is for .*, not for step"),
    ({"list_size": 10**12}, "list_size must be a whole number from 1 to 10000000, but got 10"),
    ({**PAIRED, "list_size": 10, "n_max": 20}, "n_max = 20 is more than the 10 scenes"),
    ({**PAIRED, "list_size": 10, "method": "wsr"}, "wsr is not proven without replacement"),
    ({**PROXIED, "list_size": 10}, "a proxy does not go with list_size"),
    ({**PROXIED, "method": "wsr"}, "wsr takes no proxy"),
    ({**PROXIED, **SAME}, "does not go with equivalence"),
    ({**PROXIED, "by": "wins"}, "a proxy does not go with by='wins'"),
    ({**PAIRED, "proxy_mean": 1.5}, "proxy_mean must be the mean"),
    ({**PAIRED, "proxy_mean": (0.1, 0.2)}, "proxy_mean must be the mean"),
    ({**PAIRED, "proxy_mean": "much"}, "proxy_mean takes a number"),
    ({**PROXIED, **SCENES}, "give one of the two"),
    ({**SCENES, "n_max": None}, "n_max=... is needed with simulated scenes"),
    ({**SCENES, "proxy_scores": [0, 1, 1]}, r"a row \(g0, g1\)"),
    ({**SCENES, "proxy_scores": [[0, 2], [1, 0]]}, "within the bounds"),
    ({"audit": 0.5}, "audit does not go with design='independent'"),
    ({**PAIRED, "audit": 1.5}, "chance, between 0 and 1"),
    ({**PROXIED, "audit": 0.5}, "leave proxy_mean out"),
    ({**PAIRED, **SCENES, "audit": 0.5}, "leave proxy_scores out"),
]


@pytest.mark.parametrize(("settings", "message"), SETTINGS, ids=str)
def test_bad_settings_get_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message) as error:
        sw.SequentialTest(**settings)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("settings", "scores", "message"),
    [
        ({}, (0.5, 1.2), r"within the bounds \[0, 1\], but policy 1 got 1\.2"),
        ({}, (-0.01, 0.5), r"within the bounds \[0, 1\], but policy 0 got -0\.01"),
        ({}, (float("nan"), 0.5), r"within the bounds \[0, 1\], but policy 0 got nan"),
        ({}, (0.5, float("-inf")), "policy 1 got -inf"),
        ({}, ("0.5", 0.5), "policy 0 must be numbers, but got the text '0.5'"),
        ({}, ([0.5], 0.5), r"a score must be one number, but policy 0 got \[0\.5\]"),
        ({}, (1,), "two policies are compared, but got scores of one; declare a reference"),
        ({}, (None, None), "one not audited: declare audit"),
        ({"reference": 0.5}, (1, 0), "compared with the number 0.5: give its scores alone"),
        ({"reference": 0.5}, (2,), r"within the bounds \[0, 1\], but the policy got 2"),
        (PROXIED, (0, 1, None), "give both, or neither"),
        (PROXIED, (0, 1, (0.1,)), r"\(g0, g1\)"),
        (PROXIED, (0, 1, (0.1, 2)), "within the bounds"),
        ({**PAIRED, "audit": 0.4}, (0.0, None, (0.0, 1.0)), "of neither"),
        ({**PAIRED, "audit": 0.4}, (0.0, 1.0), "give both, or neither"),
    ],
)
def test_bad_scores_get_one_line(
    settings: dict[str, Any], scores: tuple[Any, ...], message: str
) -> None:
    test = sw.SequentialTest(**settings)
    r0, r1, proxy = (*scores, None, None)[:3]
    with pytest.raises(sw.InvalidInput, match=message) as error:
        test.update(r0, r1, proxy=proxy)
    assert "\n" not in str(error.value)
    assert test.verdict.n == 0
