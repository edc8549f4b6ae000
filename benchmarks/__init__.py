"""Measurements: the paper's figures, speed and memory, efficiency."""
