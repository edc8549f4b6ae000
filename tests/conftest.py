"""Which tests exist: those on real data only where the data are."""

import os

import pytest

from benchmarks.paper.datasets import DATA

HAS_DATA = (DATA / "lbm_progress.csv").is_file()

# Tests on real data exist only beside the data; CI requires them, so that they cannot vanish.
collect_ignore = [] if HAS_DATA else ["paper/test_real_data.py"]
if os.environ.get("STOPWISE_REQUIRE_DATA") and not HAS_DATA:
    pytest.exit(f"STOPWISE_REQUIRE_DATA is set, but there are no data in {DATA}", returncode=1)
