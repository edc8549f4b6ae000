"""``--exit-code``, margins and futility as options, each with the answer of the library."""

from pathlib import Path

import numpy as np
import pytest

from tests.cli.typed import run

RATES = {"old": 0.5, "good": 0.95, "bad": 0.05, "same": 0.5}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Return a file of 60 successes and failures per policy."""
    rng, found = np.random.default_rng(4), {}
    for name, rate in RATES.items():
        place = tmp_path / f"{name}.csv"
        place.write_text("\n".join(["success", *map(str, (rng.random(60) < rate).astype(int))]))
        found[name] = str(place)
    return found


def options(files: dict[str, str], *names: str) -> list[str]:
    return [part for name in names for part in ("--policy", f"{name}={files[name]}")]


@pytest.mark.parametrize(
    ("names", "more", "code"),
    [
        (("old", "good"), (), 0),
        (("old", "bad"), (), 1),
        (("old", "same"), (), 3),
        (("good", "old"), ("--baseline", "old"), 0),
        (("old", "good", "bad"), ("--baseline", "old"), 1),
        (("old", "good", "same"), ("--baseline", "old"), 3),
        (("old", "good", "same"), ("--baseline", "old", "--margin", "-0.5"), 0),
        (("old", "good", "bad"), ("--baseline", "old", "--margin", "-0.5"), 3),
        (("old", "good"), ("--margin", "0.4"), 3),
        (("old", "good", "bad"), (), 2),
        (("old", "good"), ("--margin", "-0.1"), 2),
        (("bad", "old", "good"), ("--goal", "best"), 0),
        (("old", "same"), ("--goal", "best"), 3),
        (("old", "same"), ("--equivalence", "0.5"), 3),
    ],
)
def test_analyze(
    files: dict[str, str], names: tuple[str, ...], more: tuple[str, ...], code: int
) -> None:
    found, output = run("analyze", *options(files, *names), *more, "--bounds", "0,1", "--exit-code")

    assert found == code, output
    if code == 2:
        assert "baseline" in output
    elif not more:
        assert run("analyze", *options(files, *names), "--bounds", "0,1")[0] == 0


def test_compare_and_watch(files: dict[str, str]) -> None:
    bounds = ("--bounds", "0,1")
    for second, code in (("good", 0), ("bad", 1), ("same", 3)):
        assert run("compare", files["old"], files[second], *bounds, "--exit-code")[0] == code
        both = options(files, "old", second)
        watched = run("watch", *both, *bounds, "--n-max", "200", "--once", "--exit-code")
        assert watched[0] == code
        plain = run("watch", *both, *bounds, "--n-max", "200", "--once")
        assert plain[0] == (3 if second == "same" else 0)
    not_worse = run("compare", files["old"], files["same"], *bounds, "--margin", "-0.5")
    assert "same not worse than old (not worse means not worse by 0.5 or more)" in not_worse[1]
    for counts, code in ((("10/20", "20/20"), 0), (("20/20", "10/20"), 1), (("9/20", "10/20"), 3)):
        assert run("compare", *counts, "--exit-code")[0] == code
