"""Three questions: how many trials, is it worth continuing, and which metric to use.

``plan.py`` answers the first before the study, ``forecast.py`` the second midway, and
``compare_metrics.py`` the third on rollouts that exist; each has its answer in ``*_result.py``.
Everything else is what they share; docs/design/planning.md says which file holds which idea.
"""
