"""A real PostgreSQL server of the tests' own, in a temporary folder, on a socket only."""

import fcntl
import glob
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# A server refuses to run as root; Debian's package brings this user.
USER = "postgres" if os.geteuid() == 0 else None
SETTINGS = {"listen_addresses": "", "max_connections": "180", "shared_buffers": "16MB"}


def _program(name: str) -> str:
    found = shutil.which(name) or next(
        iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))), None
    )
    if found is None:
        raise FileNotFoundError(f"{name} is not installed: run `make test`, which installs it")
    return found


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process do the same meanwhile."""
    with (folder / "postgres-lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@dataclass
class Server:
    """A cluster that is started and stopped at will."""

    folder: Path
    durable: bool = False  # nothing in a test outlives the machine

    @classmethod
    def create(cls, *, durable: bool = False) -> "Server":
        """Make a cluster and start it; WAL files are small, so that a disk can be full early."""
        folder = Path(tempfile.mkdtemp(prefix="stopwise-postgres-"))
        if USER is not None:
            shutil.chown(folder, USER)
        server = cls(folder, durable)
        server.run(
            "initdb", "--pgdata", str(server.data), "--no-sync", "--auth", "trust",
            "--username", "stopwise", "--encoding", "UTF8", "--locale", "C", "--wal-segsize", "1",
        )  # fmt: skip
        server.start()
        return server

    @property
    def data(self) -> Path:
        """The folder of the data."""
        return self.folder / "data"

    def url(self, database: str = "postgres") -> str:
        """Return the URL of a database."""
        return f"postgresql://stopwise@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = {**SETTINGS, "fsync": "on" if self.durable else "off"}
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self.run(
            "pg_ctl", "start", "--wait", "--pgdata", str(self.data),
            "--log", str(self.folder / "log"),
            "--options", f"{options} -k {self.folder}",
        )  # fmt: skip

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; "immediate" is a crash."""
        self.run("pg_ctl", "stop", "--mode", mode, "--pgdata", str(self.data))

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes for a while: it takes connections, and answers nothing."""
        first = int((self.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        processes = [first, *map(int, children)]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    def delete(self) -> None:
        """Stop the server and remove its folder."""
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def execute(self, statement: str, database: str = "postgres") -> str:
        """Run one statement as superuser."""
        return self.run(
            "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
            "--host", str(self.folder), "--username", "stopwise",
            "--dbname", database, "--command", statement,
        )  # fmt: skip

    @classmethod
    @contextmanager
    def shared(cls, folder: Path) -> "Iterator[Server]":
        """Share one cluster with all processes of a run, whose common folder this is.

        The first one starts it, the last one deletes it.
        """
        place, users = folder / "postgres", folder / "postgres-users"
        with _alone(folder):
            if place.exists():
                server = cls(Path(place.read_text()))
            else:
                server = cls.create()
                place.write_text(str(server.folder))
            with users.open("a") as file:
                file.write("+")
        try:
            yield server
        finally:
            with _alone(folder):
                users.write_text(users.read_text()[1:])
                if not users.read_text():
                    server.delete()
                    place.unlink()

    def limit_file_size(self, process: int, size: int) -> None:
        """Let one process of the server make no file larger than this; to it, the disk is full."""
        command = ["prlimit", "--pid", str(process), f"--fsize={size}"]
        subprocess.run(command, user=USER, check=True)

    def run(self, program: str, *arguments: str) -> str:
        # Output goes to a file: a server that is started keeps its standard output open.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [_program(program), *arguments],
                cwd=self.folder, user=USER, stdout=output, stderr=output, check=False,
            )  # fmt: skip
            output.seek(0)
            text = output.read()
        if done.returncode:
            raise RuntimeError(f"{program}: {text}")
        return text.strip()
