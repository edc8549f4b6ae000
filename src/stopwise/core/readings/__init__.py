"""Readings: how what was observed becomes the numbers that are compared, a file each."""
