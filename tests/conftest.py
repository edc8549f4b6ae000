"""Which tests exist (on real data only beside the data), where tables are kept, what is drawn."""

import os
import random
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.paper.datasets import DATA
from tests.tiers import pytest_pycollect_makeitem

__all__ = ["pytest_pycollect_makeitem"]
HAS_DATA = (DATA / "lbm_progress.csv").is_file()

# Tests on real data exist only beside the data; CI requires them, so that they cannot vanish.
REAL_DATA = [
    "data/test_misread_files.py",
    "paper/test_many_policies.py",
    "paper/test_real_data.py",
    "paper/test_step_data.py",
]
collect_ignore = [] if HAS_DATA else REAL_DATA
if os.environ.get("STOPWISE_REQUIRE_DATA") and not HAS_DATA:
    pytest.exit(f"STOPWISE_REQUIRE_DATA is set, but there are no data in {DATA}", returncode=1)


@pytest.fixture(scope="session", autouse=True)
def table_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep tables in a new folder, one for all processes of a run: each is made once."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "tables"
    folder.mkdir(exist_ok=True)
    before = os.environ.get("STOPWISE_CACHE")
    os.environ["STOPWISE_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["STOPWISE_CACHE"]
    else:
        os.environ["STOPWISE_CACHE"] = before


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the journals that commands write by themselves out of the user's folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(autouse=True)
def repeatable(request: pytest.FixtureRequest) -> Iterator[None]:
    """Draw seeds and the secrets of studies by the test's name, so that a failure repeats.

    Another ``STOPWISE_TEST_SEED`` gives others, with which the tests are to pass as well.
    """
    seed = os.environ.get("STOPWISE_TEST_SEED", "")
    drawn = random.Random(f"{request.node.nodeid} {seed}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "randbits", drawn.getrandbits)
        patch.setattr(secrets, "token_hex", lambda size: drawn.randbytes(size).hex())
        yield


@pytest.fixture
def hurried() -> Iterator[None]:
    """Let threads take turns after every few instructions, so that a missing lock shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
