"""Two tiers: ``make test`` leaves out tests marked ``slow``, ``make test-all`` runs them too.

A mark says why: ``@pytest.mark.slow("starts 40 processes; adds every kill point")``.
"""

from collections.abc import Generator

import pytest

Made = pytest.Item | pytest.Collector | list[pytest.Item | pytest.Collector] | None


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(name: str) -> Generator[None, Made, Made]:
    """Refuse a test that is slow without a reason."""
    made = yield
    for item in made if isinstance(made, list) else [made]:
        if item is None:
            continue
        for mark in item.iter_markers("slow"):
            if len(mark.args) != 1 or not isinstance(mark.args[0], str) or not mark.args[0].strip():
                raise pytest.Collector.CollectError(
                    f'{name} is slow without a reason: write @pytest.mark.slow("why it is slow '
                    'and what it adds")'
                )
    return made
