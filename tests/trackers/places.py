"""Each tracker as its own package reads it back, and one that only remembers."""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

Rows = dict[int, dict[str, float]]


class Memory:
    """A tracker that remembers what it is told, and may fail at it."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails
        self.calls = 0
        self.settings: dict[str, Any] = {}
        self.rows: Rows = {}
        self.verdicts: list[str] = []
        self.page: str | None = None
        self.ends = 0

    def begin(self, settings: Mapping[str, Any]) -> None:
        self._may_fail()
        self.settings = dict(settings)

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None) -> None:
        self._may_fail()
        self.rows.setdefault(row, {}).update(numbers)
        self.verdicts += [] if verdict is None else [verdict]

    def finish(self, verdict: str | None, page: Path | None) -> None:
        self.ends += 1
        self._may_fail()
        self.verdicts += [] if verdict is None else [verdict]
        self.page = None if page is None else page.read_text(encoding="utf-8")

    def _may_fail(self) -> None:
        self.calls += 1
        if self.fails:
            raise OSError("no space left on device")


class Place:
    """A tracker without a network, in a folder.

    ``open`` opens a run, as users do; ``read`` returns the numbers by row, the last verdict and the
    page of the only run.
    """

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        patch.chdir(folder)


class Wandb(Place):
    """Weights & Biases in its offline mode."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__(folder, patch)
        patch.setenv("WANDB_MODE", "offline")
        patch.setenv("WANDB_SILENT", "true")
        import_module("wandb").teardown()  # it looks at these only once
        for name in ("DIR", "CACHE_DIR", "CONFIG_DIR", "DATA_DIR"):
            patch.setenv(f"WANDB_{name}", str(folder))

    def open(self) -> Any:
        import wandb

        return wandb.init(project="mine")

    def is_open(self, run: Any) -> bool:
        import wandb

        return wandb.run is run

    def close(self, run: Any) -> None:
        run.finish()

    def read(self) -> tuple[Rows, str, str]:
        messages: Any = import_module("wandb.proto.wandb_internal_pb2")
        import_module("wandb").teardown()  # its program may still be writing
        (path,) = self.folder.glob("wandb/offline-run-*/*.wandb")
        rows: Rows = {}
        verdict = page = ""
        for data in records(path.read_bytes()):
            record = messages.Record()
            record.ParseFromString(data)
            items = {
                (item.key or "/".join(item.nested_key)): json.loads(item.value_json)
                for item in (*record.history.item, *record.summary.update)
            }
            own = {name[9:]: value for name, value in items.items() if name[:9] == "stopwise/"}
            verdict = own.pop("verdict", verdict)
            if "row" in own:
                rows.setdefault(own.pop("row"), {}).update(own)
            if record.HasField("artifact"):
                (entry,) = record.artifact.manifest.contents
                page = Path(entry.local_path).read_text(encoding="utf-8")
        return rows, verdict, page


def records(log: bytes) -> Iterator[bytes]:
    """Yield the records of a log in the format of LevelDB, as wandb's offline files are."""
    block, place, parts = 32768, 7, b""
    while place + 7 <= len(log):
        if block - place % block < 7:  # no header fits into the rest of a block
            place += block - place % block
        size, kind = int.from_bytes(log[place + 4 : place + 6], "little"), log[place + 6]
        parts += log[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # a whole record, or the last part of one
            yield parts
            parts = b""


class Tensorboard(Place):
    """Event files."""

    def open(self) -> Any:
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(self.folder / "runs"))

    def is_open(self, run: Any) -> bool:
        return run.file_writer is not None

    def close(self, run: Any) -> None:
        run.close()

    def read(self) -> tuple[Rows, str, str]:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        (page,) = self.folder.rglob("*.html")
        events = EventAccumulator(str(page.parent))
        events.Reload()
        rows: Rows = {}
        for name in events.Tags()["scalars"]:
            for event in events.Scalars(name):
                rows.setdefault(event.step, {})[name[9:]] = event.value
        said = events.Tensors("stopwise/verdict/text_summary")[-1]
        verdict = said.tensor_proto.string_val[0].decode()
        return rows, verdict, page.read_text(encoding="utf-8")


PLACES = {"wandb": Wandb, "tensorboard": Tensorboard}
