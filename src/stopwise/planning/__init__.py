"""Two questions: how many trials, and is it worth continuing.

``plan.py`` answers the first before the study, ``forecast.py`` the second midway; each has its
answer in ``*_result.py``.
Everything else is what they share; docs/design/planning.md says which file holds which idea.
"""
