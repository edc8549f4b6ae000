"""Shared fixtures: where the real data are, if they are."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("STOPWISE_DATA", ROOT.parent / "shared" / "data"))
HAS_DATA = (DATA / "lbm_progress.csv").is_file()

# Tests on real data exist only beside the data; CI requires them, so that they cannot vanish.
collect_ignore = [] if HAS_DATA else ["paper/test_real_data.py"]
if os.environ.get("STOPWISE_REQUIRE_DATA") and not HAS_DATA:
    pytest.exit(f"STOPWISE_REQUIRE_DATA is set, but there are no data in {DATA}", returncode=1)


@pytest.fixture
def data_folder() -> Path:
    return DATA
