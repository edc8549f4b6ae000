"""Trackers, each run as it is used, without a network."""
