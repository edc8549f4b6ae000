"""Tests; the folders mirror the package, plus contracts and guarantees."""
