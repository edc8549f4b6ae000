"""A slow test says why, on the test, its class, its module or one of its parameters."""

import pytest

pytest_plugins = ["pytester"]
PLUGINS = ("-p", "tests.tiers", "-p", "no:cacheprovider")
INI = """
[pytest]
markers = slow(reason): why
addopts = --strict-markers
"""

FUNCTION = """
import pytest

@pytest.mark.slow{reason}
def test_long(): pass

def test_short(): pass
"""
PARAMETER = """
import pytest

@pytest.mark.parametrize("size", [1, pytest.param(9, marks=pytest.mark.slow{reason})])
def test_sizes(size): pass
"""
MODULE = """
import pytest

pytestmark = pytest.mark.slow{reason}

class TestLong:
    def test_it(self): pass

@pytest.fixture
def unmarked(): pass
"""


@pytest.fixture(autouse=True)
def only_these_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


EACH = pytest.mark.parametrize("source", [FUNCTION, PARAMETER, MODULE])


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (FUNCTION, ""),
        (FUNCTION, "()"),
        (FUNCTION, "(' ')"),
        (FUNCTION, "(reason='long')"),
        (PARAMETER, "(9)"),
        (MODULE, ""),
    ],
)
def test_no_reason_is_an_error(pytester: pytest.Pytester, source: str, reason: str) -> None:
    pytester.makeini(INI)
    pytester.makepyfile(source.format(reason=reason))
    result = pytester.runpytest_inprocess(*PLUGINS)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*is slow without a reason*"])


@EACH
def test_a_reason_is_enough(pytester: pytest.Pytester, source: str) -> None:
    pytester.makeini(INI)
    pytester.makepyfile(source.format(reason="('counts to nine')"))
    whole = pytester.runpytest_inprocess(*PLUGINS)
    quick = pytester.runpytest_inprocess(*PLUGINS, "-m", "not slow")

    kept, slow = {FUNCTION: (1, 1), PARAMETER: (1, 1), MODULE: (0, 1)}[source]
    whole.assert_outcomes(passed=kept + slow)
    quick.assert_outcomes(passed=kept, deselected=slow)
