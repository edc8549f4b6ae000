"""The command ``stopwise``, also as ``python -m stopwise``."""

import atexit
import gc
import os
import signal
import sys

__all__ = ["main"]

INTERRUPTED = 130


def main() -> None:
    """Run the command; Ctrl-C ends it with exit code 130, also while it loads or ends."""
    # What is registered first runs last: from then on nothing is left that could be interrupted.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    try:
        # Loading makes many objects that stay; to look for waste among them takes a tenth of it.
        gc.set_threshold(50_000, 20, 20)
        from stopwise.cli import app_for

        app_for(sys.argv[1:])()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        # The work is done or broken off; what may still wait, such as a thread, is left behind.
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


if __name__ == "__main__":
    main()
