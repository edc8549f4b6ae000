"""The fixture for release checks, in a run of pytest of its own."""

import tomllib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
# By its module alone, also where the package is installed with its entry point.
PLUGIN = ("-p", "no:stopwise", "-p", "stopwise.pytest_plugin")

TESTS = """
import pytest

@pytest.mark.parametrize("new", [0.9, 0.3, 0.85])
def test_release(stopwise_gate, new):
    scores = [1.0] * int(new * 20) + [0.0] * (20 - int(new * 20))
    times = 1 if new == 0.85 else 20  # too few to tell
    found = stopwise_gate(scores * times, ([1.0] * 18 + [0.0] * 2) * times, margin=0.2)
    assert found.answer == "pass"
"""


def test_worse_fails_and_undecided_skips(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider")

    result.assert_outcomes(passed=1, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*Fail: new is more than 0.2 worse than baseline, shown after*"])


def test_pytest_finds_it() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    found = project["project"]["entry-points"]["pytest11"]
    assert found == {"stopwise": "stopwise.pytest_plugin"}
