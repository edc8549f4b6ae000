"""Tables on disk: damage, versions, processes that start together."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from stopwise.core.step import cache


def arrays(value: float = 1.0) -> dict[str, np.ndarray]:
    return {"numbers": np.array([value, 2.0]), "counts": np.arange(5, dtype=np.int16)}


class Maker:
    """Counts how often the table is made."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, renew: object) -> dict[str, np.ndarray]:
        self.calls += 1
        return arrays()


def test_second_use_reads_the_file(tmp_path: Path) -> None:
    make = Maker()
    first = cache.load_or_make("table", make, tmp_path)
    second = cache.load_or_make("table", make, tmp_path)
    assert make.calls == 1
    assert np.array_equal(first["numbers"], second["numbers"])
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "text", "version"])
def test_damaged_file_is_made_again(tmp_path: Path, damage: str) -> None:
    make = Maker()
    cache.load_or_make("table", make, tmp_path)
    path = next(tmp_path.glob("*.npz"))
    content, stored = path.read_bytes(), dict(np.load(path))
    changed = {
        "flipped": {"numbers": 3.0 * stored["numbers"]},
        "version": {"version": cache.VERSION + 1},
    }
    if damage in changed:
        np.savez(path.with_suffix(""), **{**stored, **changed[damage]})
    else:
        cut = content[: len(content) // 2]
        path.write_bytes({"cut": cut, "empty": b"", "text": b"not a table"}[damage])
    again = cache.load_or_make("table", make, tmp_path)
    assert make.calls == 2
    assert again["numbers"][0] == 1.0
    assert cache.read(path) is not None


def test_unusable_folder_still_gives_the_table(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    make = Maker()
    found = cache.load_or_make("table", make, tmp_path / "file" / "below")
    assert make.calls == 1
    assert found["numbers"][1] == 2.0


def test_stale_lock_is_taken_over(tmp_path: Path) -> None:
    lock = tmp_path / f"table-v{cache.VERSION}.lock"
    lock.write_text("")
    old = time.time() - 1000
    os.utime(lock, (old, old))
    assert cache.load_or_make("table", Maker(), tmp_path)["numbers"][0] == 1.0
    assert not lock.exists()


def test_processes_that_start_together_make_the_table_once(tmp_path: Path) -> None:
    program = """
import sys, time, pathlib
import numpy as np
from stopwise.core.step import cache
folder = pathlib.Path(sys.argv[1])
def make(renew):
    (folder / f"made-{sys.argv[2]}").write_text("")
    time.sleep(0.5)
    return {"numbers": np.array([1.0])}
print(cache.load_or_make("table", make, folder / "tables")["numbers"][0])
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), str(k)],
            stdout=subprocess.PIPE,
            env=environment,
        )
        for k in range(3)
    ]
    outputs = [process.communicate(timeout=600)[0] for process in processes]
    assert all(output.strip() == b"1.0" for output in outputs)
    assert len(list(tmp_path.glob("made-*"))) == 1


def test_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STOPWISE_CACHE", str(tmp_path / "chosen"))
    assert cache.cache_folder() == tmp_path / "chosen"
    monkeypatch.delenv("STOPWISE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform.startswith("linux"):
        assert cache.cache_folder() == tmp_path / "xdg" / "stopwise" / "step"
