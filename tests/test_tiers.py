"""A slow test says why, on the test, its class, its module or one of its parameters."""

import pytest

pytest_plugins = ["pytester"]
PLUGINS = ("-p", "tests.tiers", "-p", "no:cacheprovider")
INI = """
[pytest]
markers = slow(reason): why
addopts = --strict-markers
"""

SOURCE = """
import pytest

@pytest.mark.slow{reason}
def test_long(): pass

@pytest.mark.parametrize("size", [1, pytest.param(9, marks=pytest.mark.slow{reason})])
def test_sizes(size): pass
"""


@pytest.fixture(autouse=True)
def only_these_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.mark.parametrize("reason", ["", "()", "(' ')", "(9)", "(reason='long')"])
def test_no_reason_is_an_error(pytester: pytest.Pytester, reason: str) -> None:
    pytester.makeini(INI)
    pytester.makepyfile(SOURCE.format(reason=reason))
    result = pytester.runpytest_inprocess(*PLUGINS)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*is slow without a reason*"])


def test_a_reason_is_enough(pytester: pytest.Pytester) -> None:
    pytester.makeini(INI)
    pytester.makepyfile(SOURCE.format(reason="('counts to nine')"))
    pytester.runpytest_inprocess(*PLUGINS).assert_outcomes(passed=3)
    quick = pytester.runpytest_inprocess(*PLUGINS, "-m", "not slow")
    quick.assert_outcomes(passed=1, deselected=2)
