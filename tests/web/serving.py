"""A study served for tests: in this process by a real server, and plans to serve."""

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import stopwise as sw
from stopwise.web.server import Serving, Tls

CUPS: dict[str, Any] = {
    "name": "Cup stacking",
    "policies": [
        {"name": "diffusion-v1", "run": "serve v1"},
        {"name": "flow-v2", "run": "serve v2"},
    ],
    "tasks": [
        {
            "name": "stack the cups",
            "instructions": "Both cups upright, gripper open. Stop after 90 s.",
            "score": {
                "kind": "milestones",
                "milestones": [
                    {"name": "cup reached"},
                    {"name": "cup grasped"},
                    {"name": "cup lifted"},
                    {"name": "stacked and released", "weight": 3},
                ],
            },
            "conditions": {"listed": ["red cup left", "blue cup left", "both near the edge"]},
        }
    ],
    "design": "blocks",
    "n_max": 40,
    "tags": ["dropped", "collision", "timeout"],
}


def certified(folder: Path, name: str = "127.0.0.1") -> Tls:
    """Make a certificate for an address or a name, which only those trust who are told to."""
    tls = Tls(folder / "lab.pem", folder / "lab.key")
    kind = "IP" if name[0].isdigit() else "DNS"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-subj /CN={name} -addext subjectAltName={kind}:{name} "
        f"-keyout {tls.key} -out {tls.certificate}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    return tls


@contextmanager
def served(
    study: sw.Study, port: int = 0, url: str | None = None, *, tls: Tls | None = None
) -> Iterator[str]:
    """Serve a study on a port of this machine, by default a free one; yield its address."""
    serving = Serving.bind(study, port=port, url=url, tls=tls)
    server = serving.server()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [serving.listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        scheme = "https" if tls else "http"
        yield f"{scheme}://127.0.0.1:{serving.listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        serving.listener.close()
