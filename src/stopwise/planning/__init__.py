"""Two questions: how many trials, and is it worth continuing.

Both are one simulation of the study, from its start or from where it stands (``studies.py``);
docs/design/planning.md says how.
"""
