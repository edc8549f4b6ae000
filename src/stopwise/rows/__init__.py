"""Rows: which trial of one policy meets which of another, in the order of the analysis."""
