"""Running policies until a verdict: in one process, on all cores or on a cluster."""
