"""Races, and what they are made of."""
