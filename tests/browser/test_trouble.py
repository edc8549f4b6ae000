"""A store that takes nothing: operator and owner read what is wrong, and nothing is lost."""

import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import event

import stopwise as sw
from tests.browser.phone import DESKTOP, PHONE, joined, take
from tests.study.runners import eventually
from tests.study.silence import Line
from tests.web.serving import CUPS, served


@contextmanager
def full(study: sw.Study) -> Iterator[None]:
    """Leave no room on the disk that the study has for itself."""
    assert study.folder is not None
    ballast = study.folder / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(512))
    yield
    ballast.unlink()


@contextmanager
def over_quota(study: sw.Study) -> Iterator[None]:
    """Let no file become larger than the store's are now; nobody needs a right for that."""
    assert study.folder is not None
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    largest = max(file.stat().st_size for file in study.folder.glob("study.db*"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(study: sw.Study) -> Iterator[None]:
    """Let every connection to the store only read."""

    def limit(connection: Any, _: object) -> None:
        connection.execute("PRAGMA query_only = 1")

    engine = study.store.engine
    event.listen(engine, "connect", limit)
    engine.dispose()
    yield
    event.remove(engine, "connect", limit)
    engine.dispose()


@contextmanager
def disk_of_its_own(folder: Path) -> Iterator[bool]:
    """Mount a file system of 1 MiB; yield whether we may."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1M", "stopwise", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", folder], check=True)


Fault = Callable[[sw.Study], AbstractContextManager[None]]
FAULTS: dict[Fault, str] = {
    full: "The study's disk is full: tell the owner to make room.",
    over_quota: "The study's disk is over its quota, or broken: tell the owner.",
    read_only: "The study's store cannot be written, only read: tell the owner.",
}


ALIKE = pytest.mark.slow("fills a study until it is refused; adds two more ways to fail")


@pytest.mark.parametrize(
    "fault", [full, pytest.param(over_quota, marks=ALIKE), pytest.param(read_only, marks=ALIKE)]
)
def test_people_read_what_is_wrong(browser: Browser, tmp_path: Path, fault: Fault) -> None:
    """Nothing entered is lost, and once there is room it is stored, once."""
    with (
        disk_of_its_own(tmp_path / "disk") as mounted,
        sw.Study.create(tmp_path / "disk" / "cups", CUPS) as study,
        served(study) as url,
    ):
        if fault is full and not mounted:
            fault = over_quota
        said = FAULTS[fault]
        study.lock()
        phone = joined(browser, url, study.create_token("operator", "arm 1"), PHONE)
        owner = joined(browser, url, study.create_token("owner", "ada"), DESKTOP)
        take(phone)
        phone.get_by_text("Add a note").click()
        phone.get_by_label("Note").fill("x" * 2000)  # more than is left of the last page
        phone.get_by_role("button", name="None of these").click()
        with fault(study):
            with suppress(sw.StoreFailed):
                while True:
                    study.amend("y" * 2000)
            phone.locator("#save").click()
            expect(phone.locator("#connection")).to_have_text("server cannot store")
            expect(phone.locator("#last-state")).to_contain_text(said)
            expect(owner.locator("#trouble")).to_have_text(said)
            form = owner.locator("form", has=owner.get_by_role("button", name="Amend"))
            form.get_by_label("Remark").fill("z" * 2000)
            form.get_by_role("button", name="Amend").click()
            expect(form.get_by_role("status")).to_have_text(said)
            phone.reload()
            expect(phone.locator("#last-state")).to_contain_text(said)
        expect(phone.locator("#last-state")).to_have_text("Stored.")
        expect(owner.locator("#trouble")).to_be_hidden()
        (stored,) = [entry.content for entry in study.journal() if entry.kind == "scored"]
        assert (stored["answer"], stored["note"]) == ([], "x" * 2000)
        assert study.status().counted == 1
        for page in (phone, owner):
            page.context.close()


@pytest.mark.slow("waits until lines time out; adds packets lost in silence to cut connections")
def test_a_line_that_goes_dead_loses_and_doubles_nothing(browser: Browser, tmp_path: Path) -> None:
    """Packets are dropped without a word: of one phone the request, of another the answer."""
    with (
        sw.Study.create(tmp_path / "cups", CUPS) as study,
        served(study) as url,
        ExitStack() as ends,
    ):
        study.lock()
        phones = []
        for number, cut_at in enumerate((b"/score", b'"counted"')):
            line = ends.enter_context(closing(Line(int(url.rpartition(":")[2]))))
            token = study.create_token("operator", f"arm {number}")
            phone = joined(browser, f"http://127.0.0.1:{line.port}", token, PHONE)
            take(phone)
            phone.get_by_role("button", name="cup lifted").click()
            line.cut_at = cut_at
            phone.locator("#save").click()
            phones.append((phone, line))
        for phone, _ in phones:
            expect(phone.locator("#connection")).to_have_text("waiting for connection")
        eventually(lambda: study.status().counted)  # or the server has not been asked yet
        for _, line in phones:
            line.drop()
        scored = [entry for entry in study.journal() if entry.kind == "scored"]
        assert [entry.who for entry in scored] == ["arm 1"]  # whose answer was lost
        for phone, line in phones:
            line.mend()
            expect(phone.locator("#last-state")).to_have_text("Stored.")
            phone.context.close()
        stored = [entry.content["trial"] for entry in study.journal() if entry.kind == "scored"]
        assert sorted(stored) == [1, 2]
