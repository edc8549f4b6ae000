"""The command ``stopwise``, also as ``python -m stopwise``."""

import atexit
import gc
import os
import signal
import sys
import threading

INTERRUPTED = 130
# They run nobody else's code, and multiply small matrices only: threads for these cost more than
# they bring, and a twentieth of a second to start.
SMALL = ("analyze", "compare", "forecast", "methods", "metrics", "plan")


def main() -> None:
    """Run the command; Ctrl-C ends it with exit code 130, also while it loads or ends."""
    # What is registered first runs last: from then on nothing is left that could be interrupted.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    small = sys.argv[1:2] and sys.argv[1] in SMALL
    try:
        # Loading makes many objects that stay; to look for waste among them takes a tenth of it.
        gc.set_threshold(50_000, 20, 20)
        if small:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from stopwise.cli import app_for

        app_for(sys.argv[1:])()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        if small and isinstance(end.code, int):
            _leave(end.code)
        raise
    finally:
        # The work is done or broken off; what may still wait, such as a thread, is left behind.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


def _leave(code: int) -> None:
    """Exit at once, unless a thread is at work: taking down all that was loaded brings nothing."""
    if threading.active_count() > 1:
        return
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
