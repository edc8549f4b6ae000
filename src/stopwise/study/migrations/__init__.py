"""Upgrades of a store, run when it is opened."""
