"""Answers as people want to see them: figures and a page."""
