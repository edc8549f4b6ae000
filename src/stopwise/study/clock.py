"""The time of a study: from its store, and from the uptime of this machine.

Clocks are set: by hand, by the network, after a machine has started with a wrong one. Leases must
not run out by that, so time between two entries of one machine is measured by its uptime, which
counts on whatever the clock says. Between machines, or after a restart, there is only the clock.
"""

import secrets
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# Also while the machine sleeps, where the system counts that.
_COUNTER = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Moment(NamedTuple):
    """A time in seconds since 1970, and the uptime of the machine, which ``boot`` names."""

    time: float
    boot: str = ""  # empty where the uptime is not known, as in a simulation
    uptime: float = 0.0

    def since(self, earlier: "Moment") -> float:
        """Seconds that passed; never less than 0."""
        if self.boot and self.boot == earlier.boot:
            return max(0.0, self.uptime - earlier.uptime)
        return max(0.0, self.time - earlier.time)


@cache
def boot() -> str:
    """Identify the boot that the uptime counts from; per process where the system does not."""
    try:
        return BOOT_ID.read_text(encoding="ascii").replace("-", "")[:8]
    except OSError:
        return secrets.token_hex(4)


def moment(now: float) -> Moment:
    return Moment(now, boot(), round(time.clock_gettime(_COUNTER), 3))
