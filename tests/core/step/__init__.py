"""The synthesised binary test."""
