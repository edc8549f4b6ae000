"""Stands between a runner and a policy: when the runner ends, however it does, so does the policy.

Run as a program by itself, with nothing but the standard library. What to start comes through the
pipe from the runner, so it is in no list of processes before the policy itself is. Once that pipe
is closed, the policy and all it has started are asked to end, and after a while made to.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

NOT_STARTED = 127  # the exit code that says so


def main() -> int:
    wanted = json.loads(sys.stdin.readline())
    try:
        policy = subprocess.Popen(
            wanted["command"], stdin=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as error:
        sys.stderr.write(f"it cannot be started: {error}\n")
        return NOT_STARTED
    threading.Thread(target=_end, args=(policy.pid, wanted["grace"]), daemon=True).start()
    os.waitid(os.P_PID, policy.pid, os.WEXITED | os.WNOWAIT)
    _signal(policy.pid, signal.SIGKILL)  # processes left behind; the group id is still theirs
    return int(policy.wait() != 0)


def _end(group: int, grace: float) -> None:
    while os.read(0, 1024):  # only end-of-file comes, when the pipe is closed
        pass
    _signal(group, signal.SIGTERM)
    time.sleep(grace)
    _signal(group, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(main())
