"""Collected where LeRobot is installed, and so by ``make test-lerobot`` alone."""

from tests.lerobot import INSTALLED

if not INSTALLED:
    collect_ignore_glob = ["*.py"]
